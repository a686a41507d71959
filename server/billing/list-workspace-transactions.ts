import Type from 'typebox';
import { onWorkspaceAccount } from '../access/workspace.ts';
import { sql } from '../db/sql.ts';
import { fromAfterTo } from '../http/days.ts';
import { type Listed, listed, page } from '../http/list.ts';
import { cursorInvalid, pages } from '../http/paging.ts';
import { ids, route } from '../http/route.ts';
import {
  TRANSACTION_RULES,
  transaction,
  transactionFilters,
  transactionsOf,
} from './transactions/transaction.ts';

/** Every posting to a workspace's balance. */
export const listWorkspaceTransactions = route({
  method: 'GET',
  path: '/api/organizations/{org_id}/billing/transactions',
  area: 'Workspace Billing',
  operationId: 'list_workspace_transactions',
  summary: "List a workspace's transactions",
  description:
    `Every movement of the workspace's balance, ${TRANSACTION_RULES} Owners and admins only. ` +
    'Always in pages: 50 entries, unless `limit` says otherwise.',
  access: onWorkspaceAccount('see_billing'),
  params: ids('org_id'),
  query: Type.Object({ ...transactionFilters, ...pages }),
  responses: { 200: transaction.listed('Newest first.') },
  errors: [cursorInvalid, fromAfterTo],
  handle: ({ query, url, statement }) =>
    statement<Listed>(
      {
        select: listed(transactionsOf(sql`(select account_id from authorized)`, query), query),
      },
      page(url, query.limit),
    ),
});
