import { onWorkspaceUsage } from '../../access/usage.ts';
import { nothing, sql } from '../../db/sql.ts';
import { fileAnswer } from '../../http/list-export.ts';
import { ids, route } from '../../http/route.ts';
import { answerExport, exportErrors, OF_THE_FILE } from './export.ts';
import { exportQuery } from './usage-query.ts';

/** The lines of `get_workspace_usage`. */
export const exportWorkspaceUsage = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/usage/export',
  area: 'Usage',
  operationId: 'export_workspace_usage',
  summary: "Export a workspace's usage",
  description: `What the workspace's balance paid: all of it for its owner and admins, and for others what they asked for. ${OF_THE_FILE}`,
  access: onWorkspaceUsage,
  params: ids('org_id'),
  query: exportQuery('project_id', 'task_id', 'user_id', 'model', 'kind'),
  sample: () => ({ query: { format: 'jsonl' } }),
  responses: fileAnswer,
  errors: exportErrors,
  handle: async ({ params: { org_id }, query, snapshot, load }) => {
    const { account_id, user_id, sees_all } = await load();
    const part = sql`e.account_id = ${account_id} ${sees_all ? nothing : sql`and e.user_id = ${user_id}`}`;
    return answerExport({ parts: [part], accountId: null }, { query, snapshot, of: `${org_id}-` });
  },
});
