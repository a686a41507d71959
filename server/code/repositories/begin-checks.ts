import type { Database, Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { hasBuildFile } from './build-file.ts';
import { commitsAt } from './commits.ts';
import { gitDirOf, isFolder, refOf, runGit } from './git.ts';
import type { TaskOf } from './task-diff.ts';

/** What git has on the branch of a task. */
interface Head {
  head: string;
  /** It has a build file, so that it may have checks. */
  builds: boolean;
}

/** The last commit of a task; undefined without one, and without the repository. */
async function headOf(
  directory: string,
  { projectId, taskId }: TaskOf,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const gitDir = gitDirOf(directory, projectId);
  if (!(await isFolder(gitDir))) return undefined;
  const git = (args: string[]) => runGit(args, { GIT_DIR: gitDir }, { signal });
  return (await commitsAt(git, [refOf(taskId)]))[0];
}

/**
 * Begins the checks of an open pull request of the local host if its branch has moved, and cancels
 * those of commits before. Any number of processes may do so at once: whoever has written looks
 * again. Throws as `runGit` does; a worker tries again later.
 */
export async function beginChecks(
  db: Database,
  directory: string,
  taskId: string,
  signal?: AbortSignal,
): Promise<void> {
  const pull = await db.maybeOne<{ projectId: string; head: string | null }>(sql`
    select t.project_id as "projectId", pr.head_sha as head
      from pull_request pr
      join repository r on r.id = pr.repository_id and r.host = 'local'
      join task t on t.id = pr.task_id
      join project p on p.id = t.project_id and p.archived_at is null
     where pr.task_id = ${taskId} and pr.state = 'open'`);
  if (pull === undefined) return;
  const task = { projectId: pull.projectId, taskId };
  let known = pull.head ?? undefined;
  for (;;) {
    const head = await headOf(directory, task, signal);
    if (head === undefined || head === known) return;
    const builds = await hasBuildFile(gitDirOf(directory, task.projectId), head, signal);
    await db.transaction((tx) => recordHead(tx, taskId, { head, builds }));
    known = head;
  }
}

/**
 * Records the last commit of an open pull request, with its checks, which a worker runs: none if it
 * has no build file. Those of other commits that have not ended are cancelled.
 */
export async function recordHead(tx: Tx, taskId: string, { head, builds }: Head): Promise<void> {
  // Locks it: the statements after it see what others have written before they let it go.
  const open = await tx.maybeOne(sql`
    update pull_request set head_sha = ${head} where task_id = ${taskId} and state = 'open'
    returning task_id`);
  if (open === undefined) return;
  // A branch that has come back to a commit has its checks anew.
  const cancelled = await tx.many<{ id: string }>(sql`
    with cancelled as (
      update check_suite
         set state = 'completed', conclusion = 'cancelled', ended_at = now(), held_by = null,
             held_until = null, pod_id = null
       where task_id = ${taskId} and head_sha <> ${head} and state <> 'completed'
      returning id),
    forgotten as (
      delete from check_run
       where suite_id in (select id from check_suite
                           where task_id = ${taskId} and head_sha = ${head}
                             and conclusion = 'cancelled')),
    begun as (
      insert into check_suite as s (task_id, head_sha, state, conclusion, ended_at)
      values (${taskId}, ${head}, case when ${builds} then 'queued' else 'completed' end,
              case when not ${builds} then 'none' end, case when not ${builds} then now() end)
      on conflict (task_id, head_sha) do update
         set state = excluded.state, conclusion = excluded.conclusion,
             ended_at = excluded.ended_at, created_at = excluded.created_at, attempts = 0
       where s.conclusion = 'cancelled')
    select id from cancelled`);
  if (cancelled.length === 0) return;
  // A statement of its own: the one before does not see those that a worker has added meanwhile.
  await tx.many(sql`
    update check_run
       set state = 'completed', conclusion = 'cancelled', completed_at = now()
     where suite_id = any(${cancelled.map(({ id }) => id)}::uuid[]) and state <> 'completed'`);
}
