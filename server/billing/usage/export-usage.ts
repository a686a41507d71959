import { ownUsage } from '../../access/usage.ts';
import { nothing, sql } from '../../db/sql.ts';
import { fileAnswer } from '../../http/list-export.ts';
import { route } from '../../http/route.ts';
import { answerExport, exportErrors, OF_THE_FILE } from './export.ts';
import { exportQuery } from './usage-query.ts';

/** The lines of `get_usage`. */
export const exportUsage = route({
  method: 'GET',
  path: '/api/usage/export',
  area: 'Usage',
  operationId: 'export_usage',
  summary: 'Export your usage',
  description:
    'What you asked for, whoever paid for it, and what your own balance paid; `paid_by_you` says ' +
    `which. ${OF_THE_FILE}`,
  access: ownUsage,
  query: exportQuery('organization_id', 'project_id', 'task_id', 'model', 'kind'),
  sample: () => ({ query: { format: 'jsonl' } }),
  responses: fileAnswer,
  errors: exportErrors,
  handle: async ({ query, snapshot, load }) => {
    const { user_id, account_id, organization_id } = await load();
    const scope =
      organization_id === null ? nothing : sql`and e.organization_id = ${organization_id}`;
    const parts = [
      sql`e.account_id = ${account_id} ${scope}`,
      sql`e.user_id = ${user_id} and e.account_id <> ${account_id} ${scope}`,
    ];
    return answerExport({ parts, accountId: account_id }, { query, snapshot, of: '' });
  },
});
