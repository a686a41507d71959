import { sql } from '../../db/sql.ts';
import { route } from '../../http/route.ts';
import {
  onSubscription,
  subscribed,
  subscription,
  subscriptionChange,
} from './task-subscription.ts';

/** The caller follows a task, or mutes it. */
export const setTaskSubscription = route({
  ...onSubscription,
  method: 'PUT',
  operationId: 'set_task_subscription',
  summary: 'Follow or mute a task',
  description: 'Decides whether you are told of what happens in the task, for you alone.',
  body: subscriptionChange(),
  sample: () => ({ body: { state: 'muted' } }),
  responses: { 200: subscription.shown('Whether you follow it now.', []) },
  handle: ({ body, statement }) =>
    statement<{ item: string }>(
      {
        with: subscribed(body.state),
        select: sql`
          select ${subscription.json} as item
            from changed s join task t on t.id = s.task_id`,
      },
      ({ item }) => ({ status: 200, body: item }),
    ),
});
