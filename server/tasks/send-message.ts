import type { InProject } from '../access/project.ts';
import { type Sql, sql } from '../db/sql.ts';
import type { Caller } from '../http/caller.ts';
import { apiError } from '../http/errors.ts';
import { auditRow } from '../platform/audit/audit.ts';
import {
  allWanted,
  claimedAttachments,
  wantedAttachments,
} from '../platform/files/claim-attachments.ts';
import { attached, message } from './message.ts';

/** The most turns of a task that may wait at once. */
const MOST_QUEUED = 100;

export const tooManyMessages = apiError(
  409,
  'too_many_messages',
  `At most ${MOST_QUEUED} messages of a task can wait: let the agent read some, or delete some`,
);

/** Whoever wrote a message on another host of code. */
interface WrittenBy {
  host: 'github' | 'gitea';
  login: string;
}

const loginOn = (host: WrittenBy['host'], by: WrittenBy | undefined): string | null =>
  by?.host === host ? by.login : null;

/**
 * SQL: what the common table expressions of a message need, in a transaction that has authorized
 * its caller.
 */
export const asCaller = (of: Caller & InProject & { task_id: string }): Sql => sql`
  caller as (
    select ${of.userId}::uuid as user_id, ${of.keyId}::uuid as key_id,
           ${of.sessionId}::uuid as session_id, false as read_only),
  authorized as (
    select ${of.task_id}::uuid as task_id, ${of.project_id}::uuid as project_id,
           ${of.organization_id}::uuid as organization_id, ${of.acts_as}::text as acts_as)`;

/** SQL: the JSON of the message that was `added`; its attachments are in `claimed`. */
export const addedMessage = sql`
  (select ${message.json}
     from added m cross join (select 'queued' as state, 0 as attempt) turn
          cross join ${attached(sql`claimed a`)})`;

/**
 * SQL: common table expressions that send a message of `caller` to the task of `authorized`, and
 * queue its turn. `writtenBy`: who wrote it on another host; `caller` may have no user then.
 * `current` has no row for a task that is gone, `added` none when it was not sent.
 *
 * The lock on the task puts messages in order, and holds off a claim of its turns. The build of a
 * plan that was approved before the statement began, and that no worker has taken yet, is queued
 * first. What waits is counted as of the beginning of the statement: messages sent at the same
 * moment may exceed the limit by a few.
 */
export const sentMessage = (
  {
    text,
    attachment_ids,
    writtenBy,
  }: { text: string; attachment_ids: string[]; writtenBy?: WrittenBy },
  requestId: string,
  action = 'message.create',
): Sql => sql`
  current as materialized (
    select t.id, t.last_turn
      from task t join authorized on t.id = authorized.task_id
       for no key update of t),
  room as materialized (
    select count(*) < ${MOST_QUEUED} as left_over
      from task_turn u join current on u.task_id = current.id where u.state = 'queued'),
  ${wantedAttachments({
    ids: attachment_ids,
    from: sql`current cross join authorized cross join caller`,
    projectId: sql`authorized.project_id`,
    taskId: sql`current.id`,
    userId: sql`caller.user_id`,
  })},
  built as materialized (
    select start_build(current.id, current.last_turn + 1, coalesce(l.approved_version, 0)) as turns
      from current cross join room left join plan l on l.task_id = current.id
     where room.left_over and ${allWanted(attachment_ids)}),
  numbered as (
    update task t
       set last_turn = t.last_turn + built.turns + 1, last_message = t.last_message + 1,
           status = case when t.status in ('ready', 'failed', 'cancelled', 'awaiting_approval')
                         then 'queued' else t.status end,
           status_reason = case when t.status = 'paused' then t.status_reason end
      from current cross join built
     where t.id = current.id
    returning t.id, t.last_turn, t.last_message),
  turn as (
    insert into task_turn (task_id, number, kind, source, prompt, requested_by_user_id)
    select n.id, n.last_turn,
           case when l.approved_version = l.version then 'prompt' else 'plan' end,
           'message:' || n.id || ':' || n.last_message, ${text}, caller.user_id
      from numbered n left join plan l on l.task_id = n.id cross join caller
    returning id),
  added as (
    insert into task_message
           (task_id, number, turn_id, role, author_user_id, github_login, gitea_login, content)
    select n.id, n.last_message, turn.id, 'user', caller.user_id, ${loginOn('github', writtenBy)},
           ${loginOn('gitea', writtenBy)}, ${text}
      from numbered n cross join turn cross join caller
    returning *),
  ${claimedAttachments(sql`added`)},
  audited as (${auditRow({
    action,
    requestId,
    target: sql`authorized.task_id`,
    organization: sql`authorized.organization_id`,
    project: sql`authorized.project_id`,
    before: sql`null`,
    after: sql`jsonb_build_object('number', added.number)`,
    from: sql`added cross join authorized`,
  })})`;
