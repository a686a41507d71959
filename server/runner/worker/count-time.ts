import { account, recordUsage } from '../../billing/index.ts';
import { type Database, DatabaseUnavailable, type Tx } from '../../db/database/database.ts';
import { LOCK_NOT_AVAILABLE, sqlState } from '../../db/database/errors.ts';
import { type Sql, sql } from '../../db/sql.ts';

/** How long something that runs is left alone after it was counted, in milliseconds. */
const COUNT_EVERY_MS = 60_000;
const BATCH = 200;

/** What is counted by the time in which it runs. */
interface Timed {
  /** Its table, with the columns `id`, `task_id`, `state`, `counted_until` and `uncounted_ms`. */
  table: Sql;
  kind: 'pod' | 'erp_instance';
  /** SQL: until when the one in the row `p` has run for certain, if it runs. */
  until: Sql;
  /** SQL: whether one is to be counted that was left alone for so many milliseconds. */
  isDue(every: number): Sql;
}

/**
 * Records as usage how long things of tasks have run since they were counted last, in whole
 * seconds; what is less stays for the next time. `pricePerHour` in micro-USD; what is free is
 * counted, too. Any number of processes may do so and be killed: the time of a thing is taken from
 * it in the transaction that records it. Returns how many were counted. Rejects when one stays locked,
 * once the others are counted.
 */
export async function countTime(
  db: Database,
  timed: Timed,
  pricePerHour: bigint,
  every: number = COUNT_EVERY_MS,
): Promise<number> {
  const due = await db.many<{ id: string }>(sql`
    select id from ${timed.table}
     where ${timed.isDue(every)}
     order by counted_until nulls first, id limit ${BATCH}`);
  let counted = 0;
  let locked: DatabaseUnavailable | undefined;
  for (const { id } of due)
    try {
      if (await db.transaction((tx) => countOne(tx, timed, id, pricePerHour))) counted += 1;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || sqlState(error.cause) !== LOCK_NOT_AVAILABLE)
        throw error;
      locked = error;
    }
  if (locked !== undefined) throw locked;
  return counted;
}

/**
 * Waits for whoever changes the thing, so that what has ended is counted before it is shown to have
 * ended. Of two processes that count the same thing, the second finds nothing left.
 */
async function countOne(
  tx: Tx,
  { table, kind, until }: Timed,
  id: string,
  pricePerHour: bigint,
): Promise<boolean> {
  const ran = await tx.maybeOne<{
    taskId: string;
    seconds: number;
    at: Date;
    accountId: string | null;
  }>(sql`
    with ran as materialized (
      select p.id, p.task_id, p.uncounted_ms
             + greatest(0, coalesce(extract(epoch from ${until} - p.counted_until), 0) * 1000)::bigint
               as ms,
             greatest(p.counted_until, ${until}) as until
        from ${table} p where p.id = ${id} for no key update),
    taken as (
      update ${table} p
         set uncounted_ms = ran.ms % 1000,
             counted_until = case when p.state = 'running' then ran.until end
        from ran where p.id = ran.id)
    select ran.task_id as "taskId", (ran.ms / 1000)::int as seconds, now() as at,
           (select a.id
              from task t
              join project p on p.id = t.project_id
             cross join lateral (${account}) a
             where t.id = ran.task_id) as "accountId"
      from ran`);
  // Where no one owns the project, no one pays.
  if (ran === undefined || ran.seconds === 0 || ran.accountId === null) return false;
  await recordUsage(tx, [
    {
      key: `${kind}:${id}:${ran.at.getTime()}`,
      accountId: ran.accountId,
      amount: costOf(ran.seconds, pricePerHour),
      kind,
      podSeconds: ran.seconds,
      reference: { type: 'task', id: ran.taskId },
      occurredAt: ran.at,
    },
  ]);
  return true;
}

/** Nano-USD, rounded up. */
const costOf = (seconds: number, pricePerHour: bigint): bigint =>
  (BigInt(seconds) * pricePerHour * 1_000n + 3_599n) / 3_600n;
