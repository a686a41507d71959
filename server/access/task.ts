import { nothing, type Sql, sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';
import { type HostedRepository, hostColumns, isConnected } from './hosted-repository.ts';
import {
  allowed,
  deniedBecause,
  deniedUnless,
  type InProject,
  onTask,
  standing,
} from './project.ts';
import type { Permission } from './roles.ts';

type OfTask = { params: { task_id: string } };

/**
 * SQL: locks a task. Whatever changes its turns does so first, and takes the starts of its plan from
 * the outbox afterwards, so that nothing deadlocks. No row: there is no such task.
 */
export const lockTask = (task_id: string): Sql => sql`
  select id from task where id = ${task_id} for no key update`;

/** The same as `onTask`, for a transaction that changes turns of the task. */
export const onLockedTask = (
  permission: Permission,
): Access<OfTask, InProject & { task_id: string }> => ({
  ...onTask(permission),
  locks: ({ params }) => lockTask(params.task_id),
});

const access = (from: Sql, columns: Sql, denied: Sql): Sql => sql`
  access as materialized (
    select true as found, t.id as task_id, p.id as project_id, p.organization_id,
           standing.acts_as, ${columns}, ${denied} as denied_because
      from ${from} join project p on p.id = t.project_id ${standing})`;

/**
 * The message in the path, of the task in the path, by the permissions on its project; for its
 * author, `ofAuthor` is enough.
 */
export const onMessage = (
  permission: Permission,
  ofAuthor: Permission,
): Access<
  { params: { task_id: string; number: number } },
  InProject & { task_id: string; number: number }
> => ({
  permission,
  locks: ({ params: { task_id } }) => lockTask(task_id),
  sql: ({ params: { task_id, number } }) =>
    access(
      sql`task_message message join task t on t.id = message.task_id
            and message.task_id = ${task_id} and message.number = ${number}`,
      sql`message.number`,
      deniedUnless(sql`
        case when message.author_user_id = caller.user_id
             then ${allowed(ofAuthor)} else ${allowed(permission)} end`),
    ),
});

/** The request of an agent in the path, of the task in the path. */
export const onRequest = (
  permission: Permission,
): Access<
  { params: { task_id: string; request_id: string } },
  InProject & { task_id: string; request_id: string }
> => ({
  permission,
  sql: ({ params: { task_id, request_id } }) =>
    access(
      sql`agent_request request join task t on t.id = request.task_id
            and request.task_id = ${task_id} and request.id = ${request_id}`,
      sql`request.id as request_id`,
      deniedBecause(permission),
    ),
});

/** The check in the path, of the pull request of the task in the path. */
export const onCheck = (
  permission: Permission,
): Access<
  { params: { task_id: string; check_id: string } },
  InProject & { task_id: string; check_id: string }
> => ({
  permission,
  sql: ({ params: { task_id, check_id } }) =>
    access(
      sql`check_run run
            join check_suite suite on suite.id = run.suite_id and suite.task_id = ${task_id}
            join task t on t.id = suite.task_id and run.id = ${check_id}`,
      sql`run.id as check_id`,
      deniedBecause(permission),
    ),
});

/**
 * SQL: whether one of the caller's teams on the project `p` may merge into branches of this stage.
 */
export const teamMayMerge = (stage: Sql): Sql => sql`
  exists (select from team_project tp
            join team_member tm on tm.team_id = tp.team_id and tm.user_id = caller.user_id
            join team on team.id = tp.team_id
           where tp.project_id = p.id
             and case ${stage} when 'production' then team.can_merge_production
                               when 'staging' then team.can_merge_staging end)`;

/** The pull request of a task, as its access row has it. */
export interface OfPullRequest extends InProject, HostedRepository {
  task_id: string;
  /** The owner of the project may use it; null for one of this server. */
  connected: boolean | null;
  number: number;
  /** As its host had them when it was last refreshed; of the local host, git knows. */
  head_sha: string | null;
  base_sha: string | null;
  mergeable: boolean | null;
  base: string;
  /** The stage of `base`; null if that is no merge target any more. */
  stage: 'staging' | 'production' | null;
  state: 'open' | 'merged' | 'closed';
  /** Its project is. */
  archived: boolean;
  /** A merge waits to be carried out. */
  merging: boolean;
}

const ofPullRequest = sql`
  ${hostColumns}, ${isConnected} as connected, pull.number, pull.head_sha, pull.base_sha, pull.mergeable,
  pull.base, pull.state, target.stage, p.archived_at is not null as archived,
  exists (select from merge where task_id = pull.task_id and state = 'queued') as merging`;
const targetOf = sql`
  left join merge_target target on target.project_id = t.project_id and target.branch = pull.base`;
const pullRequestOf = (task_id: string, lock: boolean): Sql => sql`
  (select * from pull_request where task_id = ${task_id}
   ${lock ? sql`for no key update` : nothing}) pull
  join task t on t.id = pull.task_id
  join repository r on r.id = pull.repository_id ${targetOf}`;

/** The pull request of the task in the path, by the permission on its project. */
export const onPullRequest = (permission: Permission): Access<OfTask, OfPullRequest> => ({
  permission,
  sql: ({ params: { task_id } }, lock) =>
    access(pullRequestOf(task_id, lock), ofPullRequest, deniedBecause(permission)),
});

/** The same for a task that may have none yet: its columns are null then. */
export const onTaskWithPullRequest = (
  permission: Permission,
): Access<OfTask, OfPullRequest | (InProject & { number: null })> => ({
  permission,
  sql: ({ params: { task_id } }) =>
    access(
      sql`(select * from task where id = ${task_id}) t
        left join pull_request pull on pull.task_id = t.id
        left join repository r on r.id = pull.repository_id ${targetOf}`,
      ofPullRequest,
      deniedBecause(permission),
    ),
});

/** As `onPullRequest`, for a transaction that changes turns of the task. */
export const onPullRequestOfLocked = (permission: Permission): Access<OfTask, OfPullRequest> => ({
  ...onPullRequest(permission),
  locks: ({ params }) => lockTask(params.task_id),
});

/**
 * The same for merging it: by the permission on the project, or for members who are in a team on it
 * that may merge into branches of that stage.
 */
export const onMerge: Access<OfTask, OfPullRequest> = {
  permission: 'merge_task',
  sql: ({ params: { task_id } }, lock) =>
    access(
      pullRequestOf(task_id, lock),
      ofPullRequest,
      deniedUnless(sql`
        case when ${teamMayMerge(sql`target.stage`)}
             then ${allowed('work_on_task')} else ${allowed('merge_task')} end`),
    ),
};

/**
 * The task in the path, or the one that was deleted under its id: by the permission on the project
 * that it was in.
 */
export const onDeletedTask = (permission: Permission): Access<OfTask, InProject> => ({
  permission,
  sql: ({ params: { task_id } }) =>
    access(
      sql`(select ${task_id}::uuid as id, e.project_id
             from audit_event e
            where e.target_id = ${task_id}::uuid::text and e.action = 'task.delete'
              and e.outcome = 'done'
            order by e.occurred_at desc limit 1) t`,
      sql`null as deleted`,
      deniedBecause(permission),
    ),
});
