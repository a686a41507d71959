import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { BalanceEntry, Processor } from '../cards/processor.ts';

/**
 * Stores the changes of the balance at Stripe that are not stored yet, day by day, the oldest first.
 * How far it came is stored after each day, so that a process that dies costs one day, which is
 * fetched again. The last hour before that is always fetched again, in case Stripe showed something
 * late. Any number of processes may fetch. Returns how many were new; throws if the processor cannot
 * be reached.
 */
export async function fetchBalance(db: Database, processor: Processor): Promise<number> {
  if (processor.balance === undefined) return 0;
  const until = await db.one<{ now: Date }>(sql`select now()`);
  for (let added = 0; ; ) {
    const next = await nextDay(db, until.now);
    if (next.from === null || next.from >= next.to) return added;
    const last = next.to >= until.now;
    // Up to now means all there is: the clock of Stripe may be ahead.
    for await (const entries of processor.balance(next.from, last ? undefined : next.to))
      added += await store(db, entries);
    await db.many(sql`
      insert into balance_fetch as f (fetched_until) values (${next.to})
      on conflict (only_one) do update
         set fetched_until = greatest(f.fetched_until, excluded.fetched_until)`);
    if (last) return added;
  }
}

// Nothing can have happened before the first charge. Whole seconds, because Stripe's are.
const nextDay = (db: Database, until: Date) =>
  db.one<{ from: Date | null; to: Date }>(sql`
    select begins as from, least(begins + interval '1 day', ${until}::timestamptz) as to
      from (select coalesce(
        (select fetched_until - interval '1 hour' from balance_fetch),
        (select date_trunc('second', min(created_at)) - interval '1 day'
           from top_up where processor = 'stripe')) as begins) next`);

async function store(db: Database, entries: readonly BalanceEntry[]): Promise<number> {
  const rows = entries.map(({ amount, fee, ...entry }) => ({
    ...entry,
    amount: amount.toString(),
    fee: fee.toString(),
  }));
  const stored = await db.many(sql`
    insert into balance_transaction
      (id, category, type, amount, fee, currency, source_id, intent_id, top_up_id, created_at)
    select id, category, type, amount, fee, currency, "sourceId", "intentId", "topUpId",
           "createdAt"
      from json_to_recordset(${JSON.stringify(rows)}::json)
        r(id text, category text, type text, amount bigint, fee bigint, currency text,
          "sourceId" text, "intentId" text, "topUpId" text, "createdAt" timestamptz)
     order by id
    on conflict (id) do nothing returning id`);
  return stored.length;
}
