import { onPersonAlone } from '../access/operator.ts';
import { sql } from '../db/sql.ts';
import { notFound, operatorRequired } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { activateUser as activate } from '../identity/index.ts';
import { recordChange } from '../platform/audit/audit.ts';
import { account } from './account.ts';

/** Lets a deactivated person in again. */
export const activateUser = route({
  method: 'POST',
  path: '/api/operator/users/{user_id}/activate',
  area: 'Operation',
  operationId: 'activate_user',
  summary: 'Activate a person again',
  description:
    'Lets a deactivated person sign in again. Their former keys and sessions stay revoked, and one ' +
    'who was an operator is none. Operators only.',
  access: onPersonAlone,
  proof: true,
  auditDenied: { action: 'user.activate', target: 'user_id', forOperators: true },
  params: ids('user_id'),
  sample: () => ({}),
  responses: {
    200: { description: 'The person.', schema: account.schema, example: account.example },
  },
  errors: [operatorRequired, notFound],
  handle: ({ requestId, transaction }) =>
    transaction(async (tx, { target_id: id, ...caller }) => {
      const done = await activate(tx, { id });
      if (done === undefined) throw notFound();
      if (done.changed)
        await recordChange(tx, {
          caller,
          action: 'user.activate',
          target: id,
          requestId,
          forOperators: true,
        });
      const { item } = await tx.one<{ item: string }>(sql`
        select ${account.json} as item from app_user u where u.id = ${id}`);
      return { status: 200, body: item };
    }),
});
