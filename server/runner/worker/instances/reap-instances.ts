import type { Logger } from 'pino';
import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import type { InstanceDriver } from '../../../erp/index.ts';

/** Instances that are no longer needed are ended. Any worker may do so. */

const BATCH = 20;

/** A cancelled task keeps its instance for a while, because people often go on with it. */
const CANCELLED_FOR = '10 minutes';

const isUsed = sql`
  exists (select from task_turn u where u.task_id = i.task_id and u.state in ('running', 'waiting'))`;

/** Those of tasks at work are kept longer. `idle`: milliseconds. */
export const keepUsed = (db: Database, idle: number) =>
  db.many(sql`
    update erp_instance i set expires_at = now() + ${idle}::bigint * interval '1 millisecond'
     where i.state in ('starting', 'running') and ${isUsed}
       and i.expires_at < now() + ${idle}::bigint * interval '1 millisecond' - least(
             interval '1 minute', ${idle}::bigint * interval '0.5 milliseconds')
    returning i.id`);

/** Asks for those to be removed that were not used for a while, and those of tasks that are over. */
export const endUnused = (db: Database) =>
  db.many(sql`
    update erp_instance i set state = 'stopping', not_before = now(), attempt = 0
      from task t
     where i.state in ('starting', 'running') and t.id = i.task_id
       and (i.expires_at < now() and not ${isUsed}
            or t.archived_at is not null
            or t.status = 'cancelled' and t.updated_at < now() - ${CANCELLED_FOR}::interval)
    returning i.id`);

/** Removes what is left of those that have failed. Returns how many. */
export async function clearFailed(
  db: Database,
  { driver, log }: { driver: InstanceDriver; log: Logger },
): Promise<number> {
  const failed = await db.many<{ id: string }>(sql`
    with due as materialized (
      select id from erp_instance
       where state = 'failed' and cleared_at is null and driver = ${driver.name}
         and not_before <= now()
       order by not_before limit ${BATCH} for no key update skip locked)
    update erp_instance i set not_before = now() + interval '2 minutes'
      from due where i.id = due.id
    returning i.id`);
  let cleared = 0;
  for (const { id } of failed) {
    try {
      await driver.destroy(id);
    } catch (err) {
      log.warn({ err, instance: id }, 'an ERP instance could not be removed; trying again');
      continue;
    }
    await db.many(sql`
      update erp_instance set cleared_at = now()
       where id = ${id} and state = 'failed' and cleared_at is null`);
    cleared += 1;
  }
  return cleared;
}

/**
 * What runs without a row and has never had a beat: tests that an agent runs by a worker of an earlier
 * release end after half an hour.
 */
const RUNS_MS = 40 * 60_000;

interface Orphans {
  driver: InstanceDriver;
  log: Logger;
  /** The time in milliseconds, by a clock that never goes back. */
  now?: () => number;
}

/**
 * Removes instances that the driver has and no task: those of deleted tasks, and what a worker has
 * left that was killed. Only what this process has seen so for `after` milliseconds, in which nobody
 * has given a sign of life there, and much longer where something runs that gives none. The row of an
 * instance is there before anything else of it, whoever keeps it; tests that are run for
 * an agent have none, and their worker may be one whose processes are not seen here.
 */
export function orphanReaper(
  db: Database,
  { driver, log, now = () => performance.now() }: Orphans,
  after: number,
) {
  let seen = new Map<string, { since: number; beat: number | undefined }>();
  return async (): Promise<number> => {
    const listed = new Map((await driver.list()).map((one) => [one.id, one]));
    const there = [...listed.keys()];
    const known = await db.many<{ id: string }>(sql`
      select id from erp_instance
       where id = any(${there}::uuid[]) and cleared_at is null
      union all
      select id from odoo_dump where id = any(${there}::uuid[]) and state <> 'failed'
      union all
      -- Where tests are run.
      select pod_id from check_suite
       where pod_id = any(${there}::uuid[]) and state = 'running'`);
    const wanted = new Set(known.map(({ id }) => id));
    const time = now();
    const before = seen;
    seen = new Map();
    for (const [id, { beat }] of listed) {
      if (wanted.has(id)) continue;
      const last = before.get(id);
      seen.set(id, last !== undefined && last.beat === beat ? last : { since: time, beat });
    }
    let removed = 0;
    for (const [id, { since, beat }] of seen) {
      const runs = beat === undefined && listed.get(id)?.state === 'running';
      if (time - since < after + (runs ? RUNS_MS : 0)) continue;
      await driver.destroy(id).then(
        () => {
          removed += 1;
          seen.delete(id);
        },
        (err) =>
          log.warn({ err, instance: id }, 'an ERP instance could not be removed; trying again'),
      );
    }
    return removed;
  };
}
