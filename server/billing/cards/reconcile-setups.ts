import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { CardSetups } from './card-setups.ts';

const BATCH = 20;

/** After this, an attempt to save a card that was not completed is ended. */
const ABANDONED_AFTER = '24 hours';

/**
 * Looks at the attempts to save a card that are due, for people who closed the page before it
 * reported back, where no event arrives. Each is looked at one minute after it was begun, then when
 * its age has doubled. Any number of processes may do so. Returns how many ended.
 */
export async function reconcileSetups(db: Database, setups: CardSetups): Promise<number> {
  for (let ended = 0; ; ) {
    const due = await db.many<{ id: string; last: boolean }>(sql`
      with due as (
        select id from card_setup
         where status = 'open' and processor = ${setups.processor} and next_check_at <= now()
         order by next_check_at limit ${BATCH} for update skip locked)
      update card_setup s
         set next_check_at = now() + least(greatest(now() - s.created_at, interval '1 minute'),
                                           interval '1 hour')
        from due where due.id = s.id
      returning s.id, s.created_at + ${ABANDONED_AFTER}::interval <= now() as last`);
    for (const { id, last } of due) {
      const { status } = await (last ? setups.abandon(id) : setups.settle(id));
      if (status !== 'open') ended++;
    }
    if (due.length < BATCH) return ended;
  }
}
