import { onPlanComment, onTask } from '../../access/project.ts';
import { ids, route } from '../../http/route.ts';
import { deletesComment } from '../change-comment.ts';
import { comment, commentSnapshot } from './comment.ts';

/** Takes a comment on a plan back. */
export const deletePlanComment = route({
  method: 'DELETE',
  path: '/api/tasks/{task_id}/plan/comments/{comment_id}',
  area: 'Plans & Artifacts',
  operationId: 'delete_plan_comment',
  summary: 'Delete a comment on a plan',
  description: 'Deletes the comment. For its author, and for those who administer the project.',
  access: onPlanComment('work_on_task', 'manage_comments'),
  // The comment is gone by then.
  replayAccess: onTask('work_on_task'),
  params: ids('task_id', 'comment_id'),
  ...deletesComment({ table: 'plan_comment', comment, snapshot: commentSnapshot }),
});
