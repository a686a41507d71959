import type { Logger } from 'pino';
import type { HostedRepository } from '../../access/hosted-repository.ts';
import { gitDirOf, isFolder, keepMerge, keepMergeOfHost, runGit } from '../../code/index.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';

const BATCH = 20;

interface Merged {
  taskId: string;
  projectId: string;
  host: HostedRepository['host'];
  head: string | null;
  base: string | null;
  /** Of a merge that was asked for here. */
  commit: string | null;
}

/** SQL: whether a pull request was merged, and it is not known yet into what, nor asked lately. */
export const isToBeKept = sql`
  state = 'merged' and merged_head_sha is null
  and (merged_looked_at is null or merged_looked_at < now() - interval '1 hour')`;

/**
 * Records between which commits what was merged is the difference, of pull requests of which it is not
 * known: those merged on another host, and those that were merged before this was recorded. What cannot be
 * found is looked for again after an hour, because the commits may be fetched meanwhile. Any number of
 * processes may do so.
 */
export async function keepMerged(db: Database, directory: string, log: Logger): Promise<void> {
  const pulls = await db.many<Merged>(sql`
    with due as materialized (
      select task_id from pull_request
       where ${isToBeKept}
       order by merged_looked_at nulls first limit ${BATCH} for update skip locked),
    begun as (
      update pull_request pr set merged_looked_at = now()
        from due where pr.task_id = due.task_id
      returning pr.*)
    select b.task_id as "taskId", t.project_id as "projectId", r.host, b.head_sha as head,
           b.base_sha as base,
           (select m.merge_commit_sha from merge m
             where m.task_id = b.task_id and m.state = 'merged') as commit
      from begun b
      join task t on t.id = b.task_id
      join repository r on r.id = b.repository_id`);
  for (const pull of pulls)
    await keep(db, directory, pull).catch((err) =>
      log.warn({ err, task: pull.taskId }, 'what a task has merged is not found; trying again'),
    );
}

async function keep(
  db: Database,
  directory: string,
  { taskId, projectId, host, head, base, commit }: Merged,
): Promise<void> {
  const gitDir = gitDirOf(directory, projectId);
  if (!(await isFolder(gitDir))) return;
  const git = (args: string[]) => runGit(args, { GIT_DIR: gitDir });
  const range =
    host === 'local'
      ? commit && (await keepMerge(git, taskId, commit))
      : head && (await keepMergeOfHost(git, taskId, { base, head }));
  if (!range) return;
  await db.many(sql`
    update pull_request
       set merged_base_sha = ${range.base}, merged_head_sha = ${range.head},
           updated_at = clock_timestamp()
     where task_id = ${taskId} and state = 'merged' and merged_head_sha is null`);
}
