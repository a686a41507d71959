import Type from 'typebox';
import { onProject } from '../access/project.ts';
import { gitLate, hostErrors, repositoryElsewhere } from '../code/index.ts';
import { sql } from '../db/sql.ts';
import { type Shown, shownAs } from '../http/change.ts';
import { notFound } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import type { Catalog } from '../platform/catalog/catalog.ts';
import { attachmentIds, attachmentNotFound } from '../platform/files/claim-attachments.ts';
import { begunTask, projectArchived } from './begin-task.ts';
import { LARGEST_MESSAGE, messageText } from './message.ts';
import { isOffered, modelNotOffered } from './model-offered.ts';
import { newTask, type TaskResource } from './task.ts';
import { type BranchHosts, base, baseNotFound, baseOfTask, requireBase } from './task-base.ts';

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
      gitLate,
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
          with: begunTask(body, requestId),
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
