import Type from 'typebox';
import { nothing, type Sql, sql } from '../../db/sql.ts';
import { days, withinDays } from '../../http/days.ts';
import { oneOf, uuid } from '../../http/input/fields.ts';
import type { ListParts } from '../../http/list.ts';
import { resource, usd } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';
import type { Posting } from '../ledger/ledger.ts';

const KINDS: [Posting['kind'], ...Posting['kind'][]] = [
  'top_up',
  'promotion',
  'grant',
  'balance_transfer',
  'refund',
  'refund_reversal',
  'dispute',
  'dispute_reversal',
  'usage',
  'write_off',
  'void',
];

/** A row `t` of the ledger, from the side of its customer. */
export const transaction = resource('Transaction', {
  id: [uuid(), sql`t.id`, '0c1d2e3f-4a5b-4c6d-8e7f-8a9b0c1d2e3f'],
  kind: [Type.String(), sql`t.kind`, 'top_up'],
  amount: [usd(), sql`t.balance - t.previous_balance`, '25.00'],
  balance: [usd(), sql`t.balance`, '50.00'],
  reference_type: [Type.String(), sql`t.reference_type`, 'top_up'],
  reference_id: [uuid(), sql`t.reference_id`, '9b2d7c1e-3f4a-4b5c-8d6e-7f8a9b0c1d2e'],
  created_at: [timestamp(), sql`t.created_at`, '2026-11-21T08:15:30.123Z'],
});

/** What the description of every list and file of transactions says. */
export const TRANSACTION_RULES =
  'newest first. `amount` is negative for money that left; `balance` is the balance right after it.';

/** The filters of a list of transactions, and of its file. */
export const transactionFilters = {
  ...days,
  type: Type.Optional(oneOf(KINDS, { description: 'Only transactions of this `kind`.' })),
};

/** The filters as the handler gets them. */
interface TransactionFilters {
  from?: string;
  to?: string;
  type?: Posting['kind'];
}

/**
 * The transactions of the account `account` (a uuid), newest first. The account is compared as a
 * value, so that an index gives the order. Errors: 422 from_after_to.
 */
export const transactionsOf = (account: Sql, filters: TransactionFilters): ListParts => ({
  json: transaction.json,
  rows: sql`
    from ledger_transfer t
   where t.account_id = ${account}
     ${filters.type === undefined ? nothing : sql`and t.kind = ${filters.type}`}
     ${withinDays(sql`t.created_at`, filters)}`,
  order: [{ by: sql`t.version`, type: 'bigint' }],
  descending: true,
});
