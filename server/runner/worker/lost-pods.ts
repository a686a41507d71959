import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { PodDriver, PodState } from '../../platform/pods/pod.ts';

interface Unknown {
  id: string;
  taskId: string;
  fence: bigint;
}

/** After so many answers in a row that a pod is gone, it is replaced. */
const ABSENCES = 2;
const BATCH = 20;

/**
 * Asks for the pods whose driver did not answer, each again after `every` milliseconds. The tasks
 * that wait for them go on: with the pod if it is there again, or with a new one if it is gone or
 * has failed. Returns how many pods are known again.
 */
export async function findLostPods(
  db: Database,
  driver: PodDriver,
  every: number,
): Promise<number> {
  const pods = await db.many<Unknown>(sql`
    with due as materialized (
      select p.id from pod p
       where p.state = 'unknown' and p.driver = ${driver.name}
         and (p.checked_at is null
              or p.checked_at < now() - ${every}::integer * interval '1 millisecond')
       order by p.checked_at nulls first limit ${BATCH}
         for no key update of p skip locked)
    update pod p set checked_at = now() from due, task t
     where p.id = due.id and t.id = p.task_id
    returning p.id, p.task_id as "taskId", t.fence`);
  const known = await Promise.all(
    pods.map(async (pod) => {
      const found = await driver.find(pod.id).catch(() => undefined);
      return found !== undefined && settle(db, pod, found.state, found.reason);
    }),
  );
  return known.filter(Boolean).length;
}

/**
 * Stores what the driver has answered, unless the task was claimed meanwhile: its worker asks for
 * itself. Returns whether it is known now what the pod is.
 */
async function settle(
  db: Database,
  { id, taskId, fence }: Unknown,
  state: PodState,
  reason: string | undefined,
): Promise<boolean> {
  if (state === 'unknown') return false;
  const is = state === 'creating' || state === 'destroying' ? 'unknown' : state;
  const rows = await db.many<{ state: string }>(sql`
    with held as materialized (
      select id from task where id = ${taskId} and fence = ${fence} for no key update),
    answered as (
      update pod p
         set absences = case when ${is} = 'absent' then p.absences + 1 else 0 end,
             state = case when ${is} = 'absent' and p.absences + 1 < ${ABSENCES}
                          then 'unknown' else ${is} end,
             reason = case when ${is} = 'failed' then ${(reason ?? 'The pod has failed.').slice(0, 500)} end,
             lost_at = case when p.filled_at is not null
                             and (${is} = 'failed'
                                  or ${is} = 'absent' and p.absences + 1 >= ${ABSENCES})
                            then now() end
        from held where p.id = ${id} and p.state = 'unknown'
      returning p.state),
    resumed as (
      update task t set status = 'queued', status_reason = null, updated_at = now()
        from held, answered
       where t.id = held.id and answered.state <> 'unknown'
         and t.status = 'paused' and t.status_reason = 'pod_lost')
    select state from answered where state <> 'unknown'`);
  return rows.length > 0;
}
