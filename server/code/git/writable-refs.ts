import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { isBranchName } from '../../http/input/branch-names.ts';
import { firstCommitOf } from '../repositories/first-commit.ts';
import type { GitRepository } from './access.ts';
import type { Command } from './commands.ts';

const OF_TASK = /^refs\/heads\/task\/([0-9a-f]{8})(-conflict-[1-9]\d{0,8})?$/;

/** Where a push goes, and what its caller may do there. */
type Place = Pick<
  GitRepository,
  'project_id' | 'repository_id' | 'default_branch' | 'may_push_first' | 'may_push_directly'
> & { gitDir: string };

/**
 * Those of the references that a push may change: branches of tasks that the project has, branches
 * that hold what could not be merged into one of them, which may be deleted, and those of
 * `directRefs`.
 */
export async function writableRefs(
  db: Pick<Database, 'read'>,
  place: Place,
  commands: readonly Command[],
): Promise<string[]> {
  const of = await refsOfTasks(db, place.project_id, commands);
  const others = commands.filter(({ ref }) => !of.includes(ref));
  return [...of, ...(await directRefs(db, place, others)).map(({ ref }) => nameOf(ref))];
}

/**
 * Those that are no branches of tasks: the default branch of a repository that holds nothing yet, for
 * people who may merge into it, once; and every branch, where the project lets its admins push. None
 * while something is imported.
 */
export async function directRefs(
  db: Pick<Database, 'read'>,
  place: Place,
  commands: readonly Command[],
): Promise<Command[]> {
  const first = `refs/heads/${place.default_branch}`;
  const wanted = commands.filter(
    ({ ref, deletes }) =>
      isOther(ref) &&
      (place.may_push_directly || (place.may_push_first && !deletes && nameOf(ref) === first)),
  );
  if (wanted.length === 0) return [];
  const [found] = await db.read<{ importing: boolean }>(sql`
    select exists (select from repository_import
                    where repository_id = ${place.repository_id}
                      and state in ('queued', 'running')) as importing`);
  if (found?.importing !== false) return [];
  const empty = place.may_push_directly || (await firstCommitOf(place.gitDir)) !== undefined;
  return empty ? wanted : [];
}

const HEADS = 'refs/heads/';

/** Each character of a reference that was sent is a byte. */
export const nameOf = (ref: string): string => Buffer.from(ref, 'latin1').toString('utf8');

/** Whether it is a branch, by a name that people can tell apart, and not one of a task. */
function isOther(ref: string): boolean {
  const name = nameOf(ref);
  return (
    Buffer.from(name, 'utf8').toString('latin1') === ref &&
    name.startsWith(HEADS) &&
    !/^task(\/|$)/i.test(name.slice(HEADS.length)) &&
    isBranchName(name.slice(HEADS.length))
  );
}

async function refsOfTasks(
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
