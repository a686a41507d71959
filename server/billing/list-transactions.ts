import Type from 'typebox';
import { ownAccount } from '../access/account.ts';
import { sql } from '../db/sql.ts';
import { fromAfterTo } from '../http/days.ts';
import { type Listed, listed, page } from '../http/list.ts';
import { cursorInvalid, paging } from '../http/paging.ts';
import { route } from '../http/route.ts';
import {
  TRANSACTION_RULES,
  transaction,
  transactionFilters,
  transactionsOf,
} from './transactions/transaction.ts';

/** Every posting to the caller's balance. */
export const listTransactions = route({
  method: 'GET',
  path: '/api/billing/transactions',
  area: 'Billing',
  operationId: 'list_transactions',
  summary: 'List transactions',
  description:
    `Every movement of the caller's balance, ${TRANSACTION_RULES} The complete list, unless ` +
    '`limit` is given.',
  access: ownAccount,
  query: Type.Object({ ...transactionFilters, ...paging }),
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
