import Type from 'typebox';
import { onWorkspace } from '../../access/workspace.ts';
import { sql } from '../../db/sql.ts';
import { fromAfterTo } from '../../http/days.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { cursorInvalid, pages } from '../../http/paging.ts';
import { ids, route } from '../../http/route.ts';
import { auditEvent, auditFilters, auditTrail } from './audit-events.ts';

/** Who did what in a workspace, and who was refused (ruling 1.17). */
export const listAuditEvents = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/audit-events',
  area: 'Workspaces',
  operationId: 'list_audit_events',
  summary: 'List audit events',
  description:
    'Every change to the workspace and everything in it, and attempts that were refused, ' +
    'newest first. Owners and admins only. Always in pages: 50 entries, unless `limit` says ' +
    'otherwise.',
  access: onWorkspace('see_audit_trail'),
  params: ids('org_id'),
  query: Type.Object({ ...auditFilters, ...pages }),
  responses: { 200: auditEvent.listed('Newest first.') },
  errors: [cursorInvalid, fromAfterTo],
  handle: ({ query, url, statement }) =>
    statement<Listed>(
      { select: listed(auditTrail(sql`(select organization_id from authorized)`, query), query) },
      page(url, query.limit),
    ),
});
