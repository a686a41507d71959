import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { PodDriver } from '../../platform/pods/pod.ts';
import { countTime } from './count-time.ts';

const BATCH = 200;

/** `counted_until` of one that runs is when it was last seen; what was before is `uncounted_ms`. */
const PODS = {
  table: sql`pod`,
  kind: 'pod' as const,
  until: sql`p.counted_until`,
  isDue: (every: number) => sql`
    uncounted_ms >= 1000 and (counted_until is null or uncounted_ms >= ${every}::integer)`,
};

/** Records how long pods have run since they were counted last. As `countTime`. */
export const countPods = (db: Database, pricePerHour: bigint, every?: number): Promise<number> =>
  countTime(db, PODS, pricePerHour, every);

/**
 * Looks which pods run, of those that were not seen for `every` milliseconds, and adds to their time
 * what has passed since, 30 seconds at most: the time in which no worker looked is no one's. A pod
 * whose driver does not answer, or says that nothing runs, was not seen. One that rests although no
 * worker has let it, because the process that it was started by has ended, is stored as it is, and
 * the time since it was last seen is no one's. Returns how many were seen to run.
 */
export async function seePods(
  db: Database,
  driver: Pick<PodDriver, 'name' | 'find'>,
  every: number,
): Promise<number> {
  const pods = await db.many<Seen>(sql`
    select id, started_at::text as "startedAt" from pod
     where state = 'running' and driver = ${driver.name}
       and counted_until <= now() - ${every}::integer * interval '1 millisecond'
     order by counted_until limit ${BATCH}`);
  const found = await Promise.all(
    pods.map(({ id }) => driver.find(id).catch(() => ({ id, state: 'unknown' }))),
  );
  const resting = new Set(found.filter(({ state }) => state === 'paused').map(({ id }) => id));
  for (const pod of pods) if (resting.has(pod.id)) await storeRest(db, pod);
  const running = found.filter(({ state }) => state === 'running').map(({ id }) => id);
  if (running.length === 0) return 0;
  const seen = await db.many(sql`
    with running as materialized (
      select id from pod where id = any(${running}::uuid[]) and state = 'running'
       order by id for no key update)
    update pod p
       set uncounted_ms = p.uncounted_ms + pod_time_since(p.counted_until),
           -- Another process may have seen it since this statement began.
           counted_until = greatest(p.counted_until, now())
      from running where p.id = running.id
    returning p.id`);
  return seen.length;
}

interface Seen {
  id: string;
  /** As text: a Date has no microseconds, and would equal none. */
  startedAt: string | null;
}

/** Unless a turn uses it, or someone has started it since it was looked at. */
const storeRest = (db: Database, { id, startedAt }: Seen): Promise<void> =>
  db.transaction(async (tx) => {
    const rests = await tx.maybeOne(sql`
      update pod p set counted_until = now()
       where p.id = ${id} and p.state = 'running' and p.started_at is not distinct from ${startedAt}::timestamptz
         and (p.held_until is null or p.held_until < now())
         and not exists (select from task_turn u
                          where u.task_id = p.task_id and u.state in ('running', 'waiting'))
      returning p.id`);
    // A statement of its own: the change of state counts the time since `counted_until`.
    if (rests !== undefined) await tx.many(sql`update pod set state = 'paused' where id = ${id}`);
  });
