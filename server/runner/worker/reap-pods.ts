import type { Logger } from 'pino';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { type PodDriver, PodError } from '../../platform/pods/pod.ts';
import { type ClaimedPod, claimPod, releasePod, whileClaimed } from './claim-pod.ts';
import type { WorkTrees } from './work-tree.ts';

/** Pods that are no longer needed are destroyed, after what they have is committed. */
interface ReapPlace {
  driver: PodDriver;
  trees: WorkTrees;
  log: Logger;
  /** Aborted once no more may be begun. */
  stopping?: AbortSignal | undefined;
}

const BATCH = 20;

/** A cancelled task keeps its pod for a while, because people often go on with it. */
const CANCELLED_FOR = '10 minutes';

/**
 * SQL: whether the pod `p` of the task `t` is not needed any more. One that does not answer is left
 * alone until it does.
 */
const over = sql`
  p.state in ('creating', 'running', 'paused')
  and (t.archived_at is not null
       or t.status = 'cancelled' and t.updated_at < now() - ${CANCELLED_FOR}::interval
       or p.expires_at < now())`;

/**
 * Ends the pods that are no longer needed: those of archived and cancelled tasks, and those that
 * were not used for a while. Never one whose task has a turn at work. Returns how many.
 */
export async function endPods(db: Database, place: ReapPlace): Promise<number> {
  const due = await db.many<{ taskId: string }>(sql`
    select p.task_id as "taskId"
      from pod p join task t on t.id = p.task_id
     where p.driver = ${place.driver.name} and ${over}
       and (p.held_until is null or p.held_until < now())
       and not exists (select from task_turn u
                        where u.task_id = t.id and u.state in ('running', 'waiting'))
     order by p.expires_at nulls last limit ${BATCH}`);
  let ended = 0;
  for (const { taskId } of due) {
    const claimed = await claimPod(db, { taskId, due: over });
    if (typeof claimed === 'string') continue;
    if (!(await saved(db, place, claimed))) {
      await releasePod(db, claimed, sql`expires_at = now() + interval '5 minutes'`);
      continue;
    }
    await releasePod(db, claimed, sql`state = 'destroying', checked_at = null`);
    ended += 1;
  }
  return ended;
}

/**
 * Commits what a turn that failed or was cancelled has left, so that the next pod of the task
 * begins with it. False if that cannot be done now.
 */
async function saved(
  db: Database,
  { driver, trees, log, stopping }: ReapPlace,
  claimed: ClaimedPod,
): Promise<boolean> {
  const { id, taskId, projectId, filled } = claimed;
  const { built } = await db.one<{ built: boolean }>(sql`
    select exists (select from task_turn
                    where task_id = ${taskId} and mode = 'build') as built`);
  if (!filled || !built) return true;
  try {
    const pod = await driver.attach(id);
    const said = (text: string) => log.warn({ task: taskId, pod: id }, text);
    await whileClaimed(db, claimed, stopping, (signal) =>
      trees.commit(pod, { projectId, taskId }, 'Work that was not finished', {
        signal,
        onLeftOut: said,
        onMerge: said,
      }),
    );
    return true;
  } catch (error) {
    // Nothing is left that could be saved.
    if (error instanceof PodError && error.code === 'absent') return true;
    // Whatever it is, the pods of others go on. A database that is lost fails the release as well.
    log.warn({ err: error, task: taskId, pod: id }, 'the work in a pod could not be saved');
    return false;
  }
}

/** Removes what is left of pods that were given up. Returns how many. */
export async function destroyEnded(db: Database, { driver, log }: ReapPlace): Promise<number> {
  const pods = await db.many<{ id: string }>(sql`
    with due as materialized (
      select id from pod
       where state in ('destroying', 'failed') and driver = ${driver.name}
         and (checked_at is null or checked_at < now() - interval '1 minute')
       order by checked_at nulls first limit ${BATCH} for no key update skip locked)
    update pod p set checked_at = now() from due where p.id = due.id
    returning p.id`);
  let destroyed = 0;
  for (const { id } of pods) {
    try {
      await driver.destroy(id);
    } catch (err) {
      log.warn({ err, pod: id }, 'a pod could not be destroyed; trying again');
      continue;
    }
    await db.many(sql`
      update pod set state = 'absent'
       where id = ${id} and state in ('destroying', 'failed')`);
    destroyed += 1;
  }
  return destroyed;
}

/**
 * Destroys pods that the driver has and no task, check or deploy: those of deleted tasks, those that
 * were given up and were there after all, and those of checks and deploys whose worker has died. Only
 * what this process has seen so for `after` milliseconds.
 */
export function orphanReaper(
  db: Database,
  { driver, log }: Pick<ReapPlace, 'driver' | 'log'>,
  after: number,
) {
  let seen = new Map<string, number>();
  return async (): Promise<number> => {
    const there = (await driver.list()).map(({ id }) => id);
    const known = await db.many<{ id: string }>(sql`
      select id from pod where id = any(${there}::uuid[]) and state <> 'absent'
       union all
      select pod_id from check_suite where pod_id = any(${there}::uuid[])
       union all
      select pod_id from deploy where pod_id = any(${there}::uuid[]) and state = 'running'`);
    const wanted = new Set(known.map(({ id }) => id));
    const orphans = there.filter((id) => !wanted.has(id));
    const now = performance.now();
    seen = new Map(orphans.map((id) => [id, seen.get(id) ?? now]));
    let destroyed = 0;
    for (const [id, since] of seen) {
      if (since === now || now - since < after) continue;
      await driver.destroy(id).then(
        () => {
          destroyed += 1;
          seen.delete(id);
        },
        (err) => log.warn({ err, pod: id }, 'a pod could not be destroyed; trying again'),
      );
    }
    return destroyed;
  };
}
