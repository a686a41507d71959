import { type Sql, sql } from '../../db/sql.ts';
import type { Month } from './month.ts';

/**
 * SQL: what the processors say that they moved, `r`: that of Stripe as it was fetched, and the
 * sandbox's own memory, which knows no fees, no disputes, and of older refunds no time.
 */
export const record: Sql = sql`(
  select 'stripe' as processor, id, category, amount, fee, currency, intent_id, top_up_id, created_at
    from balance_transaction
  union all
  select 'sandbox', id, 'charge', amount, 0, 'usd', id, null, created_at
    from sandbox_intent where status = 'succeeded'
  union all
  select 'sandbox', idempotency_key, 'refund', -amount, 0, 'usd', intent_id, null, created_at
    from sandbox_refund)`;

/**
 * SQL: whether an entry `r` of the record concerns a top-up. Other software may use the same account
 * at Stripe. A charge that names a top-up counts even if no row knows it.
 */
export const isOurs: Sql = sql`
  (exists (select from top_up o where o.processor_id = r.intent_id)
   or exists (select from balance_transaction c
               where c.intent_id = r.intent_id and c.top_up_id is not null))`;

/** SQL: whether a time is in the month. */
export const within = (time: Sql, { from, to }: Month): Sql =>
  sql`(${time} >= ${from}::timestamptz and ${time} < ${to}::timestamptz)`;

/** SQL: what a posting `l` adds to the balance of its customer. */
export const added: Sql = sql`
  (case when l.account_id = l.credit_account_id then l.amount else -l.amount end)`;

/** SQL: what the processor calls a posting `l` about a top-up; null for other postings. */
export const categoryOf: Sql = sql`
  (case when l.kind = 'top_up' then 'charge'
        when l.kind in ('refund', 'refund_reversal') then 'refund'
        when l.kind in ('dispute', 'dispute_reversal') then 'dispute' end)`;
