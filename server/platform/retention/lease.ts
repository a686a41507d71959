import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';

/**
 * What is old is looked for once an hour, by one of all processes. Whoever claims that has it until
 * its lease ends, which it renews; one that has died is followed by another.
 */
const LEASE = sql`interval '2 minutes'`;
/** What is claimed is never due or held as late as this, but where the clock was wrong. */
const FAR_AHEAD = sql`interval '2 hours'`;

/**
 * True if this hour's work is now that of `holder`. Times far ahead were written while the
 * clock was wrong: they count for nothing, or nothing would be removed until then.
 */
export async function claimRetention(db: Pick<Database, 'many'>, holder: string): Promise<boolean> {
  const claimed = await db.many(sql`
    update retention_work
       set held_by = ${holder}, held_until = now() + ${LEASE}, next_at = now() + interval '1 hour'
     where case when held_until is null then next_at <= now() or next_at > now() + ${FAR_AHEAD}
                else held_until < now() or held_until > now() + ${FAR_AHEAD} end
    returning held_by`);
  return claimed.length === 1;
}

/** False if another process has it by now. */
export async function renewRetention(db: Pick<Database, 'many'>, holder: string): Promise<boolean> {
  const renewed = await db.many(sql`
    update retention_work set held_until = now() + ${LEASE} where held_by = ${holder}
    returning held_by`);
  return renewed.length === 1;
}

/** `done` is false for work that was broken off: another process may go on at once. */
export const releaseRetention = (
  db: Pick<Database, 'many'>,
  holder: string,
  done: boolean,
): Promise<unknown> =>
  db.many(sql`
    update retention_work
       set held_by = null, held_until = null, next_at = case when ${done} then next_at else now() end
     where held_by = ${holder}`);
