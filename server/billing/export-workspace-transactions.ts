import Type from 'typebox';
import { onWorkspaceAccount } from '../access/workspace.ts';
import { sql } from '../db/sql.ts';
import { fromAfterTo } from '../http/days.ts';
import { exportBusy } from '../http/exports.ts';
import { FILE_RULES, fileAnswer, fileOf, format } from '../http/list-export.ts';
import { ids, route } from '../http/route.ts';
import {
  TRANSACTION_RULES,
  transaction,
  transactionFilters,
  transactionsOf,
} from './transactions/transaction.ts';

/** Every posting to a workspace's balance as a file. */
export const exportWorkspaceTransactions = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/billing/transactions/export',
  area: 'Workspace Billing',
  operationId: 'export_workspace_transactions',
  summary: "Export a workspace's transactions",
  description:
    `The movements of the workspace's balance as a file to download, ${TRANSACTION_RULES} ` +
    `Owners and admins only. ${FILE_RULES}`,
  access: onWorkspaceAccount('see_billing'),
  params: ids('org_id'),
  query: Type.Object({ ...format, ...transactionFilters }),
  sample: () => ({ query: { format: 'jsonl' } }),
  responses: fileAnswer,
  errors: [fromAfterTo, exportBusy],
  handle: async ({ params: { org_id }, query: { format: kind, ...filters }, load, begin }) => {
    const { account_id } = await load();
    const parts = transactionsOf(sql`${account_id}::uuid`, filters);
    return fileOf(`transactions-${org_id}`, transaction, parts, begin, kind);
  },
});
