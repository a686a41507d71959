import Type from 'typebox';
import { ownAccount } from '../access/account.ts';
import { sql } from '../db/sql.ts';
import { fromAfterTo } from '../http/days.ts';
import { exportBusy } from '../http/exports.ts';
import { FILE_RULES, fileAnswer, fileOf, format } from '../http/list-export.ts';
import { route } from '../http/route.ts';
import {
  TRANSACTION_RULES,
  transaction,
  transactionFilters,
  transactionsOf,
} from './transactions/transaction.ts';

/** Every posting to the caller's balance as a file. */
export const exportTransactions = route({
  method: 'GET',
  path: '/api/billing/transactions/export',
  area: 'Billing',
  operationId: 'export_transactions',
  summary: 'Export transactions',
  description:
    `The movements of the caller's balance as a file to download, ${TRANSACTION_RULES} ` +
    FILE_RULES,
  access: ownAccount,
  query: Type.Object({ ...format, ...transactionFilters }),
  sample: () => ({ query: { format: 'jsonl' } }),
  responses: fileAnswer,
  errors: [fromAfterTo, exportBusy],
  handle: async ({ query: { format: kind, ...filters }, load, begin }) => {
    const { account_id } = await load();
    const parts = transactionsOf(sql`${account_id}::uuid`, filters);
    return fileOf('transactions', transaction, parts, begin, kind);
  },
});
