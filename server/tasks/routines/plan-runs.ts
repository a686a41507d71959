import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { nextTime } from './schedule.ts';

/** Routines that one poll makes runs of. */
const MOST = 50;

interface Due {
  id: string;
  schedule: string;
  time_zone: string;
  next_at: Date;
  now: Date;
}

/**
 * Makes a run of each routine that is due. One that was missed, however often, has one run, and the
 * next time is after now. Any number of processes may do so: a run has the time as its key. Returns
 * how many were due.
 */
export async function planRuns(db: Pick<Database, 'transaction'>): Promise<number> {
  for (let planned = 0; planned < MOST; planned++) {
    const due = await db.transaction(async (tx) => {
      const routine = await tx.maybeOne<Due>(sql`
        select id, schedule, time_zone, next_at, now() as now from routine
         where enabled and next_at <= now()
         order by next_at limit 1 for update skip locked`);
      if (routine === undefined) return false;
      const { id, schedule, time_zone, next_at, now } = routine;
      await tx.many(sql`
        with next as (
          update routine set next_at = ${nextTime(schedule, time_zone, now) ?? null} where id = ${id})
        insert into routine_run (routine_id, key, started_by, scheduled_for)
        values (${id}, ${`schedule:${next_at.toISOString()}`}, 'schedule', ${next_at})
        on conflict on constraint routine_run_once do nothing`);
      return true;
    });
    if (!due) return planned;
  }
  return MOST;
}
