import { onTaskUsage } from '../../access/usage.ts';
import { sql } from '../../db/sql.ts';
import { ids, route } from '../../http/route.ts';
import { answerUsage, seenBy, usageAnswer } from './usage.ts';
import { usageErrors, usageQuery } from './usage-query.ts';

/** What was used for a task, whoever paid. */
export const getTaskUsage = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/usage',
  area: 'Usage',
  operationId: 'get_task_usage',
  summary: "Get a task's usage",
  description:
    'What was used for the task, summed by UTC day and grouped: all of it for whoever created the ' +
    'task and for owners and admins, and for others what they asked for.',
  access: onTaskUsage,
  params: ids('task_id'),
  query: usageQuery('user_id', 'model', 'kind'),
  sample: () => ({ query: { group_by: 'model' } }),
  responses: usageAnswer,
  errors: usageErrors,
  handle: (context) => answerUsage(taskRows(sql`d`), context),
});

const taskRows = (line: ReturnType<typeof sql>) => sql`
  ${line}.task_id = (select task_id from authorized) and ${seenBy(line)}`;
