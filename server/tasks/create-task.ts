import Type from 'typebox';
import { onProject } from '../access/project.ts';
import { hostErrors, repositoryElsewhere } from '../code/index.ts';
import { type Sql, sql } from '../db/sql.ts';
import { type Shown, shownAs } from '../http/change.ts';
import { apiError, notFound } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { auditRow } from '../platform/audit/audit.ts';
import type { Catalog } from '../platform/catalog/catalog.ts';
import {
  allWanted,
  attachmentIds,
  attachmentNotFound,
  claimedAttachments,
  wantedAttachments,
} from '../platform/files/claim-attachments.ts';
import { LARGEST_MESSAGE, messageText } from './message.ts';
import { isOffered, modelNotOffered } from './model-offered.ts';
import { newTask, type TaskResource, taskSnapshot } from './task.ts';
import { type BranchHosts, base, baseNotFound, baseOfTask, requireBase } from './task-base.ts';
import { titleOf } from './title.ts';

const projectArchived = apiError(
  409,
  'project_archived',
  'An archived project takes no new tasks: take it back with update_project first',
);

/** Makes a task from its first message, for which the agent plans. */
export const createTask = ({
  catalog,
  task,
  branches,
  hosts,
}: BranchHosts & { catalog: Catalog; task: TaskResource }) =>
  route({
    method: 'POST',
    path: '/api/projects/{project_id}/tasks',
    area: 'Tasks',
    operationId: 'create_task',
    wakes: true,
    summary: 'Create a task',
    description:
      'Creates a task from its first message. The agent then plans: it reads and writes a plan, ' +
      'and changes nothing until the plan is approved. Members of the project may create tasks; ' +
      'viewers may not. Without a title, the first line of the message becomes it. ' +
      'With `base`, the task begins with another branch than the default one of the repository that ' +
      'the tasks of the project work in, and its pull request is to be merged into that branch: to ' +
      'merge it takes a merge target of that name.',
    access: onProject('create_task'),
    params: ids('project_id'),
    body: Type.Object(
      { message: messageText(), attachment_ids: attachmentIds(), base: base(), ...newTask },
      { additionalProperties: false },
    ),
    bodyLimit: LARGEST_MESSAGE,
    sample: () => ({
      body: { message: 'Sale orders above 5,000 need approval by a manager.', spend_cap: '5.00' },
    }),
    responses: { 201: task.shown('The new task.', ['ETag', 'Location']) },
    errors: [
      modelNotOffered,
      attachmentNotFound,
      baseNotFound,
      baseOfTask,
      projectArchived,
      repositoryElsewhere,
      ...hostErrors,
    ],
    handle: async ({ params, body, requestId, load, begin, statement }) => {
      if (!isOffered(catalog, body.model)) throw modelNotOffered(body.model);
      if (body.base !== undefined) {
        await load();
        await requireBase({ branches, hosts }, params.project_id, body.base, begin);
      }
      return statement<Shown & { id: string | null; open: boolean | null }>(
        {
          with: inserted(body, requestId),
          select: sql`
            select place.open, t.id, ${task.columns}
              from authorized
              left join place on true
              left join changed on true
              cross join lateral (select (changed.row).*) t`,
        },
        ({ id, open, ...row }) => {
          if (open === null) throw notFound();
          if (!open) throw projectArchived();
          if (id === null) throw attachmentNotFound();
          return shownAs(201, row, `/api/tasks/${id}`);
        },
      );
    },
  });

interface NewTask {
  message: string;
  attachment_ids: string[];
  title?: string;
  model?: string;
  spend_cap?: bigint;
  base?: string;
}

// The lock on the project waits for an update that archives it, and then reads what it wrote.
const inserted = (
  { message, attachment_ids, title, model, spend_cap, base }: NewTask,
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
            last_message)
    select place.id, ${title ?? titleOf(message)}, ${model ?? null}, ${spend_cap ?? null},
           ${base ?? null}, caller.user_id, 'queued', 1, 1
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
