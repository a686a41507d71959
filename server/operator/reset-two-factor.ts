import Type from 'typebox';
import { onPerson } from '../access/operator.ts';
import { notFound, operatorRequired } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { lockUser, removeSecondFactors } from '../identity/index.ts';
import { recordChange } from '../platform/audit/audit.ts';

/** For a person who has lost every second factor. */
export const resetTwoFactor = route({
  method: 'POST',
  path: '/api/operator/users/{user_id}/reset-two-factor',
  area: 'Operation',
  operationId: 'reset_two_factor',
  summary: 'Remove the second factors of a person',
  description:
    'Removes the authenticator app, the passkeys and the recovery codes of a person who has lost ' +
    'them, and ends their sessions; they are told by mail. First make sure that it is they who ask. ' +
    'No API key is enough. Operators only.',
  credential: 'proven-session',
  access: onPerson,
  auditDenied: { action: 'user.reset_two_factor', target: 'user_id', forOperators: true },
  params: ids('user_id'),
  sample: () => ({}),
  responses: {
    200: {
      description: 'What was removed.',
      schema: Type.Object(
        {
          totp: Type.Integer({ description: 'Authenticator apps.' }),
          passkeys: Type.Integer(),
          recovery_codes: Type.Integer(),
          sessions_ended: Type.Integer(),
        },
        { $id: 'RemovedFactors' },
      ),
      example: { totp: 1, passkeys: 0, recovery_codes: 8, sessions_ended: 2 },
    },
  },
  errors: [operatorRequired, notFound],
  handle: ({ requestId, transaction }) =>
    transaction(async (tx, { target_id: id, ...caller }) => {
      if ((await lockUser(tx, { id })) === undefined) throw notFound();
      const after = await removeSecondFactors(tx, id);
      const action = 'user.reset_two_factor';
      await recordChange(tx, { caller, action, target: id, after, requestId, forOperators: true });
      return { status: 200, body: after };
    }),
});
