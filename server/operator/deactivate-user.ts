import Type from 'typebox';
import { onPersonAlone } from '../access/operator.ts';
import type { Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { apiError, notFound, operatorRequired } from '../http/errors.ts';
import { uuid } from '../http/input/fields.ts';
import { ids, route } from '../http/route.ts';
import { deactivateUser as deactivate } from '../identity/index.ts';
import { recordChange } from '../platform/audit/audit.ts';
import { account } from './account.ts';

const oneself = apiError(
  409,
  'cannot_deactivate_yourself',
  'You cannot deactivate yourself: another operator, or the command line, does that',
);

/** How many of the workspaces that they own are named. */
const NAMED = 100;

const shown = Type.Object(
  {
    user: account.schema,
    keys_revoked: Type.Integer(),
    sessions_ended: Type.Integer(),
    owned_workspaces: Type.Array(Type.Object({ id: uuid(), name: Type.String() }), {
      description: `What nobody else can transfer or delete now: by name, at most ${NAMED}.`,
    }),
    open_turns: Type.Integer({
      description: 'Turns that they have asked for and that have not ended: they go on.',
    }),
  },
  { $id: 'Deactivation' },
);

/** Ends the access of a person: what the command line does. */
export const deactivateUser = route({
  method: 'POST',
  path: '/api/operator/users/{user_id}/deactivate',
  area: 'Operation',
  operationId: 'deactivate_user',
  summary: 'Deactivate a person',
  description:
    'Revokes the keys of the person, and ends their sessions, sign-in link and open streams, at ' +
    'once and for good; they are no operator any more. Memberships, what they own, and turns that ' +
    'run stay, and the answer says which. Operators only, and never on themselves.',
  access: onPersonAlone,
  proof: true,
  auditDenied: { action: 'user.deactivate', target: 'user_id', forOperators: true },
  params: ids('user_id'),
  sample: () => ({}),
  responses: {
    200: {
      description: 'What has ended, and what stays.',
      schema: shown,
      example: {
        user: { ...account.example, is_active: false },
        keys_revoked: 2,
        sessions_ended: 1,
        owned_workspaces: [{ id: '5d0f9a4e-7c1b-4e2a-8f3d-6b7c8d9e0f1a', name: 'Acme' }],
        open_turns: 0,
      },
    },
  },
  errors: [operatorRequired, notFound, oneself],
  handle: ({ requestId, transaction }) =>
    transaction(async (tx, { target_id: id, ...caller }) => {
      if (id === caller.userId) throw oneself();
      const done = await deactivate(tx, { id });
      if (done === undefined) throw notFound();
      const { changed, keysRevoked: keys_revoked, sessionsEnded: sessions_ended, owns } = done;
      if (changed || keys_revoked + sessions_ended > 0)
        await recordChange(tx, {
          caller,
          action: 'user.deactivate',
          target: id,
          after: { keys_revoked, sessions_ended },
          requestId,
          forOperators: true,
        });
      const { item, open_turns } = await left(tx, id);
      const owned_workspaces = owns.slice(0, NAMED);
      const user = JSON.parse(item);
      return {
        status: 200,
        body: { user, keys_revoked, sessions_ended, owned_workspaces, open_turns },
      };
    }),
});

const left = (tx: Tx, id: string) =>
  tx.one<{ item: string; open_turns: number }>(sql`
    select ${account.json} as item,
           (select count(*)::int from task_turn t
             where t.requested_by_user_id = u.id
               and t.state in ('queued', 'interrupted', 'running', 'waiting')) as open_turns
      from app_user u where u.id = ${id}`);
