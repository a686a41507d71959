import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Month } from './month.ts';
import { added, categoryOf, isOurs, record, within } from './record.ts';

/**
 * Where the ledger and a processor disagree about a month. Micro-USD, negative for what went back to
 * the card. `other_month`: the same is in both, but one has it in another month.
 */
export interface Difference {
  reason:
    | 'other_month'
    | 'missing_at_processor'
    | 'missing_in_ledger'
    | 'amount_differs'
    | 'other_currency';
  what: 'charge' | 'refund' | 'dispute';
  processor: string;
  /** As the charge names it; no row may know it. */
  topUpId: string | null;
  /** Its status, if there is such a row. */
  status: string | null;
  intentId: string;
  /** The processor's ids of what it has in any month. */
  ids: string[];
  inLedger: bigint;
  atProcessor: bigint;
}

/** More are counted, and not listed. */
const LISTED = 1_000;

/**
 * Compares what the ledger has of each top-up in a month with what its processor has, for charges,
 * refunds and disputes, each in total: the ledger follows totals, so that several refunds may be one
 * posting. Where they differ, all months are compared.
 *
 * Both sides end at `until`. The ledger follows a moment after the processor, by another clock, so
 * the two entries of one charge may stand on either side of any instant: what has an entry at or
 * after it, on whichever side, is left to a later report as a whole.
 */
export async function differencesOf(
  tx: Tx,
  month: Month,
  until: Date,
): Promise<{ differences: Difference[]; found: number }> {
  const rows = await tx.many<Omit<Difference, 'reason'> & Totals>(sql`
    with of_ledger as (
      select t.processor_id as intent_id, ${categoryOf} as category, sum(${added}) as amount,
             max(l.created_at) as newest
        from ledger_transfer l join top_up t on t.id = l.reference_id
       where ${categoryOf} is not null and ${within(sql`l.created_at`, month)}
       group by 1, 2),
    of_processor as (
      select r.intent_id, r.category, sum(r.amount) as amount, max(r.created_at) as newest,
             bool_or(r.currency <> 'usd') as foreign_currency
        from ${record} r
       where ${within(sql`r.created_at`, month)}
         and r.category in ('charge', 'refund', 'dispute') and ${isOurs}
       group by 1, 2),
    suspects as (
      select intent_id, category, coalesce(l.amount, 0)::bigint as in_ledger,
             coalesce(p.amount, 0)::bigint as at_processor
        from of_ledger l full join of_processor p using (intent_id, category)
       where (coalesce(l.amount, 0) <> coalesce(p.amount, 0) or p.foreign_currency)
         and greatest(l.newest, p.newest) < ${until}::timestamptz)
    select s.category as what, coalesce(t.processor, 'stripe') as processor,
           coalesce(t.id::text, every.top_up_id) as "topUpId", t.status,
           s.intent_id as "intentId", every.ids,
           s.in_ledger as "inLedger", s.at_processor as "atProcessor",
           posted.amount as posted, every.amount as recorded,
           every.foreign_currency, count(*) over () as found
      from suspects s
      left join top_up t on t.processor_id = s.intent_id
     cross join lateral (
       select coalesce(sum(${added}), 0)::bigint as amount from ledger_transfer l
        where l.reference_id = t.id and ${categoryOf} = s.category) posted
     cross join lateral (
       select coalesce(sum(r.amount) filter (where r.category = s.category), 0)::bigint as amount,
              coalesce(array_agg(r.id order by r.created_at, r.id)
                       filter (where r.category = s.category), '{}') as ids,
              coalesce(bool_or(r.currency <> 'usd'), false) as foreign_currency,
              max(r.top_up_id) as top_up_id
         from ${record} r where r.intent_id = s.intent_id) every
     order by s.intent_id, s.category limit ${LISTED}`);
  return {
    found: Number(rows[0]?.found ?? 0),
    differences: rows.map(({ posted, recorded, foreign_currency, found: _, ...row }) => ({
      reason: reasonOf({ posted, recorded, foreign_currency }, row.ids),
      ...row,
    })),
  };
}

interface Totals {
  posted: bigint;
  recorded: bigint;
  foreign_currency: boolean;
  found?: bigint;
}

function reasonOf(
  { posted, recorded, foreign_currency }: Totals,
  ids: readonly string[],
): Difference['reason'] {
  if (foreign_currency) return 'other_currency';
  if (posted === recorded) return 'other_month';
  if (ids.length === 0) return 'missing_at_processor';
  return posted === 0n ? 'missing_in_ledger' : 'amount_differs';
}
