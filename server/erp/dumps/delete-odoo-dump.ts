import { onProject } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { ids, route } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';
import { dumpNotFound } from './odoo-dump.ts';

/** Deletes the dump of a project, and what was prepared of it. */
export const deleteOdooDump = route({
  method: 'DELETE',
  path: '/api/projects/{project_id}/odoo-dump',
  area: 'Odoo Connections',
  operationId: 'delete_odoo_dump',
  summary: 'Delete the dump of a project',
  description:
    'New ERP instances start from an empty database again. Its bytes, and what a worker has prepared of ' +
    'it, are removed within minutes. Instances that run keep their copy until ' +
    'they end or are reset. Admins of the project, and the owner and admins of its workspace only.',
  access: onProject('update_project'),
  params: ids('project_id'),
  responses: { 204: { description: 'The dump was deleted.' } },
  errors: [dumpNotFound],
  handle: ({ requestId, statement }) =>
    statement<{ deleted: boolean }>(
      {
        with: sql`
          deleted as (
            delete from odoo_dump t using authorized where t.project_id = authorized.project_id
            returning t as row, authorized.organization_id),
          audited as (${auditRow({
            action: 'odoo_dump.delete',
            requestId,
            target: sql`(deleted.row).id`,
            organization: sql`deleted.organization_id`,
            project: sql`(deleted.row).project_id`,
            before: sql`jsonb_build_object(
              'size', (deleted.row).size, 'sha256', (deleted.row).sha256,
              'production', (deleted.row).production, 'erp_version', (deleted.row).erp_version)`,
            after: sql`null::jsonb`,
            from: sql`deleted`,
          })})`,
        select: sql`select exists (select from deleted) as deleted from authorized`,
      },
      ({ deleted }) => {
        if (!deleted) throw dumpNotFound();
        return { status: 204 };
      },
    ),
});
