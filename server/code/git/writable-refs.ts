import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Command } from './commands.ts';

const OF_TASK = /^refs\/heads\/task\/([0-9a-f]{8})(-conflict-[1-9]\d{0,8})?$/;

/**
 * Those of the references that a push may change: branches of tasks that the project has, and
 * branches that hold what could not be merged into one of them, which may be deleted.
 */
export async function writableRefs(
  db: Pick<Database, 'read'>,
  projectId: string,
  commands: readonly Command[],
): Promise<string[]> {
  const wanted = commands.flatMap(({ ref, deletes }) => {
    const [, task, conflict] = OF_TASK.exec(ref) ?? [];
    return task !== undefined && (conflict === undefined || deletes) ? [{ ref, task }] : [];
  });
  if (wanted.length === 0) return [];
  const begins = [...new Set(wanted.map(({ task }) => task))];
  const found = await db.read<{ begin: string }>(sql`
    select begins.begin
      from unnest(${begins}::text[]) begins (begin)
     where exists (
       select from task t
        where t.id between (begins.begin || '-0000-0000-0000-000000000000')::uuid
                       and (begins.begin || '-ffff-ffff-ffff-ffffffffffff')::uuid
          and t.project_id = ${projectId})`);
  const tasks = new Set(found.map(({ begin }) => begin));
  return wanted.filter(({ task }) => tasks.has(task)).map(({ ref }) => ref);
}

/** The beginning of the id of the task whose branch this is; undefined for any other reference. */
export const branchBegin = (ref: string): string | undefined =>
  OF_TASK.exec(ref)?.[2] === undefined ? OF_TASK.exec(ref)?.[1] : undefined;
