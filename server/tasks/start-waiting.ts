import type { Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';

/**
 * Queues the build of an approved plan whose start no worker has taken yet, if there is one, in a
 * transaction that has locked the task: what is queued or changed afterwards comes after it. Returns
 * whether there was one.
 */
export const startWaiting = async (tx: Tx, taskId: string): Promise<boolean> =>
  (
    await tx.many(sql`
      with built as materialized (
        select id, start_build(id, last_turn + 1) as turns from task where id = ${taskId})
      update task t set last_turn = t.last_turn + built.turns
        from built where t.id = built.id and built.turns > 0
      returning t.id`)
  ).length > 0;
