import Type, { type TSchema } from 'typebox';
import { actionsSchema, availableActions } from '../access/actions.ts';
import { PULL_REQUEST_STATES } from '../code/index.ts';
import { jsonObject, jsonText, jsonToken } from '../db/json.ts';
import { type Sql, sql } from '../db/sql.ts';
import { apiError } from '../http/errors.ts';
import { boolean, nullable, oneOf, usdAmount, uuid } from '../http/input/fields.ts';
import { name } from '../http/input/names.ts';
import { resource, usd, usdSql } from '../http/resource.ts';
import { timestamp, timestampSql } from '../http/timestamps.ts';
import type { Catalog } from '../platform/catalog/catalog.ts';
import { POD_STATES } from '../platform/pods/pod-states.ts';
import { instanceActions } from './instance-actions.ts';
import { shownReason, shownStatus } from './shown-status.ts';
import { taskActions } from './task-actions.ts';
import { TASK_STATUSES } from './task-states.ts';

const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);

const title = () => name({ maxLength: 300, description: 'What the task is about, in a line.' });
const model = () =>
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[0-9A-Za-z][0-9A-Za-z._:/-]*$',
    description: 'The model that works on it, one that `get_config` lists.',
  });
const spendCap = () =>
  usdAmount({
    minimum: 0.01,
    maximum: 1_000_000,
    description: 'USD that the task may cost in all.',
  });

const plan = sql`(
  select ${jsonObject({
    version: sql`l.version::text`,
    approved_version: sql`l.approved_version::text`,
  })}
    from plan l where l.task_id = t.id)`;

/** SQL: when a pull request `pr` was merged, if it is. Its last change is that, in every release. */
const mergedAt = sql`pr.updated_at`;

const pullRequest = sql`(
  select ${jsonObject({
    number: sql`pr.number::text`,
    state: jsonToken(sql`pr.state`),
    base: jsonText(sql`pr.base`),
    merged_at: sql`case when pr.state = 'merged' then ${jsonToken(timestampSql(mergedAt))} end`,
  })}
    from pull_request pr where pr.task_id = t.id)`;

// The newest pod of the task, or null if it was removed.
const pod = sql`(
  select case when p.state <> 'absent'
              then ${jsonObject({
                state: jsonToken(sql`p.state`),
                driver: jsonText(sql`p.driver`),
                confined: sql`p.confined::text`,
              })} end
    from pod p where p.task_id = t.id order by p.created_at desc limit 1)`;

// Turns count in nano-USD; money is shown to the micro-USD (ruling 1.15).
const spend = jsonObject({
  amount: jsonToken(
    usdSql(sql`(
      select round(coalesce(sum(turn.spent_nano), 0) / 1000)
        from task_turn turn where turn.task_id = t.id)`),
  ),
  cap: jsonToken(usdSql(sql`t.spend_cap`)),
});

/** The model that works on a task `t`, given the default one of its project. */
const shownModel =
  ({ models }: Catalog) =>
  (ofProject: Sql): Sql =>
    sql`
    coalesce(t.model, ${ofProject}, ${models.find(({ is_default }) => is_default)?.id ?? null}::text)`;

/**
 * A task, and what the caller may do to it, from a row `t` of `task` beside `authorized`, which
 * knows what the caller acts as.
 */
