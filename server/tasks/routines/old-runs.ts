import { type RetentionRule, retentionRule } from '../../db/retention-rule.ts';
import { sql } from '../../db/sql.ts';

/**
 * Runs that ended long ago, and all but the last 500 of each routine; but none that has begun within
 * the hour, which its limit counts.
 */
export const oldRuns = (days: number): RetentionRule =>
  retentionRule({
    name: 'runs of routines',
    setting: 'RETENTION_ROUTINE_RUNS_DAYS',
    days,
    which: (before) => sql`
      select id from (
        select id, state, created_at, begun_at,
               row_number() over (partition by routine_id order by created_at desc, id desc) as place
          from routine_run) run
       where state in ('done', 'skipped', 'failed')
         and (begun_at is null or begun_at < now() - interval '1 hour')
         and (place > 500 or created_at < ${before})`,
    remove: (due) => sql`delete from routine_run where id = ${due} returning id`,
  });
