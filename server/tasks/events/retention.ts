import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { OpenedEventLog } from './open-event-log.ts';

/** Tasks that are looked at with one statement each in the log and in the core. */
const PAGE = 500;

/**
 * Deletes the events of tasks that are older than seven days and whose last turn, if they had one,
 * ended more than seven days ago, and of tasks that no longer exist. The conversation stays: it is
 * in the core. Events that are appended meanwhile stay, too, because only what the search saw is
 * deleted.
 */
export async function purgeEvents(
  db: Pick<Database, 'many'>,
  log: Pick<OpenedEventLog, 'kept' | 'forget' | 'remove'>,
): Promise<void> {
  for await (const page of log.kept(PAGE)) {
    const states = await statesOf(
      db,
      page.map(({ taskId }) => taskId),
    );
    const old = page.filter(({ taskId }) => states.get(taskId) !== 'kept');
    if (old.length > 0) await log.forget(old);
    const gone = old.map(({ taskId }) => taskId).filter((taskId) => !states.has(taskId));
    if (gone.length > 0) await log.remove(gone);
  }
}

/** No entry for a task that does not exist. */
async function statesOf(
  db: Pick<Database, 'many'>,
  taskIds: string[],
): Promise<Map<string, 'kept' | 'old'>> {
  const rows = await db.many<{ id: string; old: boolean }>(sql`
    select t.id,
           t.created_at < now() - interval '7 days'
             and not exists (select from task_turn r
                              where r.task_id = t.id
                                and (r.ended_at is null or r.ended_at > now() - interval '7 days'))
             as old
      from task t where t.id = any(${taskIds}::uuid[])`);
  return new Map(rows.map(({ id, old }) => [id, old ? 'old' : 'kept']));
}
