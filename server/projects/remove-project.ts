import { endHoldsOf } from '../billing/index.ts';
import type { Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { timestampSql } from '../http/timestamps.ts';

/** What went with a project. */
interface RemovedProject {
  tasks_deleted: number;
  files_deleted: number;
  bytes_freed: number;
  holds_released: number;
  deleted_at: string;
}

/** Deletes a project with everything that is part of it. Lock it first. */
export async function removeProject(tx: Tx, projectId: string): Promise<RemovedProject> {
  // Locked first, so that no work begins for them and holds more money.
  const tasks = sql`select id from task where project_id = ${projectId}`;
  await tx.many(sql`select count(*) from (${tasks} order by id for update) locked`);
  const holds_released = await endHoldsOf(tx, 'task', tasks);
  const files = await deleteFiles(tx, projectId);
  const tasks_deleted = await deleteTasks(tx, projectId);
  const { deleted_at } = await tx.one<{ deleted_at: string }>(sql`
    delete from project where id = ${projectId}
    returning ${timestampSql(sql`now()`)} as deleted_at`);
  return { tasks_deleted, ...files, holds_released, deleted_at };
}

/**
 * In one statement, so that what they took up is counted once; their bytes follow within minutes.
 */
const deleteFiles = (tx: Tx, projectId: string) =>
  tx.one<{ files_deleted: number; bytes_freed: number }>(sql`
    with attachments as (delete from attachment where project_id = ${projectId} returning size),
         artifacts as (delete from artifact where project_id = ${projectId} returning size),
         dumps as (delete from odoo_dump where project_id = ${projectId} returning size)
    select count(*)::int as files_deleted, coalesce(sum(size), 0)::float8 as bytes_freed
      from (select size from attachments union all select size from artifacts
            union all select size from dumps) file`);

/** Keeps a statement well below the time limit of statements, however many tasks there are. */
const BATCH = 2_000;

/**
 * In batches, with their plans: the project's own deletion has then next to nothing to cascade to.
 */
async function deleteTasks(tx: Tx, projectId: string): Promise<number> {
  for (let total = 0; ; ) {
    const { deleted } = await tx.one<{ deleted: number }>(sql`
      with deleted as (
        delete from task
         where id in (select id from task where project_id = ${projectId} limit ${BATCH})
        returning id)
      select count(*)::int as deleted from deleted`);
    total += deleted;
    if (deleted < BATCH) return total;
  }
}
