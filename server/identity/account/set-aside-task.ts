import Type from 'typebox';
import { onTask } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { dateTime } from '../../http/input/fields.ts';
import { ids, route } from '../../http/route.ts';

/** Takes what a task has in the caller's inbox out of it, until a time or until something new happens. */
export const setAsideTask = route({
  method: 'PUT',
  path: '/api/tasks/{task_id}/inbox',
  area: 'Account',
  operationId: 'set_aside_task',
  summary: 'Set aside what a task has in your inbox',
  description:
    'Leaves the entries of the task up to `seen` out of your inbox, for you alone: until ' +
    '`snoozed_until`, or for good. What happens in the task later is a new entry.',
  access: onTask('open_project'),
  params: ids('task_id'),
  body: Type.Object(
    {
      seen: dateTime({ description: 'The `since` of the newest entry that you have seen.' }),
      snoozed_until: Type.Optional(
        dateTime({ description: 'When to list them again; without it, never.' }),
      ),
    },
    { additionalProperties: false },
  ),
  sample: () => ({ body: { seen: '2026-11-21T08:15:30.123Z' } }),
  responses: { 204: { description: 'The entries are set aside.' } },
  errors: [],
  handle: ({ body, statement }) =>
    statement<object>(
      {
        with: sql`
          changed as (
            insert into inbox_mark (user_id, task_id, seen, snoozed_until)
            select caller.user_id, authorized.task_id,
                   least(${body.seen}::timestamptz, clock_timestamp()),
                   ${body.snoozed_until ?? null}::timestamptz
              from authorized cross join caller
            on conflict (user_id, task_id) do update
               set seen = greatest(inbox_mark.seen, excluded.seen), snoozed_until = excluded.snoozed_until
            returning task_id)`,
        select: sql`select changed.task_id from changed`,
      },
      () => ({ status: 204 }),
    ),
});
