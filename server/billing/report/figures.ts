import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Posting } from '../ledger/ledger.ts';
import type { Month } from './month.ts';
import { added, isOurs, record, within } from './record.ts';

/** The postings of a kind in the month. Micro-USD. */
export interface Movement {
  kind: Posting['kind'];
  count: bigint;
  credited: bigint;
  debited: bigint;
}

export const movementsOf = (tx: Tx, month: Month): Promise<Movement[]> =>
  tx.many<Movement>(sql`
    select l.kind, count(*) as count,
           coalesce(sum(l.amount) filter (where ${added} > 0), 0)::bigint as credited,
           coalesce(sum(l.amount) filter (where ${added} < 0), 0)::bigint as debited
      from ledger_transfer l where ${within(sql`l.created_at`, month)}
     group by l.kind order by l.kind`);

/**
 * What all customers own together, and owe, before the month and after it. Micro-USD. `broken`:
 * accounts whose postings do not lead from the one to the other.
 */
export interface Liabilities {
  opening: bigint;
  opening_debts: bigint;
  closing: bigint;
  closing_debts: bigint;
  broken: bigint;
}

// The opening balance is the sum of all postings before, and the closing one what the account says
// today without all postings since: two independent sources.
export const liabilitiesOf = (tx: Tx, month: Month): Promise<Liabilities> =>
  tx.one<Liabilities>(sql`
    with moved as (
      select l.account_id as id,
             coalesce(sum(${added}) filter (where l.created_at < ${month.from}::timestamptz), 0)
               as before,
             coalesce(sum(${added}) filter (where ${within(sql`l.created_at`, month)}), 0) as during,
             coalesce(sum(${added}) filter (where l.created_at >= ${month.to}::timestamptz), 0)
               as since
        from ledger_transfer l group by l.account_id),
    state as (
      select coalesce(m.before, 0) as opening, coalesce(m.during, 0) as during,
             a.balance - coalesce(m.since, 0) as closing
        from billing_account a left join moved m using (id) where a.kind <> 'system')
    select coalesce(sum(greatest(opening, 0)), 0)::bigint as opening,
           coalesce(sum(greatest(-opening, 0)), 0)::bigint as opening_debts,
           coalesce(sum(greatest(closing, 0)), 0)::bigint as closing,
           coalesce(sum(greatest(-closing, 0)), 0)::bigint as closing_debts,
           count(*) filter (where opening + during <> closing) as broken
      from state`);

/** The usage of a kind that was charged in the month, in nano-USD. */
export const revenueOf = (tx: Tx, month: Month): Promise<{ kind: string; nano: bigint }[]> =>
  tx.many(sql`
    select e.kind, sum(e.amount)::bigint as nano
      from ledger_transfer l
      join usage_event e on e.settlement_id = l.reference_id
     where l.kind = 'usage' and l.reference_type = 'usage_settlement'
       and ${within(sql`l.created_at`, month)}
     group by e.kind order by e.kind`);

/** The tax in the documents of the month. Micro-USD. */
export interface Tax {
  documents: bigint;
  invoiced: bigint;
  credited: bigint;
}

export const taxOf = (tx: Tx, month: Month): Promise<Tax> =>
  tx.one<Tax>(sql`
    select count(*) as documents,
           coalesce(sum(tax) filter (where kind <> 'credit_note'), 0)::bigint as invoiced,
           coalesce(sum(tax) filter (where kind = 'credit_note'), 0)::bigint as credited
      from invoice where ${within(sql`issued_at`, month)}`);

/** What a processor moved in the month, by its own record. Micro-USD. */
export interface Moved {
  processor: 'stripe' | 'sandbox';
  category: 'charge' | 'refund' | 'dispute' | 'fee';
  count: bigint;
  amount: bigint;
  fee: bigint;
}

/** Without payouts, and without what other software did with the same account. */
export const movedOf = (tx: Tx, month: Month): Promise<Moved[]> =>
  tx.many<Moved>(sql`
    select r.processor, r.category, count(*) as count, sum(r.amount)::bigint as amount,
           sum(r.fee)::bigint as fee
      from ${record} r
     where ${within(sql`r.created_at`, month)} and r.currency = 'usd'
       and (r.category = 'fee' or (r.category <> 'other' and ${isOurs}))
     group by r.processor, r.category order by r.processor desc, r.category`);