const shape = (catalog: Catalog, erps: readonly string[]) =>
  resource(
    'Task',
    {
      id: [uuid(), sql`t.id`, '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f'],
      project_id: [uuid(), sql`t.project_id`, 'c4b1f0de-2a6e-4b53-9a57-2f6f0f1f8a11'],
      title: [title(), sql`t.title`, 'Sale order approval', 'writable'],
      status: [
        oneOf([...TASK_STATUSES], {
          description:
            '`ready`: nothing is running or waiting. `awaiting_approval`: for a person to approve ' +
            'the plan. `awaiting_answer`: for a person to answer the agent. `paused`: see ' +
            '`status_reason`.',
        }),
        shownStatus,
        'awaiting_approval',
      ],
      status_reason: [
        maybe(
          Type.String({
            description:
              'Why the task is paused, such as `insufficient_funds` or `spend_cap`, or a sentence ' +
              'that says why it failed. Of one that is queued, why it does not begin: ' +
              '`no_worker`, no process carries out tasks; `worker_unable`, those that should ' +
              'cannot; `pods_unavailable`, they can make no pods now. It begins by itself when ' +
              'that has changed.',
          }),
        ),
        shownReason,
        undefined,
      ],
      model: [
        maybe(model()),
        shownModel(catalog)(sql`(select default_model from project where id = t.project_id)`),
        'sandbox',
      ],
      base: [
        maybe(
          Type.String({
            description:
              'The branch that it begins with and is to be merged into; left out for the default one.',
          }),
        ),
        sql`t.base`,
        undefined,
      ],
      plan: [
        maybe(
          Type.Object(
            { version: Type.Integer(), approved_version: Type.Optional(Type.Integer()) },
            { description: 'Left out until the agent has written one.' },
          ),
        ),
        plan,
        { version: 2, approved_version: 1 },
      ],
      pull_request: [
        maybe(
          Type.Object(
            {
              number: Type.Integer(),
              state: oneOf([...PULL_REQUEST_STATES]),
              base: Type.String({ description: 'The branch that it is to be merged into.' }),
              merged_at: maybe(timestamp({ description: 'Left out until it is merged.' })),
            },
            { description: 'Left out until it is opened. See `get_pull_request`.' },
          ),
        ),
        pullRequest,
        undefined,
      ],
      pod: [
        maybe(
          Type.Object(
            {
              state: oneOf(POD_STATES.filter((state) => state !== 'absent')),
              driver: Type.String({ description: 'What it is made by.' }),
              confined: maybe(
                boolean({
                  description:
                    'Whether what runs in it is kept apart from the machine of the server. Left ' +
                    'out until it is started.',
                }),
              ),
            },
            { description: 'Where its agent works; left out while it has none. See `get_pod`.' },
          ),
        ),
        pod,
        { state: 'paused', driver: 'process', confined: true },
      ],
      spend: [
        Type.Object({
          amount: usd({ description: 'USD that it has cost so far.' }),
          cap: Type.Optional(usd({ description: 'USD that it may cost in all.' })),
        }),
        spend,
        { amount: '0.42', cap: '5.00' },
      ],
      routine: [
        maybe(
          Type.Object(
            { id: uuid(), name: Type.String() },
            { description: 'The routine that began it; left out for tasks that people began.' },
          ),
        ),
        sql`
          (select ${jsonObject({ id: jsonToken(sql`routine.id`), name: jsonText(sql`routine.name`) })}
             from routine where routine.id = t.routine_id)`,
        undefined,
      ],
      created_by_user_id: [
        uuid(),
        sql`t.created_by_user_id`,
        '7c9e6679-7425-40de-944b-e07fc1f90ae7',
      ],
      archived: [
        boolean({ description: 'Whether the task is left out of lists.' }),
        sql`t.archived_at is not null`,
        false,
      ],
      conversation_removed_at: [
        maybe(
          timestamp({
            description:
              'When messages, texts of plans, comments and questions were removed because the task ' +
              'had been archived for long: see `retention` of `get_config`.',
          }),
        ),
        sql`t.conversation_removed_at`,
        undefined,
      ],
      files_removed: [
        maybe(Type.Integer({ description: 'How many attachments and artifacts were removed so.' })),
        sql`nullif(t.files_removed, 0)`,
        undefined,
      ],
      files_removed_at: [
        maybe(timestamp()),
        sql`case when t.files_removed > 0 then t.files_removed_at end`,
        undefined,
      ],
      created_at: [timestamp(), sql`t.created_at`, '2026-11-20T09:00:00.000Z'],
      updated_at: [timestamp(), sql`t.updated_at`, '2026-11-21T08:15:30.123Z'],
      available_actions: [
        actionsSchema(),
        availableActions(sql`authorized.acts_as`, {
          ...taskActions,
          ...instanceActions(erps),
        }),
        Object.keys(taskActions),
      ],
    },
    { project: 'project_id' },
  );

/** Make it once: it is a component of the document. `erps`: see `instanceActions`. */
export function taskResource(catalog: Catalog, erps: readonly string[]) {
  const made = shape(catalog, erps);
  return {
    ...made,
    shownModel: shownModel(catalog),
    /**
     * The body of an update: `null` clears what may be empty, and `archived` sets `archived_at`.
     */
    changes: Type.Object(
      {
        ...made.changes.properties,
        model: maybe(nullable(model())),
        spend_cap: maybe(nullable(spendCap())),
        archived: maybe(boolean()),
      },
      { additionalProperties: false },
    ),
  };
}

export type TaskResource = ReturnType<typeof taskResource>;

/** The columns of a row of `task` that people set, as one jsonb for the audit trail. */
export const taskSnapshot = (row: Sql): Sql => sql`
  jsonb_build_object(
    'title', (${row}).title,
    'model', (${row}).model,
    'spend_cap', ${usdSql(sql`(${row}).spend_cap`)},
    'archived', (${row}).archived_at is not null)
  || case when (${row}).base is null then '{}'
          else jsonb_build_object('base', (${row}).base) end
  || case when (${row}).routine_id is null then '{}'
          else jsonb_build_object('routine_id', (${row}).routine_id) end`;

/** The fields of a new task beside its first message. */
export const newTask = {
  title: maybe(title()),
  model: maybe(model()),
  spend_cap: maybe(spendCap()),
};

export const taskChanged = apiError(
  412,
  'task_changed',
  'The task has changed since you read it: read it again, then update it',
);
