import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';

/** What a process says of itself while it carries out tasks, or cannot. */
export interface WorkerState {
  /**
   * `worker_unable`: its start has failed, or what it needs besides pods is away.
   * `pods_unavailable`: nothing makes pods now. Undefined while it carries out tasks.
   */
  fault: 'worker_unable' | 'pods_unavailable' | undefined;
  /** Whether its agents are kept apart from its machine; undefined while that is not known. */
  confined: boolean | undefined;
  version: string;
  /** What its machine or container calls itself. */
  host: string;
  /** What its pods are made of. */
  driver: string;
}

/** One that was not renewed for so long is removed by others. */
const KEPT = sql`interval '1 hour'`;

/** Stores, or renews, what a process says of itself: `why_tasks_wait` reads it. */
export const storeWorker = (
  db: Pick<Database, 'many'>,
  id: string,
  { fault, confined, version, host, driver }: WorkerState,
): Promise<unknown> =>
  db.many(sql`
    with gone as (delete from task_worker where seen_at < now() - ${KEPT})
    insert into task_worker (id, fault, confined, version, host, driver)
    values (${id}, ${fault ?? null}, ${confined ?? null}, ${version},
            ${host.slice(0, 255) || null}, ${driver})
    on conflict (id) do update
       set fault = excluded.fault, confined = excluded.confined, seen_at = now()`);

/** Once a process has ended, the others need not wait until its row is old. */
export const removeWorker = (db: Pick<Database, 'many'>, id: string): Promise<unknown> =>
  db.many(sql`delete from task_worker where id = ${id}`);
