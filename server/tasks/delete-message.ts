import Type from 'typebox';
import { onTask } from '../access/project.ts';
import { onMessage } from '../access/task.ts';
import { type Sql, sql } from '../db/sql.ts';
import { apiError } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { recordChange } from '../platform/audit/audit.ts';
import { messageNumber } from './message.ts';

const messageSent = apiError(
  409,
  'message_sent',
  'The agent has read this message, or the task was cancelled: only a queued one can be deleted',
);

/** Takes a message back that the agent has not read. */
export const deleteMessage = route({
  method: 'DELETE',
  path: '/api/tasks/{task_id}/messages/{number}',
  area: 'Tasks',
  operationId: 'delete_message',
  wakes: true,
  summary: 'Delete a queued message',
  description:
    'Takes back a message that the agent has not read. Its author may, as long as they are a ' +
    'member of the project, and admins of the project. Its attachments stay with the task, and ' +
    'can be sent with another message.',
  access: onMessage('delete_task', 'work_on_task'),
  // The message is gone by then.
  replayAccess: onTask('work_on_task'),
  params: Type.Object({ ...ids('task_id').properties, number: messageNumber() }),
  responses: { 204: { description: 'The message was deleted.' } },
  errors: [messageSent],
  handle: ({ params: { task_id, number }, requestId, transaction }) =>
    transaction(async (tx, caller) => {
      const turn = await tx.maybeOne(sql`
        delete from task_turn u using task_message m
         where m.task_id = ${task_id} and m.number = ${number} and u.id = m.turn_id
           and u.state = 'queued' and u.attempt = 0
        returning u.id`);
      if (turn === undefined) throw messageSent();
      await tx.many(settled(task_id));
      await recordChange(tx, {
        caller,
        action: 'message.delete',
        target: task_id,
        organizationId: caller.organization_id,
        projectId: caller.project_id,
        before: { number },
        after: {},
        requestId,
      });
      return { status: 204 };
    }),
});

// The message goes with its turn. If nothing is left to do, the task waits for what it waited for
// before.
const settled = (taskId: string): Sql => sql`
  update task t
     set status = case when exists (select from plan l
                                     where l.task_id = t.id
                                       and l.approved_version is distinct from l.version)
                       then 'awaiting_approval' else 'ready' end
   where t.id = ${taskId} and t.status = 'queued'
     and not exists (select from task_turn u
                      where u.task_id = t.id
                        and u.state in ('queued', 'interrupted', 'running', 'waiting'))`;
