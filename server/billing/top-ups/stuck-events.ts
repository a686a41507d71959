import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';

/** From this attempt on, a person should look at the event. */
export const STUCK_AFTER = 5;

const SHOWN = 20;

/**
 * The processor's events that have failed that often; `ids` are the oldest of them. `last_error` of
 * the row says why.
 */
export async function stuckEvents(
  db: Pick<Database, 'many'>,
): Promise<{ count: number; ids: string[] }> {
  const rows = await db.many<{ id: string; count: bigint }>(sql`
    select id, count(*) over () as count from processor_event
     where processed_at is null and last_error is not null and attempts >= ${STUCK_AFTER}
     order by received_at, id limit ${SHOWN}`);
  return { count: Number(rows[0]?.count ?? 0), ids: rows.map(({ id }) => id) };
}
