import Type from 'typebox';
import { onTask } from '../access/project.ts';
import { onDeletedTask } from '../access/task.ts';
import { endHoldsOf } from '../billing/index.ts';
import type { Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { revision } from '../http/change.ts';
import { uuid } from '../http/input/fields.ts';
import { matches } from '../http/preconditions.ts';
import { ids, route } from '../http/route.ts';
import { timestamp, timestampSql } from '../http/timestamps.ts';
import { recordChange } from '../platform/audit/audit.ts';
import { taskChanged } from './task.ts';

/**
 * Deletes a task with everything that is part of it. The worker of a running turn finds the turn
 * gone when it renews its lease: it ends the agent and writes nothing more.
 */
export const deleteTask = route({
  method: 'DELETE',
  path: '/api/tasks/{task_id}',
  area: 'Tasks',
  operationId: 'delete_task',
  wakes: true,
  summary: 'Delete a task',
  description:
    'Permanently deletes the task with its messages, plans and files. Admins of the project may, ' +
    'and whoever created it, as long as they are a member of the project. An agent that is at ' +
    'work is stopped. Usage that was recorded is charged, and money held for it is released. Its ' +
    'branch is removed within an hour; one on GitHub stays: delete it there.',
  access: onTask('delete_task', 'work_on_task'),
  // The task is gone by then.
  replayAccess: onDeletedTask('work_on_task'),
  auditDenied: { action: 'task.delete', target: 'task_id' },
  params: ids('task_id'),
  responses: {
    200: {
      description: 'What was deleted.',
      schema: Type.Object({
        id: uuid(),
        status: Type.Enum(['deleted']),
        messages_deleted: Type.Integer(),
        turns_stopped: Type.Integer({ description: 'Turns that were at work.' }),
        turns_cancelled: Type.Integer({ description: 'Turns that had not begun.' }),
        pods_stopped: Type.Integer(),
        files_deleted: Type.Integer(),
        bytes_freed: Type.Integer(),
        deleted_at: timestamp(),
      }),
      example: {
        id: '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f',
        status: 'deleted',
        messages_deleted: 4,
        turns_stopped: 1,
        turns_cancelled: 0,
        pods_stopped: 1,
        files_deleted: 2,
        bytes_freed: 48213,
        deleted_at: '2026-11-21T08:15:30.123Z',
      },
    },
  },
  headers: { 'If-Match': 'The ETag of the task that you have read.' },
  errors: [taskChanged],
  handle: ({ params: { task_id }, headers, requestId, transaction }) =>
    transaction(async (tx, caller) => {
      const { expected, ...before } = await current(tx, task_id, headers['if-match']);
      if (!expected) throw taskChanged();
      const holds_released = await endHoldsOf(tx, 'task', sql`select ${task_id}::uuid`);
      const counts = await count(tx, task_id);
      const { deleted_at } = await tx.one<{ deleted_at: string }>(sql`
        delete from task where id = ${task_id}
        returning ${timestampSql(sql`now()`)} as deleted_at`);
      await recordChange(tx, {
        caller,
        action: 'task.delete',
        target: task_id,
        organizationId: caller.organization_id,
        projectId: caller.project_id,
        before,
        after: { ...counts, holds_released },
        requestId,
      });
      return { status: 200, body: { id: task_id, status: 'deleted', ...counts, deleted_at } };
    }),
});

// An approval locks the plan and then its version, and the deletion cascades in the other order: the
// plan is locked here first, so that they do not deadlock.
const current = (tx: Tx, taskId: string, ifMatch: string | undefined) =>
  tx.one<{ expected: boolean; title: string; created_by_user_id: string }>(sql`
    with planned as materialized (
      select task_id from plan where task_id = ${taskId} for update)
    select t.title, t.created_by_user_id,
           ${matches(ifMatch, revision(sql`t.updated_at`))} as expected
      from task t left join planned on planned.task_id = t.id
     where t.id = ${taskId} for update of t`);

interface Counts {
  messages_deleted: number;
  turns_stopped: number;
  turns_cancelled: number;
  pods_stopped: number;
  files_deleted: number;
  bytes_freed: number;
}

const count = (tx: Tx, taskId: string): Promise<Counts> =>
  tx.one(sql`
    select (select count(*)::int from task_message where task_id = ${taskId}) as messages_deleted,
           turn.*,
           (select count(*)::int from pod
             where task_id = ${taskId} and state not in ('absent', 'failed')) as pods_stopped,
           file.*
      from (select count(*) filter (where state in ('running', 'waiting'))::int as turns_stopped,
                   count(*) filter (where state in ('queued', 'interrupted'))::int
                     as turns_cancelled
              from task_turn where task_id = ${taskId}) turn
     cross join (
       select count(*)::int as files_deleted, coalesce(sum(size), 0)::float8 as bytes_freed
         from (select size from attachment where task_id = ${taskId}
               union all
               select size from artifact where task_id = ${taskId}) stored) file`);
