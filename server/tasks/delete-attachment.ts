import { onAttachment } from '../access/file.ts';
import { onTask } from '../access/project.ts';
import { sql } from '../db/sql.ts';
import { notFound } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { auditRow } from '../platform/audit/audit.ts';

/** Deletes an attachment; its bytes are removed within two minutes (remove-deleted.ts). */
export const deleteAttachment = route({
  method: 'DELETE',
  path: '/api/tasks/{task_id}/attachments/{attachment_id}',
  area: 'Tasks',
  operationId: 'delete_attachment',
  summary: 'Delete an attachment',
  description:
    'Deletes the file, also from the message that it was sent with. What the agent has read of ' +
    'it stays read. Whoever uploaded it, owners and admins. Its bytes cannot be read from then ' +
    'on, and are removed within two minutes.',
  access: onAttachment('delete_attachment', 'attach_file'),
  // The attachment is gone by then.
  replayAccess: onTask('attach_file'),
  params: ids('task_id', 'attachment_id'),
  responses: { 204: { description: 'The attachment was deleted.' } },
  errors: [],
  handle: ({ requestId, statement }) =>
    statement<{ deleted: boolean }>(
      {
        with: sql`
          deleted as (
            delete from attachment t using authorized where t.id = authorized.attachment_id
            returning t as row, authorized.organization_id),
          audited as (${auditRow({
            action: 'attachment.delete',
            requestId,
            target: sql`(deleted.row).id`,
            organization: sql`deleted.organization_id`,
            project: sql`(deleted.row).project_id`,
            before: sql`jsonb_build_object(
              'task_id', (deleted.row).task_id, 'name', (deleted.row).name,
              'size', (deleted.row).size, 'sha256', (deleted.row).sha256)`,
            after: sql`null::jsonb`,
            from: sql`deleted`,
          })})`,
        select: sql`select exists (select from deleted) as deleted from authorized`,
      },
      ({ deleted }) => {
        if (!deleted) throw notFound();
        return { status: 204 };
      },
    ),
});
