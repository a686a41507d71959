import { sql } from '../db/sql.ts';
import { checksOn } from './checks.ts';
import type { User } from './fixtures.ts';
import type { Harness } from './harness.ts';

/** Pull requests whose checks have failed, without a worker that runs them. */
export async function failingChecks(harness: Harness) {
  const { db, request } = harness;
  const checks = await checksOn(harness);
  const { owner, checked, begin } = checks;

  async function end(taskId: string, conclusion: 'passed' | 'failed'): Promise<void> {
    await db.many(sql`
      update check_suite s set state = 'completed', conclusion = ${conclusion}, ended_at = now()
        from pull_request pr
       where pr.task_id = ${taskId} and s.task_id = pr.task_id and s.head_sha = pr.head_sha`);
  }

  /** Fails the checks of the last commit, one for each log. */
  async function fail(taskId: string, logs: Record<string, string>): Promise<void> {
    await begin(taskId);
    await db.many(sql`
      with failed as (
        insert into check_run (suite_id, position, name, command, timeout_minutes, state,
                               conclusion, started_at, completed_at)
        select s.id, row_number() over (), l.name, 'run ' || l.name, 10, 'completed', 'failure',
               now(), now()
          from pull_request pr
          join check_suite s on s.task_id = pr.task_id and s.head_sha = pr.head_sha
         cross join json_each_text(${JSON.stringify(logs)}::json) l (name, log)
         where pr.task_id = ${taskId}
        returning id, name)
      insert into check_log (check_id, content)
      select f.id, l.log
        from failed f
        join json_each_text(${JSON.stringify(logs)}::json) l (name, log) on l.name = f.name`);
    await end(taskId, 'failed');
  }

  return {
    ...checks,
    fail,
    /** An open pull request whose checks have failed with these logs. */
    async failing(logs: Record<string, string> = { tests: 'no\n' }) {
      const task = await checked({ tests: 'false' });
      await fail(task.taskId, logs);
      return task;
    },
    /** Its next commit, whose checks fail as well. */
    async next(task: Awaited<ReturnType<typeof checked>>) {
      await task.write('next.txt', `${Math.random()}\n`);
      await task.commit();
      await fail(task.taskId, { tests: 'no\n' });
    },
    succeed: (taskId: string) => end(taskId, 'passed'),
    fix: (taskId: string, as: User = owner) =>
      request('POST', `/api/tasks/${taskId}/pull-request/fix-checks`, { key: as.key }),
    turnsOf: (taskId: string) =>
      db.many<{ state: string; prompt: string }>(sql`
        select state, prompt from task_turn where task_id = ${taskId} order by number`),
  };
}
