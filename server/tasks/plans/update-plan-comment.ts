import { onPlanComment } from '../../access/project.ts';
import { ids, route } from '../../http/route.ts';
import { updatesComment } from '../change-comment.ts';
import { comment, commentSnapshot } from './comment.ts';

/** Changes the text of a comment, or says whether it is resolved. */
export const updatePlanComment = route({
  method: 'PUT',
  path: '/api/tasks/{task_id}/plan/comments/{comment_id}',
  area: 'Plans & Artifacts',
  operationId: 'update_plan_comment',
  summary: 'Update a comment on a plan',
  description:
    'Changes the text, or resolves the comment. For its author, and for those who administer ' +
    'the project. A field that is omitted keeps its value; `{}` changes nothing.',
  access: onPlanComment('work_on_task', 'manage_comments'),
  params: ids('task_id', 'comment_id'),
  body: comment.changes,
  ...updatesComment({ table: 'plan_comment', comment, snapshot: commentSnapshot }),
});
