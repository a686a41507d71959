import type { Database } from '../../db/database/database.ts';
import type { RetentionRule } from '../../db/retention-rule.ts';
import { sql } from '../../db/sql.ts';
import type { OpenedEventLog } from './open-event-log.ts';

/** Tasks that are looked at with one statement each in the log and in the core. */
const PAGE = 500;

type Kept = { taskId: string; firstSeq: number; lastSeq: number };

/**
 * The events of tasks that are older than that and whose last turn, if they had one, ended longer
 * ago, and of tasks that no longer exist. The conversation stays: it is in the core. Events that are
 * appended meanwhile stay, too, because only what the search saw is deleted.
 */
export const oldEvents = (
  log: Pick<OpenedEventLog, 'kept' | 'forget' | 'remove'>,
  days: number,
): RetentionRule => ({
  name: 'events of tasks',
  setting: 'RETENTION_EVENTS_DAYS',
  days,
  due: async (db) => {
    let events = 0;
    for await (const { old } of pagesOf(db, log, days)) events += countOf(old);
    return events;
  },
  remove: async (db) => {
    let events = 0;
    for await (const { old, gone } of pagesOf(db, log, days)) {
      if (old.length > 0) await log.forget(old);
      if (gone.length > 0) await log.remove(gone);
      events += countOf(old);
    }
    return events;
  },
});

const countOf = (tasks: readonly Kept[]) =>
  tasks.reduce((events, { firstSeq, lastSeq }) => events + lastSeq - firstSeq + 1, 0);

/** Pages through the log: of each, the tasks whose events are old, and of these those that are gone. */
async function* pagesOf(
  db: Pick<Database, 'many'>,
  log: Pick<OpenedEventLog, 'kept'>,
  days: number,
): AsyncGenerator<{ old: Kept[]; gone: string[] }, void> {
  for await (const page of log.kept(PAGE)) {
    const states = await statesOf(
      db,
      page.map(({ taskId }) => taskId),
      days,
    );
    const old = page.filter(({ taskId }) => states.get(taskId) !== 'kept');
    yield { old, gone: old.map(({ taskId }) => taskId).filter((taskId) => !states.has(taskId)) };
  }
}

/** No entry for a task that does not exist. */
async function statesOf(
  db: Pick<Database, 'many'>,
  taskIds: string[],
  days: number,
): Promise<Map<string, 'kept' | 'old'>> {
  const rows = await db.many<{ id: string; old: boolean }>(sql`
    select t.id,
           t.created_at < now() - make_interval(days => ${days}::int)
             and not exists (
               select from task_turn r
                where r.task_id = t.id
                  and (r.ended_at is null
                       or r.ended_at > now() - make_interval(days => ${days}::int)))
             as old
      from task t where t.id = any(${taskIds}::uuid[])`);
  return new Map(rows.map(({ id, old }) => [id, old ? 'old' : 'kept']));
}
