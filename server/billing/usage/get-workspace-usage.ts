import { onWorkspaceUsage } from '../../access/usage.ts';
import { sql } from '../../db/sql.ts';
import { ids, route } from '../../http/route.ts';
import { answerUsage, seenBy, usageAnswer } from './usage.ts';
import { usageErrors, usageQuery } from './usage-query.ts';

/** What the balance of a workspace paid. */
export const getWorkspaceUsage = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/usage',
  area: 'Usage',
  operationId: 'get_workspace_usage',
  summary: "Get a workspace's usage",
  description:
    "What the workspace's balance paid, summed by UTC day and grouped: all of it for its owner " +
    'and admins, and for others what they asked for. What was deleted keeps its id, without a ' +
    'name.',
  access: onWorkspaceUsage,
  params: ids('org_id'),
  query: usageQuery('project_id', 'task_id', 'user_id', 'model', 'kind'),
  sample: () => ({ query: { group_by: 'member,model' } }),
  responses: usageAnswer,
  errors: usageErrors,
  handle: (context) => answerUsage(workspaceRows(sql`d`), context),
});

const workspaceRows = (line: ReturnType<typeof sql>) => sql`
  ${line}.account_id = (select account_id from authorized) and ${seenBy(line)}`;
