import Type from 'typebox';
import { type Sql, sql } from '../../db/sql.ts';
import { apiError, fieldError } from '../../http/errors.ts';
import {
  boolean,
  multilineText,
  nullable,
  oneOf,
  text,
  usdAmount,
  uuid,
} from '../../http/input/fields.ts';
import { name } from '../../http/input/names.ts';
import { resource, usd, usdSql } from '../../http/resource.ts';
import type { DeclaredAnswer } from '../../http/route.ts';
import { timestamp } from '../../http/timestamps.ts';
import { newTask } from '../task.ts';
import { STARTS } from './message-fields.ts';

export const MOST_ROUTINES = 50;
/** The most bytes of a request that writes one. */
export const LARGEST_ROUTINE = 256 * 1024;

const maybe = Type.Optional;

const startsBy = () =>
  oneOf([...STARTS], {
    description:
      '`schedule`: at the times of `schedule`. `call`: a POST with its token to its `call_path`. ' +
      '`label`: an issue of a repository of the project on GitHub gets the label `label`, by ' +
      'someone who may write to it. `mention`: someone who may write to it mentions the App in a ' +
      'comment on an issue.',
  });
const message = () =>
  multilineText({
    minLength: 1,
    maxLength: 20_000,
    description:
      'The message that each task begins with. Fields are filled in: `{{date}}` and `{{time}}` ' +
      'always; `{{body}}`, what a call has sent; `{{issue.number}}`, `{{issue.title}}`, ' +
      '`{{issue.body}}`, `{{issue.url}}` and `{{issue.author}}` of a label or a mention; and ' +
      '`{{comment.body}}` and `{{comment.author}}` of a mention.',
  });
const schedule = () =>
  text({
    minLength: 9,
    maxLength: 100,
    description:
      'Five fields of cron: minute, hour, day of the month, month, day of the week; at most every 15 minutes.',
  });
const timeZone = () =>
  text({ minLength: 1, maxLength: 50, description: 'Of the schedule, such as Europe/Berlin.' });
const label = () =>
  text({ minLength: 1, maxLength: 100, description: 'The name of a label on GitHub.' });
const perHour = () =>
  Type.Integer({ minimum: 1, maximum: 60, description: 'Tasks that it may begin in an hour.' });
const atOnce = () =>
  Type.Integer({
    minimum: 1,
    maximum: 10,
    description: 'Tasks of it that may be at work at once.',
  });

/** A routine, from a row `t` of `routine`. */
const shape = resource(
  'Routine',
  {
    id: [uuid(), sql`t.id`, '8c9dae1f-2b3c-4d5e-8f60-718293a4b5c6'],
    project_id: [uuid(), sql`t.project_id`, '1c6e2a5b-7d8f-4a9b-8c0d-1e2f3a4b5c6d'],
    name: [name({ maxLength: 100 }), sql`t.name`, 'Weekly update', 'writable'],
    message: [message(), sql`t.message`, 'Update what is outdated, as of {{date}}.', 'writable'],
    title: [maybe(Type.String()), sql`t.title`, undefined],
    model: [maybe(Type.String()), sql`t.model`, undefined],
    spend_cap: [
      maybe(usd({ description: 'USD that each task may cost.' })),
      sql`t.spend_cap`,
      '5.00',
    ],
    on_behalf_of_user_id: [
      uuid({
        description: 'Whose tasks they are: a person, or a service account of the workspace.',
      }),
      sql`t.on_behalf_of_user_id`,
      '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    ],
    on_behalf_of_name: [
      maybe(Type.String()),
      sql`(select coalesce(u.name, u.email) from app_user u where u.id = t.on_behalf_of_user_id)`,
      'Ada Byron',
    ],
    starts_by: [startsBy(), sql`t.starts_by`, 'schedule'],
    schedule: [maybe(Type.String()), sql`t.schedule`, '0 6 * * 1'],
    time_zone: [maybe(Type.String()), sql`t.time_zone`, 'Europe/Berlin'],
    next_at: [
      maybe(timestamp({ description: 'When it begins next; left out while it is paused.' })),
      sql`case when t.enabled then t.next_at end`,
      '2026-11-23T05:00:00.000Z',
    ],
    call_path: [
      maybe(Type.String({ description: 'The path of this server that calls it.' })),
      sql`case when t.starts_by = 'call' then '/webhooks/routines/' || t.id end`,
      undefined,
    ],
    label: [maybe(Type.String()), sql`t.label`, undefined],
    per_hour: [perHour(), sql`t.per_hour`, 10, 'writable'],
    at_once: [atOnce(), sql`t.at_once`, 1, 'writable'],
    enabled: [
      boolean({ description: 'Whether it begins anything.' }),
      sql`t.enabled`,
      true,
      'writable',
    ],
    paused_reason: [
      maybe(
        Type.Enum(['failing', 'right_ended'], {
          description:
            'Why the server paused it: three runs in a row have failed, or the person or service ' +
            'account may begin tasks here no more. Absent when a person did.',
        }),
      ),
      sql`t.paused_reason`,
      undefined,
    ],
    created_at: [timestamp(), sql`t.created_at`, '2026-11-20T09:00:00.000Z'],
    updated_at: [timestamp(), sql`t.updated_at`, '2026-11-21T08:15:30.123Z'],
  },
  { project: 'project_id' },
);

const model = () =>
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[0-9A-Za-z][0-9A-Za-z._:/-]*$',
    description: 'The model that works on each task.',
  });
const onBehalfOf = () =>
  uuid({
    description:
      'On behalf of whom: yourself, or a service account of the workspace; you by default.',
  });

