import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';

/**
 * Deletes runs that ended more than 90 days ago, and all but the last 500 of each routine; but none
 * that has begun within the hour, which its limit counts.
 */
export const purgeRuns = (db: Pick<Database, 'many'>): Promise<unknown> =>
  db.many(sql`
    delete from routine_run
     where id = any(array(
       select id from (
         select id, state, created_at, begun_at,
                row_number() over (partition by routine_id order by created_at desc, id desc) as place
           from routine_run) run
        where state in ('done', 'skipped', 'failed')
          and (begun_at is null or begun_at < now() - interval '1 hour')
          and (place > 500 or created_at < now() - interval '90 days')
        limit 10000))`);
