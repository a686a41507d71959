import type { Logger } from 'pino';
import { beginChecks } from '../../../code/index.ts';
import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';

/** Pull requests that are checked at once. */
const BATCH = 50;

/**
 * Reads the branches of those open pull requests of the local host that were not read for
 * longest, and begins the checks of those that have moved: a process that was killed may not have
 * done so. Those on GitHub have an address, and their `looked_at` says when GitHub was asked.
 */
export async function checkHeads(
  db: Database,
  { directory, log, signal }: { directory: string; log: Logger; signal: AbortSignal },
): Promise<void> {
  const due = await db.many<{ taskId: string }>(sql`
    with due as materialized (
      select task_id from pull_request
       where state = 'open' and url is null
       order by looked_at nulls first limit ${BATCH} for no key update skip locked)
    update pull_request pr set looked_at = now()
      from due where pr.task_id = due.task_id
    returning pr.task_id as "taskId"`);
  for (const { taskId } of due) {
    if (signal.aborted) return;
    await beginChecks(db, directory, taskId, signal).catch((err) => {
      if (!signal.aborted) log.warn({ err, task: taskId }, 'a branch could not be read');
    });
  }
}
