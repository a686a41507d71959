import { ownUsage } from '../../access/usage.ts';
import { sql } from '../../db/sql.ts';
import { route } from '../../http/route.ts';
import { answerUsage, ownRows, usageAnswer } from './usage.ts';
import { usageErrors, usageQuery } from './usage-query.ts';

/** What the caller asked for, whoever paid, and what their own balance paid. */
export const getUsage = route({
  method: 'GET',
  path: '/api/usage',
  area: 'Usage',
  operationId: 'get_usage',
  summary: 'Get your usage',
  description:
    'What you asked for, whoever paid for it, and what your own balance paid, summed by UTC day ' +
    'and grouped. What was deleted keeps its id, without a name.',
  access: ownUsage,
  query: usageQuery('organization_id', 'project_id', 'task_id', 'model', 'kind'),
  sample: () => ({ query: { group_by: 'project,day' } }),
  responses: usageAnswer,
  errors: usageErrors,
  handle: (context) => answerUsage(ownRows(sql`d`), context),
});
