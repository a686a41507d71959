import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { beginChecks } from '../repositories/begin-checks.ts';
import { branchBegin } from './writable-refs.ts';

/**
 * Begins the checks of the pull requests whose branches a push has moved, which are some of `refs`,
 * and notes that a person has moved them.
 * Never rejects: a worker polls the branches later.
 */
export async function beginPushedChecks(
  db: Database,
  directory: string,
  projectId: string,
  refs: readonly string[],
): Promise<void> {
  const begins = refs.flatMap((ref) => branchBegin(ref) ?? []);
  try {
    const pulls = await db.read<{ taskId: string; head: string | null }>(sql`
      select pr.task_id as "taskId", pr.head_sha as head
        from unnest(${begins}::text[]) begins (begin)
        join pull_request pr
          on pr.task_id between (begins.begin || '-0000-0000-0000-000000000000')::uuid
                            and (begins.begin || '-ffff-ffff-ffff-ffffffffffff')::uuid
        join task t on t.id = pr.task_id and t.project_id = ${projectId}
       where pr.state = 'open'`);
    for (const { taskId, head } of pulls) {
      await beginChecks(db, directory, taskId);
      await db.many(sql`
        update pull_request set pushed_at = clock_timestamp()
         where task_id = ${taskId} and head_sha is distinct from ${head}`);
    }
  } catch {
    // As above.
  }
}
