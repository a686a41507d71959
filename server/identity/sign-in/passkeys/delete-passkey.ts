import { lockedSelf } from '../../../access/session.ts';
import { sql } from '../../../db/sql.ts';
import { notFound } from '../../../http/errors.ts';
import { ids, route } from '../../../http/route.ts';
import { actor, auditRow } from '../../../platform/audit/audit.ts';
import { followFactors } from '../second-factors.ts';
import { renewedCookie } from '../session.ts';
import { lastWayToSignIn, waysToSignIn } from '../ways-to-sign-in.ts';

/** Removes a passkey of the caller. */
export const deletePasskey = ({ publicUrl }: { publicUrl: string }) =>
  route({
    method: 'DELETE',
    path: '/auth/passkeys/{passkey_id}',
    area: 'Sign-in',
    operationId: 'delete_passkey',
    summary: 'Remove a passkey',
    description:
      'The passkey no longer signs you in. If it was your last second factor, workspaces that require ' +
      'one are closed to you until you set up another. The session gets a new token.',
    credential: 'proven-session',
    access: lockedSelf,
    params: ids('passkey_id'),
    responses: { 204: { description: 'The passkey is removed.' } },
    errors: [notFound, lastWayToSignIn],
    handle: ({ params: { passkey_id }, requestId, transaction }) =>
      transaction(async (tx, caller) => {
        const [removed] = await tx.many(sql`
          with ${actor(caller)},
          removed as (
            delete from passkey where id = ${passkey_id} and user_id = ${caller.userId}
            returning id, name),
          audited as (${auditRow({
            action: 'passkey.delete',
            requestId,
            target: sql`removed.id`,
            organization: sql`null::uuid`,
            before: sql`jsonb_build_object('name', removed.name)`,
            after: sql`null`,
            from: sql`removed`,
          })})
          select id from removed`);
        if (removed === undefined) throw notFound();
        if ((await waysToSignIn(tx, caller.userId)) === 0) throw lastWayToSignIn();
        await followFactors(tx, caller.userId);
        return { status: 204, cookies: [await renewedCookie(tx, caller, publicUrl)] };
      }),
  });
