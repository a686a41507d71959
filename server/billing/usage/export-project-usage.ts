import { onProjectUsage } from '../../access/usage.ts';
import { nothing, sql } from '../../db/sql.ts';
import { fileAnswer } from '../../http/list-export.ts';
import { ids, route } from '../../http/route.ts';
import { answerExport, exportErrors, OF_THE_FILE } from './export.ts';
import { exportQuery } from './usage-query.ts';

/** The lines of `get_project_usage`. */
export const exportProjectUsage = route({
  method: 'GET',
  path: '/api/projects/{project_id}/usage/export',
  area: 'Usage',
  operationId: 'export_project_usage',
  summary: "Export a project's usage",
  description: `What was used for the project, whoever paid: all of it for owners and admins, and for others what they asked for. ${OF_THE_FILE}`,
  access: onProjectUsage,
  params: ids('project_id'),
  query: exportQuery('task_id', 'user_id', 'model', 'kind'),
  sample: () => ({ query: { format: 'jsonl' } }),
  responses: fileAnswer,
  errors: exportErrors,
  handle: async ({ params: { project_id }, query, snapshot, load }) => {
    const { user_id, sees_all } = await load();
    const part = sql`e.project_id = ${project_id} ${sees_all ? nothing : sql`and e.user_id = ${user_id}`}`;
    return answerExport(
      { parts: [part], accountId: null },
      { query, snapshot, of: `${project_id}-` },
    );
  },
});
