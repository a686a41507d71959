import { randomUUID } from 'node:crypto';
import { taskRepository } from '../code/repositories/task-repository.ts';
import type { Database } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import type { TaskStatus } from '../tasks/task-states.ts';
import { TASK_COMMIT } from './task-commit.ts';

type TurnState = 'queued' | 'running' | 'waiting' | 'done' | 'failed' | 'cancelled' | 'interrupted';

/** What a task has when its agent works: turns, messages, a state. */
export function taskFixtures(db: Database) {
  /** Adds a turn in this state, as if a worker had brought it there. Returns its id. */
  const turn = async (
    taskId: string,
    { state, attempt = 0 }: { state: TurnState; attempt?: number },
  ): Promise<string> =>
    (
      await db.one<{ id: string }>(sql`
        with numbered as (
          update task set last_turn = last_turn + 1 where id = ${taskId} returning last_turn)
        insert into task_turn (task_id, number, kind, source, prompt, state, attempt, owner,
                               lease_until, ended_at)
        select ${taskId}, last_turn, 'plan', ${`test:${randomUUID()}`}, 'Do it', ${state},
               ${attempt},
               case when ${state} in ('running', 'waiting') then 'a worker' end,
               case when ${state} in ('running', 'waiting') then now() + interval '1 hour' end,
               case when ${state} in ('done', 'failed', 'cancelled') then now() end
          from numbered
        returning id`)
    ).id;

  return {
    turn,
    /** An ERP instance of the task in this state. Returns its id. */
    erpInstance: async (taskId: string, state = 'running') => {
      const id = randomUUID();
      await db.many(sql`
        insert into erp_instance (id, task_id, driver, state, reason, erp_version, edition,
                                  database_name, requested_by_user_id, expires_at, ready_at,
                                  cleared_at)
        select ${id}, t.id, 'docker', ${state}, case when ${state} = 'failed' then 'It failed.' end,
               p.erp_version, p.erp_edition, ${`guildhall_${id.replaceAll('-', '')}`},
               t.created_by_user_id, now() + interval '4 hours',
               case when ${state} = 'running' then now() end,
               case when ${state} = 'ended' then now() end
          from task t join project p on p.id = t.project_id where t.id = ${taskId}`);
      return id;
    },
    /** Brings a task into a state, by way of `queued`, from where every state can be reached. */
    taskStatus: async (taskId: string, status: TaskStatus) => {
      const reason =
        status === 'paused' ? 'insufficient_funds' : status === 'failed' ? 'It stopped.' : null;
      const via =
        status === 'awaiting_answer' ? ['queued', 'planning', status] : ['queued', status];
      for (const each of via)
        await db.many(sql`
          update task set status = ${each}, status_reason = ${each === status ? reason : null}
           where id = ${taskId}`);
    },
    /** A question of a turn that has ended since, with the options yes and no unless given. */
    request: async (
      taskId: string,
      options = [
        { id: 'yes', name: 'Yes' },
        { id: 'no', name: 'No' },
      ],
    ) => {
      const turnId = await turn(taskId, { state: 'done', attempt: 1 });
      const { id } = await db.one<{ id: string }>(sql`
        insert into agent_request (task_id, turn_id, kind, title, options)
        values (${taskId}, ${turnId}, 'question', 'Go on?', ${JSON.stringify(options)})
        returning id`);
      return id;
    },
    /** A queued message with its turn, as create_message writes it. */
    mergeTarget: async (projectId: string, branch: string, stage = 'staging') => {
      await db.many(sql`
        insert into merge_target (project_id, branch, stage) values (${projectId}, ${branch}, ${stage})`);
    },
    /** An open pull request into `main`, at TASK_COMMIT, which has no checks. */
    pullRequest: async (taskId: string, by: { id: string }) => {
      await db.many(sql`
        insert into pull_request
               (task_id, repository_id, number, base, title, body, head_sha, opened_by_user_id)
        select t.id, r.id,
               1 + (select count(*) from pull_request pr where pr.repository_id = r.id),
               'main', t.title, '', ${TASK_COMMIT}, ${by.id}
          from task t join repository r on r.project_id = t.project_id
         where t.id = ${taskId} and ${taskRepository(sql`r`)}`);
      await db.many(sql`
        insert into check_suite (task_id, head_sha, state, conclusion, ended_at)
        values (${taskId}, ${TASK_COMMIT}, 'completed', 'none', now())`);
    },
    /** A check of the pull request of a task, which ends its checks if it has ended. Its id. */
    check: async (taskId: string, conclusion: 'success' | 'failure' | null = 'success') => {
      const { id } = await db.one<{ id: string }>(sql`
        with suite as (
          update check_suite
             set state = case when ${conclusion}::text is null then 'running' else 'completed' end,
                 conclusion = case ${conclusion} when 'success' then 'passed'
                                                 when 'failure' then 'failed' end,
                 ended_at = case when ${conclusion}::text is not null then now() end
           where task_id = ${taskId} and head_sha = ${TASK_COMMIT}
          returning id)
        insert into check_run (suite_id, position, name, command, timeout_minutes, state,
                               conclusion, started_at, completed_at)
        select id, 1, 'tests', 'npm test', 10,
               case when ${conclusion}::text is null then 'in_progress' else 'completed' end,
               ${conclusion}, now(), case when ${conclusion}::text is not null then now() end
          from suite
        returning id`);
      await db.many(
        sql`insert into check_log (check_id, content) values (${id}, 'What it wrote\n')`,
      );
      return id;
    },
    /** That its pull request was merged into `main`. */
    merge: async (taskId: string, by: { id: string }) => {
      await db.many(sql`
        with merged as (
          update pull_request set state = 'merged' where task_id = ${taskId} returning task_id)
        insert into merge
               (task_id, branch, stage, method, expected_head_sha, state, merge_commit_sha,
                ended_at, requested_by_user_id)
        select task_id, 'main', 'production', 'merge', repeat('a', 40), 'merged', repeat('b', 40),
               now(), ${by.id}
          from merged`);
    },
    /** Of its merge, as the worker that ends a merge writes it. Returns its id. */
    deploy: async (taskId: string): Promise<string> =>
      (
        await db.one<{ id: string }>(sql`
          insert into deploy
                 (project_id, repository_id, merge_id, branch, stage, commit_sha, height)
          select t.project_id, pr.repository_id, m.id, m.branch, m.stage, m.merge_commit_sha,
                 1 + (select count(*) from deploy d where d.repository_id = pr.repository_id)
            from task t
            join pull_request pr on pr.task_id = t.id
            join merge m on m.task_id = t.id and m.state = 'merged'
           where t.id = ${taskId}
          returning id`)
      ).id,
    message: async (taskId: string, author: { id: string }, text = 'Do it') => {
      await taskFixtures(db).taskStatus(taskId, 'queued');
      const turnId = await turn(taskId, { state: 'queued' });
      await db.many(sql`
        with numbered as (
          update task set last_message = last_message + 1 where id = ${taskId}
          returning last_message)
        insert into task_message (task_id, number, turn_id, role, author_user_id, content)
        select ${taskId}, last_message, ${turnId}, 'user', ${author.id}, ${text} from numbered`);
    },
  };
}
