import type { Database } from './database/database.ts';
import { sql } from './sql.ts';

/** Nothing waits longer: a time further ahead was written while the clock was wrong. */
const LONGEST = sql`interval '1 day'`;

/**
 * Claims this hour's work of that name: of all processes that ask, exactly one gets true. What a wrong
 * clock has left counts for nothing, or the work would rest until then.
 */
export const claimHour = async (db: Pick<Database, 'many'>, name: string): Promise<boolean> => {
  const claimed = await db.many(sql`
    insert into hourly_work (name, next_at) values (${name}, now() + interval '1 hour')
    on conflict (name) do update set next_at = excluded.next_at
     where hourly_work.next_at <= now() or hourly_work.next_at > now() + ${LONGEST}
    returning name`);
  return claimed.length === 1;
};

/**
 * Lets work of that name wait for as long as this, in milliseconds and a day at most, if its hour is
 * over earlier.
 */
export const postpone = (db: Pick<Database, 'many'>, name: string, milliseconds: number) =>
  db.many(sql`
    update hourly_work
       set next_at = greatest(next_at, now() + least(
             ${milliseconds}::float8 * interval '1 millisecond', ${LONGEST}))
     where name = ${name}`);
