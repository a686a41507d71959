import { sql } from '../../db/sql.ts';
import { route } from '../../http/route.ts';
import { onSubscription, subscription } from './task-subscription.ts';

/** Whether the caller follows a task. */
export const getTaskSubscription = route({
  ...onSubscription,
  method: 'GET',
  operationId: 'get_task_subscription',
  summary: 'Get whether you follow a task',
  description: 'Whoever begins a task or writes in it follows it.',
  responses: { 200: subscription.shown('Whether you follow it.', []) },
  handle: ({ statement }) =>
    statement<{ item: string }>(
      {
        select: sql`
          select ${subscription.json} as item
            from authorized join task t on t.id = authorized.task_id
            left join task_subscription s
              on s.task_id = t.id and s.user_id = (select user_id from caller)`,
      },
      ({ item }) => ({ status: 200, body: item }),
    ),
});
