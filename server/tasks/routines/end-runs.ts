import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { RESTING } from '../shown-status.ts';
import { countFailure } from './count-failure.ts';

/** Runs that one poll ends. */
const MOST = 100;

/**
 * Ends the runs whose task has come to rest for the first time, or is gone. Three that have failed in
 * a row pause their routine. Any number of processes may do so. Returns how many have ended.
 */
export async function endRuns(db: Pick<Database, 'transaction'>): Promise<number> {
  for (let ended = 0; ended < MOST; ended++) {
    const one = await db.transaction(async (tx) => {
      const run = await tx.maybeOne<{ id: string; routine_id: string; failed: boolean }>(rested);
      if (run === undefined) return false;
      const { id, routine_id, failed } = run;
      await tx.many(sql`
        update routine_run
           set state = ${failed ? 'failed' : 'done'}, ended_at = now(),
               reason = ${failed ? 'task_failed' : null}
         where id = ${id}`);
      if (failed) await countFailure(tx, routine_id);
      else
        await tx.many(sql`
          update routine set failures = 0 where id = ${routine_id} and failures > 0`);
      return true;
    });
    if (!one) return ended;
  }
  return MOST;
}

// An approved plan that no worker has taken yet goes on by itself.
const rested = sql`
  select run.id, run.routine_id, coalesce(t.status = 'failed', false) as failed
    from routine_run run
    join routine r on r.id = run.routine_id
    left join task t on t.id = run.task_id
   where run.state = 'begun'
     and (t.id is null
          or t.status = any(${RESTING}::text[])
             and not exists (select from waiting_start s where s.task_id = t.id))
   order by run.created_at limit 1
     for update of run, r skip locked`;
