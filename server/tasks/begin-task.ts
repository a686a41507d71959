import { type Sql, sql } from '../db/sql.ts';
import { apiError } from '../http/errors.ts';
import { auditRow } from '../platform/audit/audit.ts';
import {
  allWanted,
  claimedAttachments,
  wantedAttachments,
} from '../platform/files/claim-attachments.ts';
import { taskSnapshot } from './task.ts';
import { titleOf } from './title.ts';

export const projectArchived = apiError(
  409,
  'project_archived',
  'An archived project takes no new tasks: take it back with update_project first',
);

/** What a task begins with. */
interface NewTask {
  message: string;
  attachment_ids: string[];
  title?: string | undefined;
  model?: string | undefined;
  spend_cap?: bigint | undefined;
  base?: string | undefined;
  /** The routine that begins it. */
  routine_id?: string;
}

/**
 * SQL: common table expressions that begin a task of `caller` in the project of `authorized`, by
 * people and by routines alike. `place`, the project, says whether it is `open`; `changed` has no row
 * when nothing was begun.
 */
// The lock on the project waits for an update that archives it, and then reads what it wrote.
export const begunTask = (
  { message, attachment_ids, title, model, spend_cap, base, routine_id }: NewTask,
  requestId: string,
): Sql => sql`
  place as materialized (
    select p.id, p.archived_at is null as open
      from project p join authorized on p.id = authorized.project_id for share of p),
  ${wantedAttachments({
    ids: attachment_ids,
    from: sql`place cross join caller`,
    projectId: sql`place.id`,
    taskId: sql`null::uuid`,
    userId: sql`caller.user_id`,
  })},
  changed as (
    insert into task as t
           (project_id, title, model, spend_cap, base, created_by_user_id, status, last_turn,
            last_message, routine_id)
    select place.id, ${title ?? titleOf(message)}, ${model ?? null}, ${spend_cap ?? null},
           ${base ?? null}, caller.user_id, 'queued', 1, 1, ${routine_id ?? null}
      from place cross join caller
     where place.open and ${allWanted(attachment_ids)}
    returning t as row),
  turn as (
    insert into task_turn (task_id, number, kind, source, prompt, requested_by_user_id)
    select (row).id, 1, 'plan', 'message:' || (row).id || ':1', ${message},
           (row).created_by_user_id
      from changed
    returning id, task_id, requested_by_user_id),
  message as (
    insert into task_message (task_id, number, turn_id, role, author_user_id, content)
    select task_id, 1, id, 'user', requested_by_user_id, ${message} from turn
    returning task_id, number),
  ${claimedAttachments(sql`message`)},
  audited as (${auditRow({
    action: 'task.create',
    requestId,
    target: sql`(changed.row).id`,
    organization: sql`authorized.organization_id`,
    project: sql`authorized.project_id`,
    before: sql`null`,
    after: taskSnapshot(sql`changed.row`),
    from: sql`changed cross join authorized`,
  })})`;
