import { lockedSelf } from '../../../access/session.ts';
import { apiError } from '../../../http/errors.ts';
import { object } from '../../../http/input/fields.ts';
import { route } from '../../../http/route.ts';
import { recordChange } from '../../../platform/audit/audit.ts';
import type { Outcomes } from '../outcomes.ts';
import { proven, provenAnswer } from '../proven.ts';
import { replaceToken } from '../session.ts';
import type { Vault } from '../vault.ts';
import { code, useCode, wrongCode } from './use-code.ts';

const notPending = apiError(
  409,
  'not_pending',
  'This session has its second factor already: to prove again that it is you, use /auth/proof',
);

/** Completes a session by a code: it gets a new token, and opens everything. */
export const giveSecondFactor = ({
  publicUrl,
  vault,
  outcomes,
}: {
  publicUrl: string;
  vault: Vault;
  outcomes: Outcomes;
}) =>
  route({
    method: 'POST',
    path: '/auth/second-factor',
    area: 'Sign-in',
    operationId: 'give_second_factor',
    summary: 'Give the second factor',
    description:
      'With a code of the authenticator app or a recovery code; each works once. The session gets ' +
      'a new token.',
    credential: 'pending-session',
    access: lockedSelf,
    limit: 'secondFactor',
    body: object({ code: code() }),
    sample: () => ({ body: { code: '492039' } }),
    responses: { 200: provenAnswer('The session is complete.') },
    errors: [wrongCode, notPending],
    auditDenied: { action: 'session.second_factor' },
    handle: ({ body, requestId, transaction }) =>
      outcomes.counted(
        'second_factor',
        transaction(async (tx, caller) => {
          if (!caller.pending) throw notPending();
          const by = await useCode(tx, vault, { userId: caller.userId, code: body.code });
          const replaced = await replaceToken(tx, caller);
          await recordChange(tx, {
            caller,
            action: 'session.second_factor',
            target: caller.session_id,
            requestId,
            before: {},
            after: { by },
          });
          return proven(publicUrl, replaced);
        }),
      ),
  });
