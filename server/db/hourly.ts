import type { Database } from './database/database.ts';
import { sql } from './sql.ts';

/** Claims this hour's work of that name: of all processes that ask, exactly one gets true. */
export const claimHour = async (db: Pick<Database, 'many'>, name: string): Promise<boolean> => {
  const claimed = await db.many(sql`
    insert into hourly_work (name, next_at) values (${name}, now() + interval '1 hour')
    on conflict (name) do update set next_at = excluded.next_at where hourly_work.next_at <= now()
    returning name`);
  return claimed.length === 1;
};

/** Lets work of that name wait for as long as this, in milliseconds, if its hour is over earlier. */
export const postpone = (db: Pick<Database, 'many'>, name: string, milliseconds: number) =>
  db.many(sql`
    update hourly_work
       set next_at = greatest(next_at, now() + ${milliseconds}::float8 * interval '1 millisecond')
     where name = ${name}`);
