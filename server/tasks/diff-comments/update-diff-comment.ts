import { onDiffComment } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { ids, route } from '../../http/route.ts';
import { updatesComment } from '../change-comment.ts';
import { comment, commentSnapshot } from './comment.ts';

/** Changes the text of a comment, or says whether it is resolved. */
export const updateDiffComment = route({
  method: 'PUT',
  path: '/api/tasks/{task_id}/diff-comments/{comment_id}',
  area: 'Plans & Artifacts',
  operationId: 'update_diff_comment',
  summary: 'Update a comment on the code of a task',
  description:
    'Changes the text, or resolves the comment. For its author, and for those who administer ' +
    'the project. A field that is omitted keeps its value; `{}` changes nothing. One whose text ' +
    'changes, or that is opened again, can be sent to the agent again.',
  access: onDiffComment('work_on_task', 'manage_comments'),
  params: ids('task_id', 'comment_id'),
  body: comment.changes,
  ...updatesComment(
    { table: 'diff_comment', comment, snapshot: commentSnapshot },
    sql`
           message_number = case when wanted.text = t.text
                                   and (wanted.resolved or t.resolved_at is null)
                                 then t.message_number end,
           `,
  ),
});
