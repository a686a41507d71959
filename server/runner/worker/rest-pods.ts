import { account, isSpent, limits } from '../../billing/index.ts';
import type { Database } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { eachOf } from '../../platform/each-of.ts';
import { type PodDriver, PodError } from '../../platform/pods/pod.ts';
import { claimPod, releasePod } from './claim-pod.ts';
import { expiry } from './pods.ts';

/** What resting pods needs. */
interface RestPlace {
  driver: PodDriver;
  /** How long a pod is kept that no turn uses, in milliseconds. */
  podIdle: number;
  /** Of an hour in which a pod runs, in micro-USD. */
  podPrice: bigint;
}

const BATCH = 20;

/** SQL: no one pays for the time of a pod of the task `t`. */
const unpaid: Sql = sql`
  exists (
    select from project p
     where p.id = t.project_id and not exists (
       select from (${account}) a
        where a.status = 'active' and a.balance > 0
          and not exists (
            select from spend_limit l
             where l.account_id = a.id and ${isSpent}
               and ${limits({
                 project: sql`p.id`,
                 task: sql`t.id`,
                 person: sql`t.created_by_user_id`,
               })})))`;

/** SQL: whether the pod `p` of the task `t` rests, unless a turn uses it. */
const isToRest = (podPrice: bigint): Sql => sql`
  p.state = 'running' and (p.expires_at is null or ${podPrice > 0n} and ${unpaid})`;

/**
 * Lets pods rest that run although no turn uses them: those that no one has started for longer,
 * whose turn has ended without a worker that could let them rest; and, where pods have a price,
 * those that no one pays. Returns how many. One that fails keeps no other one awake.
 */
export async function restPods(
  db: Database,
  { driver, podIdle, podPrice }: RestPlace,
): Promise<number> {
  const due = await db.many<{ taskId: string }>(sql`
    select t.id as "taskId"
      from pod p join task t on t.id = p.task_id
     where p.counted_until is not null and p.driver = ${driver.name}
       and (p.held_until is null or p.held_until < now())
       and ${isToRest(podPrice)}
       and not exists (select from task_turn u
                        where u.task_id = t.id and u.state in ('running', 'waiting'))
     order by p.counted_until limit ${BATCH}`);
  let rested = 0;
  const rest = async (taskId: string) => {
    // Not one that someone has started, or paid for, while others were let rest.
    const claimed = await claimPod(db, { taskId, due: isToRest(podPrice) });
    if (typeof claimed === 'string') return;
    const state = await driver.pause(claimed.id).then(
      (found) => found.state,
      (error) => {
        if (error instanceof PodError) return 'unknown';
        throw error;
      },
    );
    if (state === 'paused') {
      await releasePod(db, claimed, sql`state = 'paused', expires_at = ${expiry(podIdle)}`);
      rested += 1;
    }
    // Whether it is gone is asked again until that is certain.
    else await releasePod(db, claimed, sql`state = 'unknown', absences = 0, checked_at = null`);
  };
  await eachOf(
    due.map(
      ({ taskId }) =>
        () =>
          rest(taskId),
    ),
  );
  return rested;
}
