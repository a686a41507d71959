import Type from 'typebox';
import { onTaskUsage } from '../access/usage.ts';
import { usdOfNano } from '../billing/index.ts';
import { sql } from '../db/sql.ts';
import { oneOf, uuid } from '../http/input/fields.ts';
import { type Listed, type ListParts, listed, page } from '../http/list.ts';
import { cursorInvalid, pages } from '../http/paging.ts';
import { resource } from '../http/resource.ts';
import { ids, route } from '../http/route.ts';
import { timestamp } from '../http/timestamps.ts';

/** A turn of an agent, from a row `turn` of `task_turn` and `person`, who may be null. */
const turn = resource('TaskTurn', {
  number: [
    Type.Integer({ description: 'Its place among the turns of the task.' }),
    sql`turn.number`,
    2,
  ],
  kind: [
    oneOf(['plan', 'build', 'prompt'], {
      description:
        '`plan`: the agent writes or revises the plan. `build`: it builds an approved version. ' +
        '`prompt`: it answers a message after that.',
    }),
    sql`turn.kind`,
    'build',
  ],
  plan_version: [
    Type.Optional(Type.Integer({ description: 'The version that a build turn builds.' })),
    sql`turn.plan_version`,
    1,
  ],
  state: [
    oneOf(['queued', 'running', 'waiting', 'done', 'failed', 'cancelled', 'interrupted'], {
      description:
        '`waiting`: for a person to answer the agent. `interrupted`: it goes on with another worker.',
    }),
    sql`turn.state`,
    'done',
  ],
  requested_by_user_id: [
    Type.Optional(uuid({ description: 'Who asked for it.' })),
    sql`turn.requested_by_user_id`,
    '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  ],
  requested_by_name: [
    Type.Optional(Type.String({ description: 'The name of that person as it is now.' })),
    sql`person.name`,
    'Ada',
  ],
  amount: [
    Type.String({
      description: 'USD that it has cost so far, exact: 2 to 9 decimals.',
      pattern: '^\\d+\\.\\d{2,9}$',
    }),
    usdOfNano(sql`turn.spent_nano`),
    '0.314000001',
  ],
  created_at: [timestamp(), sql`turn.created_at`, '2026-11-21T08:15:30.123Z'],
  started_at: [Type.Optional(timestamp()), sql`turn.started_at`, '2026-11-21T08:15:31.123Z'],
  ended_at: [Type.Optional(timestamp()), sql`turn.ended_at`, '2026-11-21T08:17:02.456Z'],
});

/** What each turn of a task has cost. */
export const listTaskTurns = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/turns',
  area: 'Usage',
  operationId: 'list_task_turns',
  summary: "List a task's turns with their cost",
  description:
    'The turns of the agent, the newest first, with what each has cost: all of them for whoever ' +
    'created the task and for owners and admins, and for others those that they asked for. ' +
    'Always in pages: 50 entries, unless `limit` says otherwise.',
  access: onTaskUsage,
  params: ids('task_id'),
  query: Type.Object(pages),
  responses: { 200: turn.listed('The newest first.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(turns, query) }, page(url, query.limit)),
});

const turns: ListParts = {
  json: turn.json,
  rows: sql`
    from task_turn turn
    cross join authorized
    left join app_user person on person.id = turn.requested_by_user_id
   where turn.task_id = (select task_id from authorized)
     and ((select sees_all from authorized)
          or turn.requested_by_user_id = (select user_id from authorized))`,
  order: [{ by: sql`turn.number`, type: 'integer' }],
  descending: true,
};
