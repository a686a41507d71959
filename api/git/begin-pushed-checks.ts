import type { Database } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { beginChecks } from '../repositories/begin-checks.ts';
import { branchBegin } from './writable-refs.ts';

/**
 * Begins the checks of the pull requests whose branches a push has moved, which are some of `refs`.
 * Never rejects: a worker looks at the branches later.
 */
export async function beginPushedChecks(
  db: Database,
  directory: string,
  projectId: string,
  refs: readonly string[],
): Promise<void> {
  const begins = refs.flatMap((ref) => branchBegin(ref) ?? []);
  try {
    const pulls = await db.read<{ taskId: string }>(sql`
      select pr.task_id as "taskId"
        from unnest(${begins}::text[]) begins (begin)
        join pull_request pr
          on pr.task_id between (begins.begin || '-0000-0000-0000-000000000000')::uuid
                            and (begins.begin || '-ffff-ffff-ffff-ffffffffffff')::uuid
        join task t on t.id = pr.task_id and t.project_id = ${projectId}
       where pr.state = 'open'`);
    for (const { taskId } of pulls) await beginChecks(db, directory, taskId);
  } catch {
    // As above.
  }
}
