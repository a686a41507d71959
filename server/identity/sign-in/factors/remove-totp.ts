import { lockedSelf } from '../../../access/session.ts';
import { sql } from '../../../db/sql.ts';
import { notFound } from '../../../http/errors.ts';
import { route } from '../../../http/route.ts';
import { recordChange } from '../../../platform/audit/audit.ts';
import { followFactors } from '../second-factors.ts';
import { renewedCookie } from '../session.ts';

/**
 * Removes the authenticator app. After the last factor the person has none: what workspaces with a
 * two-factor policy let them do ends until they enrol one again.
 */
export const removeTotp = ({ publicUrl }: { publicUrl: string }) =>
  route({
    method: 'DELETE',
    path: '/auth/totp',
    area: 'Sign-in',
    operationId: 'remove_totp',
    summary: 'Remove the authenticator app',
    description:
      'Without another second factor, your recovery codes end too, and workspaces that require two ' +
      'factors are closed to you until you add one. The session gets a new token.',
    credential: 'proven-session',
    access: lockedSelf,
    responses: { 204: { description: 'The app is removed.' } },
    errors: [notFound],
    auditDenied: { action: 'totp.disable' },
    handle: ({ requestId, transaction }) =>
      transaction(async (tx, caller) => {
        const { userId } = caller;
        const removed = await tx.maybeOne<{ confirmed: boolean }>(sql`
          delete from totp where user_id = ${userId} returning confirmed_at is not null as confirmed`);
        if (removed === undefined) throw notFound();
        await followFactors(tx, userId);
        if (removed.confirmed)
          await recordChange(tx, {
            caller,
            action: 'totp.disable',
            target: userId,
            requestId,
            before: {},
            after: {},
          });
        return { status: 204, cookies: [await renewedCookie(tx, caller, publicUrl)] };
      }),
  });
