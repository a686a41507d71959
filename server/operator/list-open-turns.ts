import Type from 'typebox';
import { asOperator } from '../access/operator.ts';
import { type Sql, sql } from '../db/sql.ts';
import { operatorRequired } from '../http/errors.ts';
import { oneOf, uuid } from '../http/input/fields.ts';
import { type Listed, type ListParts, listed, page } from '../http/list.ts';
import { cursorInvalid, pages } from '../http/paging.ts';
import { resource } from '../http/resource.ts';
import { route } from '../http/route.ts';
import { timestamp } from '../http/timestamps.ts';

const STATES = ['queued', 'interrupted', 'running', 'waiting'] as const;

/** A row `t` of `task_turn`, its task `k`, project `p` and workspace `o`: no word of the task. */
const openTurn = resource('OpenTurn', {
  id: [uuid(), sql`t.id`, '019aa2b9-2e2f-7a3b-8c4d-5e6f70819203'],
  task_id: [uuid(), sql`t.task_id`, '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f'],
  project_id: [uuid(), sql`k.project_id`, 'c4b1f0de-2a6e-4b53-9a57-2f6f0f1f8a11'],
  organization_id: [
    Type.Optional(uuid()),
    sql`p.organization_id`,
    '5d0f9a4e-7c1b-4e2a-8f3d-6b7c8d9e0f1a',
  ],
  workspace_name: [Type.Optional(Type.String()), sql`o.name`, 'Acme'],
  requested_by_user_id: [
    Type.Optional(uuid()),
    sql`t.requested_by_user_id`,
    '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  ],
  requested_by_email: [Type.Optional(Type.String()), sql`u.email`, 'ada@example.com'],
  kind: [Type.Enum(['plan', 'build', 'prompt']), sql`t.kind`, 'build'],
  state: [
    Type.Enum([...STATES], {
      description:
        'One that waits asks a person something; one that is interrupted has lost its worker and ' +
        'begins again.',
    }),
    sql`t.state`,
    'running',
  ],
  paused: [
    Type.Boolean({ description: 'Its task is paused: no worker takes it.' }),
    sql`t.paused`,
    false,
  ],
  attempt: [Type.Integer(), sql`t.attempt`, 1],
  worker: [
    Type.Optional(Type.String({ description: 'Who carries it out.' })),
    sql`t.owner`,
    'worker-1:4711',
  ],
  lease_until: [Type.Optional(timestamp()), sql`t.lease_until`, '2026-11-21T08:16:00.123Z'],
  created_at: [timestamp(), sql`t.created_at`, '2026-11-21T08:15:30.123Z'],
  started_at: [Type.Optional(timestamp()), sql`t.started_at`, '2026-11-21T08:15:31.123Z'],
});

/** What runs, and what waits to run. */
export const listOpenTurns = route({
  method: 'GET',
  path: '/api/operator/turns',
  area: 'Operation',
  operationId: 'list_open_turns',
  summary: 'List running and queued turns',
  description:
    'Turns that have not ended, oldest first: where they are and how they are, and no word of the ' +
    'task. Always in pages: 50 entries, unless `limit` says otherwise. Operators only.',
  access: asOperator,
  query: Type.Object({
    ...pages,
    state: Type.Optional(oneOf([...STATES], { description: 'Only those in this state.' })),
  }),
  responses: { 200: openTurn.listed('Oldest first.') },
  errors: [operatorRequired, cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(turns(query), query) }, page(url, query.limit)),
});

const turns = ({ state }: { state?: (typeof STATES)[number] }): ListParts => ({
  json: openTurn.json,
  rows: sql`
    from authorized
    cross join (${state === undefined ? ALL : OF_STATE[state]}) t
    join task k on k.id = t.task_id
    join project p on p.id = k.project_id
    left join organization o on o.id = p.organization_id
    left join app_user u on u.id = t.requested_by_user_id
   where true`,
  order: [{ by: sql`t.id`, type: 'uuid' }],
});

// Written out, because a parameter would not find the indexes of what has not ended.
const OF_STATE: Record<(typeof STATES)[number], Sql> = {
  queued: sql`select * from task_turn where state = 'queued'`,
  interrupted: sql`select * from task_turn where state = 'interrupted'`,
  running: sql`select * from task_turn where state = 'running'`,
  waiting: sql`select * from task_turn where state = 'waiting'`,
};
const ALL = sql`
  select * from task_turn where state in ('queued', 'interrupted')
   union all
  select * from task_turn where state in ('running', 'waiting')`;