const withToken = Type.Object(
  {
    ...shape.schema.properties,
    token: maybe(
      Type.String({
        description: 'Of one that is called. It is shown in this answer and never again.',
      }),
    ),
  },
  { $id: 'RoutineWithToken' },
);

export const routine = {
  ...shape,
  /** The body of a new one. */
  added: Type.Object(
    {
      name: shape.writable.name,
      message: message(),
      ...newTask,
      on_behalf_of_user_id: maybe(onBehalfOf()),
      starts_by: startsBy(),
      schedule: maybe(schedule()),
      time_zone: maybe(timeZone()),
      label: maybe(label()),
      per_hour: maybe(perHour()),
      at_once: maybe(atOnce()),
    },
    { additionalProperties: false },
  ),
  /** The body of an update. */
  changes: Type.Object(
    {
      ...shape.changes.properties,
      title: maybe(nullable(name({ maxLength: 300, description: 'Of each task.' }))),
      model: maybe(nullable(model())),
      spend_cap: maybe(
        nullable(
          usdAmount({ minimum: 0.01, maximum: 1_000_000, description: 'USD each may cost.' }),
        ),
      ),
      on_behalf_of_user_id: maybe(onBehalfOf()),
      schedule: maybe(schedule()),
      time_zone: maybe(timeZone()),
      label: maybe(label()),
    },
    { additionalProperties: false },
  ),
  /** The answer that shows one with its token, once. */
  shownOnce: (description: string, headers: string[]): DeclaredAnswer => ({
    description,
    headers,
    schema: withToken,
    example: shape.example,
  }),
  /** What the audit trail keeps of one. */
  snapshot: (row: Sql) => sql`
    jsonb_build_object(
      'name', (${row}).name,
      'starts_by', (${row}).starts_by,
      'schedule', (${row}).schedule,
      'time_zone', (${row}).time_zone,
      'label', (${row}).label,
      'message', left((${row}).message, 2000),
      'on_behalf_of_user_id', (${row}).on_behalf_of_user_id,
      'model', (${row}).model,
      'spend_cap', ${usdSql(sql`(${row}).spend_cap`)},
      'per_hour', (${row}).per_hour,
      'at_once', (${row}).at_once,
      'enabled', (${row}).enabled)`,
};

/** A run of a routine, from a row `t` of `routine_run`. */
export const routineRun = resource('RoutineRun', {
  id: [uuid(), sql`t.id`, '019aa2b7-1d1e-7f2a-9b3c-4d5e6f7a8b9c'],
  routine_id: [uuid(), sql`t.routine_id`, '8c9dae1f-2b3c-4d5e-8f60-718293a4b5c6'],
  started_by: [
    Type.Enum([...STARTS, 'person'], { description: '`person`: by `run_routine`.' }),
    sql`t.started_by`,
    'schedule',
  ],
  state: [
    Type.Enum(['waiting', 'begun', 'done', 'skipped', 'failed'], {
      description:
        '`waiting`: it begins within seconds. `begun`: its task is at work. `done`: the task came to ' +
        'rest, such as with a plan to approve. `skipped` and `failed`: see `reason`.',
    }),
    sql`t.state`,
    'done',
  ],
  reason: [
    maybe(
      Type.String({
        description:
          'Of one that was skipped: `too_many_this_hour`, `too_many_at_once`, `paused` or ' +
          '`project_archived`. Of one that has failed: `right_ended`, `model_not_offered`, ' +
          '`message_empty`, `task_failed` or `internal_error`.',
      }),
    ),
    sql`t.reason`,
    undefined,
  ],
  task_id: [
    maybe(uuid({ description: 'The task that it has begun.' })),
    sql`t.task_id`,
    '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f',
  ],
  scheduled_for: [maybe(timestamp()), sql`t.scheduled_for`, '2026-11-23T05:00:00.000Z'],
  created_at: [timestamp(), sql`t.created_at`, '2026-11-23T05:00:00.123Z'],
  ended_at: [maybe(timestamp()), sql`t.ended_at`, '2026-11-23T05:04:10.003Z'],
});

export const tooManyRoutines = apiError(
  409,
  'too_many_routines',
  `The project has ${MOST_ROUTINES} routines, which is as many as there may be: delete one first`,
);
export const routineChanged = apiError(
  412,
  'routine_changed',
  'The routine has changed since you read it: read it again, then update it',
);
export const routineOfAnother = apiError(
  409,
  'routine_of_another',
  'The routine acts for someone for whom you cannot speak: take it over first, with on_behalf_of_user_id of yourself or of a service account that you manage',
);
export const notCalled = apiError(
  409,
  'routine_not_called',
  'Only a routine that is started by calls has a token',
);
export const unknownField = fieldError(
  'unknown_field',
  ['body', 'message'],
  'The message has a field that routines with this start do not have: use those that the documentation lists',
);
export const scheduleWrong = fieldError(
  'schedule_wrong',
  ['body', 'schedule'],
  'Send five fields of cron, such as `0 6 * * 1`, that come true some day and at most every 15 minutes',
);
export const timeZoneWrong = fieldError(
  'time_zone_wrong',
  ['body', 'time_zone'],
  'Send the name of a time zone, such as Europe/Berlin',
);
export const startWrong = fieldError(
  'start_wrong',
  ['body', 'starts_by'],
  'Send `schedule` and `time_zone` with a schedule, `label` with a label, and none of them otherwise',
);
export const onBehalfOfWrong = fieldError(
  'on_behalf_of_wrong',
  ['body', 'on_behalf_of_user_id'],
  'Choose yourself, or a service account if you manage those of the workspace; who it is must be allowed to create tasks here',
);
