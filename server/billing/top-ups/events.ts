import type { Logger } from 'pino';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { cardSetups } from '../cards/card-setups.ts';
import type { Processor, ProcessorEvent } from '../cards/processor.ts';
import { synchronizeCard } from '../cards/synchronize-card.ts';
import { synchronize } from './movements.ts';
import { STUCK_AFTER } from './stuck-events.ts';

const BATCH = 20;

/**
 * Stores an event of any type. A second one with the same id changes nothing. True if it was new.
 */
export async function storeEvent(db: Database, event: ProcessorEvent): Promise<boolean> {
  const rows = await db.many(sql`
    insert into processor_event (id, type, intent_id, setup_id, token, created_at)
    values (${event.id}, ${event.type}, ${event.intentId ?? null}, ${event.setupId ?? null},
            ${event.token ?? null}, ${event.createdAt})
    on conflict do nothing returning id`);
  return rows.length > 0;
}

/**
 * Processes the events that are due, by fetching the objects they refer to; safe in any number of
 * processes. A failed event is logged and tried again, at growing intervals, without end. Returns
 * how many were processed.
 */
export async function processEvents(
  db: Database,
  processor: Processor,
  log?: Logger,
): Promise<number> {
  for (let done = 0; ; ) {
    const due = await takeDue(db);
    for (const { id, attempts, ...about } of due) {
      const error = await attempt(db, processor, about, log);
      if (error === undefined) done++;
      else
        log?.[attempts < STUCK_AFTER ? 'warn' : 'error'](
          { event: id, attempts, reason: error },
          'an event of the card processor could not be processed; trying again',
        );
      await db.many(
        error === undefined
          ? sql`update processor_event set processed_at = now(), last_error = null where id = ${id}`
          : sql`update processor_event set last_error = ${error} where id = ${id}`,
      );
    }
    if (due.length < BATCH) return done;
  }
}

// The next attempt is recorded before this one is made, so a process that dies here only causes a
// delay.
const takeDue = (db: Database) =>
  db.many<{ id: string; attempts: number } & About>(sql`
    with due as (
      select id from processor_event where processed_at is null and next_attempt_at <= now()
       order by next_attempt_at limit ${BATCH} for update skip locked)
    update processor_event e
       set attempts = attempts + 1,
           next_attempt_at = now() + least(interval '1 hour',
                                           interval '5 seconds' * 2 ^ least(attempts, 20))
      from due where due.id = e.id
    returning e.id, e.attempts, e.token,
              (select t.id from top_up t where t.processor_id = e.intent_id) as top_up_id,
              (select s.id from card_setup s where s.processor_id = e.setup_id) as setup_id`);

/** What an event is about; nothing, if that belongs to other software. */
interface About {
  /** An intent that is not recorded was never confirmed, so there is nothing to do. */
  top_up_id: string | null;
  setup_id: string | null;
  token: string | null;
}

const NOT_ASKED = 'the processor could not be asked';

async function attempt(
  db: Database,
  processor: Processor,
  { top_up_id, setup_id, token }: About,
  log: Logger | undefined,
): Promise<string | undefined> {
  try {
    if (setup_id !== null) await cardSetups(db, processor, log ? { log } : {}).settle(setup_id);
    if (token !== null && !(await synchronizeCard(db, processor.cards, token))) return NOT_ASKED;
    if (top_up_id === null) return undefined;
    const moved = await synchronize(db, processor, top_up_id);
    return moved === undefined ? NOT_ASKED : moved.unpostable;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 500) : 'failed';
  }
}

const OVERLAP = '1 hour';

/**
 * Fetches the events that no webhook delivered, starting shortly before the newest stored one;
 * dates in the future are ignored. Returns how many were new.
 */
export async function fetchMissedEvents(db: Database, processor: Processor): Promise<number> {
  const { since } = await db.one<{ since: Date }>(sql`
    select coalesce(max(created_at), now() - interval '30 days') - ${OVERLAP}::interval as since
      from processor_event where created_at <= now()`);
  let added = 0;
  for await (const event of processor.events(since)) if (await storeEvent(db, event)) added++;
  return added;
}
