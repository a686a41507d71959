import { sql } from '../../db/sql.ts';
import { route } from '../../http/route.ts';
import { onSubscription, subscribed } from './task-subscription.ts';

/** The caller follows a task no more, nor mutes it. */
export const unfollowTask = route({
  ...onSubscription,
  method: 'DELETE',
  operationId: 'unfollow_task',
  summary: 'Unfollow a task',
  description:
    'Takes back that you follow the task, or have muted it. You are told of it only where you are ' +
    'mentioned, or where nobody who follows it may approve and you may. Writing in it follows it again.',
  responses: { 204: { description: 'You do not follow it.' } },
  handle: ({ statement }) =>
    statement<object>(
      { with: subscribed('unfollowed'), select: sql`select task_id from changed` },
      () => ({ status: 204 }),
    ),
});
