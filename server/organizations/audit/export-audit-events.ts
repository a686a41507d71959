import Type from 'typebox';
import { onWorkspace } from '../../access/workspace.ts';
import { sql } from '../../db/sql.ts';
import { fromAfterTo } from '../../http/days.ts';
import { exportBusy } from '../../http/exports.ts';
import { FILE_RULES, fileAnswer, fileOf, format } from '../../http/list-export.ts';
import { ids, route } from '../../http/route.ts';
import { auditEvent, auditFilters, auditTrail } from './audit-events.ts';

/** The audit trail of a workspace as a file. */
export const exportAuditEvents = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/audit-events/export',
  area: 'Workspaces',
  operationId: 'export_audit_events',
  summary: 'Export audit events',
  description:
    `The audit trail as a file to download, newest first. Owners and admins only. ${FILE_RULES} ` +
    'In CSV, `before` and `after` are JSON.',
  access: onWorkspace('see_audit_trail'),
  params: ids('org_id'),
  query: Type.Object({ ...format, ...auditFilters }),
  sample: () => ({ query: { format: 'jsonl' } }),
  responses: fileAnswer,
  errors: [fromAfterTo, exportBusy],
  handle: async ({ params: { org_id }, query: { format: kind, ...filters }, load, begin }) => {
    const trail = auditTrail(sql`${org_id}::uuid`, filters);
    await load();
    return fileOf(`audit-events-${org_id}`, auditEvent, trail, begin, kind);
  },
});
