import Type from 'typebox';
import { asOperator } from '../access/operator.ts';
import { nothing, sql } from '../db/sql.ts';
import { operatorRequired } from '../http/errors.ts';
import { text, uuid } from '../http/input/fields.ts';
import { type Listed, type ListParts, listed, page } from '../http/list.ts';
import { cursorInvalid, pages } from '../http/paging.ts';
import { route } from '../http/route.ts';
import { auditEvent } from '../organizations/index.ts';

/** Who operated the server: on its page, and on the command line. */
export const listOperatorEvents = route({
  method: 'GET',
  path: '/api/operator/audit-events',
  area: 'Operation',
  operationId: 'list_operator_events',
  summary: 'List what operators did',
  description:
    'What operators did here, what others tried and were refused, and what the command line did ' +
    '(without an actor, because it has no account), newest first. Always in pages: 50 entries, ' +
    'unless `limit` says otherwise. Operators only.',
  access: asOperator,
  query: Type.Object({
    ...pages,
    action: Type.Optional(
      text({ minLength: 1, maxLength: 100, description: 'Only this, such as `credits.grant`.' }),
    ),
    actor_user_id: Type.Optional(uuid({ description: 'Only what this person did or tried.' })),
  }),
  responses: { 200: auditEvent.listed('Newest first.') },
  errors: [operatorRequired, cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(trail(query), query) }, page(url, query.limit)),
});

const trail = ({
  action,
  actor_user_id,
}: {
  action?: string;
  actor_user_id?: string;
}): ListParts => ({
  json: auditEvent.json,
  rows: sql`
    from authorized
    cross join (select * from audit_event where for_operators) e
    left join app_user u on u.id = e.actor_user_id
   where true
     ${action === undefined ? nothing : sql`and e.action = ${action}`}
     ${actor_user_id === undefined ? nothing : sql`and e.actor_user_id = ${actor_user_id}`}`,
  order: [
    { by: sql`e.occurred_at`, type: 'timestamptz' },
    { by: sql`e.id`, type: 'uuid' },
  ],
  descending: true,
});
