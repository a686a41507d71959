import { onProjectUsage } from '../../access/usage.ts';
import { sql } from '../../db/sql.ts';
import { ids, route } from '../../http/route.ts';
import { answerUsage, seenBy, usageAnswer } from './usage.ts';
import { usageErrors, usageQuery } from './usage-query.ts';

/** What was used for a project, whoever paid. */
export const getProjectUsage = route({
  method: 'GET',
  path: '/api/projects/{project_id}/usage',
  area: 'Usage',
  operationId: 'get_project_usage',
  summary: "Get a project's usage",
  description:
    'What was used for the project, whoever paid for it, summed by UTC day and grouped: all of it ' +
    'for owners and admins, and for others what they asked for. Tasks that were deleted keep ' +
    'their id, without a title.',
  access: onProjectUsage,
  params: ids('project_id'),
  query: usageQuery('task_id', 'user_id', 'model', 'kind'),
  sample: () => ({ query: { group_by: 'task' } }),
  responses: usageAnswer,
  errors: usageErrors,
  handle: (context) => answerUsage(projectRows(sql`d`), context),
});

const projectRows = (line: ReturnType<typeof sql>) => sql`
  ${line}.project_id = (select project_id from authorized) and ${seenBy(line)}`;
