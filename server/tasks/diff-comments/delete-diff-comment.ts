import { onDiffComment, onTask } from '../../access/project.ts';
import { ids, route } from '../../http/route.ts';
import { deletesComment } from '../change-comment.ts';
import { comment, commentSnapshot } from './comment.ts';

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
  ...deletesComment({ table: 'diff_comment', comment, snapshot: commentSnapshot }),
});
