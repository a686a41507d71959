import Type from 'typebox';
import { ownSession } from '../../access/session.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { type Listed, type ListParts, listed, type Part, page } from '../../http/list.ts';
import { cursorInvalid, pages } from '../../http/paging.ts';
import { route } from '../../http/route.ts';
import { auditEvent } from '../../organizations/index.ts';

/** What happened to the caller's own account: what they did, and what was tried on it. */
export const listOwnAuditEvents = route({
  method: 'GET',
  path: '/auth/audit-events',
  area: 'Sign-in',
  operationId: 'list_own_audit_events',
  summary: 'List what happened to your account',
  description:
    'Sign-ins, also refused ones, and changes of your account and of what is yours outside of ' +
    'workspaces, newest first. What happened in a workspace is in the trail of that workspace. ' +
    'Always in pages: 50 entries, unless `limit` says otherwise.',
  credential: 'session',
  access: ownSession,
  query: Type.Object(pages),
  responses: { 200: auditEvent.listed('Newest first.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(trail, query) }, page(url, query.limit)),
});

// Each half has an index of its own, which gives the order.
const half = (condition: Sql, { after, first }: Part): Sql => sql`
  (select e.* from audit_event e
    where e.organization_id is null and ${condition} ${after}
    ${first})`;

const ME = sql`(select user_id from authorized)`;

const trail: ListParts = {
  json: auditEvent.json,
  rows: (part) => sql`
    from (${half(sql`e.actor_user_id = ${ME}`, part)}
          union
          ${half(sql`e.target_id = ${ME}::text`, part)}) e
    left join app_user u on u.id = e.actor_user_id
   where true`,
  order: [
    { by: sql`e.occurred_at`, type: 'timestamptz' },
    { by: sql`e.id`, type: 'uuid' },
  ],
  descending: true,
};
