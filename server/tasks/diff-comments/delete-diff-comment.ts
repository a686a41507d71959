import { onDiffComment, onTask } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { lockedRow } from '../../http/change.ts';
import { notFound } from '../../http/errors.ts';
import { ids, route } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';
import { comment, commentChanged, commentSnapshot } from './comment.ts';

/** Takes a comment on the code of a task back. */
export const deleteDiffComment = route({
  method: 'DELETE',
  path: '/api/tasks/{task_id}/diff-comments/{comment_id}',
  area: 'Plans & Artifacts',
  operationId: 'delete_diff_comment',
  summary: 'Delete a comment on the code of a task',
  description: 'Deletes the comment. For its author, and for those who administer the project.',
  access: onDiffComment('work_on_task', 'manage_comments'),
  // The comment is gone by then.
  replayAccess: onTask('work_on_task'),
  params: ids('task_id', 'comment_id'),
  responses: { 204: { description: 'The comment was deleted.' } },
  headers: { 'If-Match': 'The ETag of the comment that you have read.' },
  errors: [commentChanged],
  handle: ({ headers, requestId, statement }) =>
    statement<{ expected: boolean | null }>(
      {
        with: sql`
          ${lockedRow(sql`diff_comment`, sql`comment_id`, headers['if-match'], comment.revision)},
          deleted as (
            delete from diff_comment t using current
             where t.id = (current.row).id and current.expected
            returning t as row),
          audited as (${auditRow({
            action: 'diff_comment.delete',
            requestId,
            target: sql`(deleted.row).id`,
            organization: sql`authorized.organization_id`,
            project: sql`authorized.project_id`,
            before: commentSnapshot(sql`deleted.row`),
            after: sql`null`,
            from: sql`deleted cross join authorized`,
          })})`,
        select: sql`select (select expected from current) as expected from authorized`,
      },
      ({ expected }) => {
        if (expected === null) throw notFound();
        if (!expected) throw commentChanged();
        return { status: 204 };
      },
    ),
});
