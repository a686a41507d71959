import { onTaskUsage } from '../../access/usage.ts';
import { nothing, sql } from '../../db/sql.ts';
import { fileAnswer } from '../../http/list-export.ts';
import { ids, route } from '../../http/route.ts';
import { answerExport, exportErrors, OF_THE_FILE } from './export.ts';
import { exportQuery } from './usage-query.ts';

/** The lines of `get_task_usage`. */
export const exportTaskUsage = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/usage/export',
  area: 'Usage',
  operationId: 'export_task_usage',
  summary: "Export a task's usage",
  description: `What was used for the task: all of it for whoever created it and for owners and admins, and for others what they asked for. ${OF_THE_FILE}`,
  access: onTaskUsage,
  params: ids('task_id'),
  query: exportQuery('user_id', 'model', 'kind'),
  sample: () => ({ query: { format: 'jsonl' } }),
  responses: fileAnswer,
  errors: exportErrors,
  handle: async ({ params: { task_id }, query, snapshot, load }) => {
    const { user_id, sees_all } = await load();
    const part = sql`e.task_id = ${task_id} ${sees_all ? nothing : sql`and e.user_id = ${user_id}`}`;
    return answerExport({ parts: [part], accountId: null }, { query, snapshot, of: `${task_id}-` });
  },
});
