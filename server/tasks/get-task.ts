import Type from 'typebox';
import { onTask } from '../access/project.ts';
import { sql } from '../db/sql.ts';
import { type Shown, shownAs } from '../http/change.ts';
import { ids, route } from '../http/route.ts';
import type { TaskEvents } from './events/task-events.ts';
import type { TaskResource } from './task.ts';

/** Milliseconds that an answer waits for the event log. */
const LONGEST_WAIT_MS = 1_000;

/** One task, what the caller may do to it, and where its events stand. */
export const getTask = ({
  task,
  events,
}: {
  task: TaskResource;
  events: Pick<TaskEvents, 'log'>;
}) =>
  route({
    method: 'GET',
    path: '/api/tasks/{task_id}',
    area: 'Tasks',
    operationId: 'get_task',
    summary: 'Get a task',
    description:
      'The task, for everyone who can open its project. To follow it, read it and then stream ' +
      'its events after `as_of_seq`: no change of the task is missed between the two. One that ' +
      'the answer shows already may come once more.',
    access: onTask('open_project'),
    params: ids('task_id'),
    responses: { 200: withPosition(task) },
    errors: [],
    handle: async ({ params: { task_id }, load, statement }) => {
      // No one else makes the server ask, or wait for, the event log (ruling 10.1).
      await load();
      // Workers write to the core first and then to the log. So the log is read first here: what is
      // not in the row yet comes after this event.
      const last = await lastEvent(events, task_id);
      return statement<Shown>(
        {
          select: sql`
            select ${task.columns}
              from authorized join task t on t.id = authorized.task_id`,
        },
        ({ item, revision }) => shownAs(200, { item: positioned(item, last), revision }),
      );
    },
  });

/**
 * The answer that shows a task and its position, which lists do not have: there it would be a
 * question to the event log for each task.
 */
const withPosition = (task: TaskResource) => ({
  ...task.shown('The task.'),
  schema: Type.Object(
    {
      ...task.schema.properties,
      as_of_seq: Type.Optional(
        Type.Integer({
          minimum: 0,
          description:
            'The last event of the task when it was read, 0 before the first. Left out while the ' +
            'event log cannot be read.',
        }),
      ),
    },
    { $id: 'TaskWithPosition' },
  ),
  example: { ...task.example, as_of_seq: 42 },
});

const positioned = (item: string, last: number | undefined): string =>
  last === undefined ? item : `${item.slice(0, -1)},"as_of_seq":${last}}`;

/** The number of the task's last event; undefined when the log does not answer in time. */
async function lastEvent(
  { log }: Pick<TaskEvents, 'log'>,
  taskId: string,
): Promise<number | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, LONGEST_WAIT_MS, undefined);
  const last = log.head(taskId).then(
    (head) => head.last,
    () => undefined,
  );
  try {
    return await Promise.race([last, late]);
  } finally {
    clearTimeout(timer);
  }
}
