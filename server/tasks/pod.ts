import Type from 'typebox';
import type { Tx } from '../db/database/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import { apiError } from '../http/errors.ts';
import { oneOf, uuid } from '../http/input/fields.ts';
import { resource } from '../http/resource.ts';
import { timestamp } from '../http/timestamps.ts';
import { POD_STATES } from '../platform/pods/pod-states.ts';
import { whyItWaits } from '../platform/why-it-waits.ts';

const maybe = Type.Optional;

/** Where the agent of a task works, from a row `t` of `newestPod`. Every task has one to show. */
export const pod = resource(
  'Pod',
  {
    task_id: [uuid(), sql`t.task_id`, '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f'],
    state: [
      oneOf([...POD_STATES], {
        description:
          '`absent`: the task has none, or has none any more. `paused`: nothing runs in it, and ' +
          'its files are kept. `unknown`: it does not answer.',
      }),
      sql`t.state`,
      'running',
    ],
    wanted: [
      maybe(
        oneOf(['running', 'paused'], {
          description: 'What someone has asked for, until a worker has seen to it.',
        }),
      ),
      sql`t.wanted`,
      undefined,
    ],
    id: [maybe(uuid()), sql`t.id`, '01aa2b3c-4d5e-7f60-8a1b-2c3d4e5f6a7b'],
    driver: [maybe(Type.String({ description: 'What it is made by.' })), sql`t.driver`, 'process'],
    isolation: [
      maybe(Type.String({ description: 'What confines its processes, as a sentence.' })),
      sql`t.isolation`,
      'bubblewrap: own namespaces, no network, the system read-only; up to 4 GiB of memory',
    ],
    reason: [
      maybe(
        Type.String({
          description:
            'Why it has failed, also once it is gone, or what it waits for, as a sentence.',
        }),
      ),
      sql`coalesce(t.reason, ${whyItWaits(sql`t.wanted is not null`)})`,
      undefined,
    ],
    generation: [
      maybe(Type.Integer({ minimum: 1, description: 'How many pods the task has had with it.' })),
      sql`t.generation`,
      1,
    ],
    created_at: [maybe(timestamp()), sql`t.created_at`, '2026-11-21T08:15:30.123Z'],
    started_at: [
      maybe({ ...timestamp(), description: 'When it was last started.' }),
      sql`t.started_at`,
      '2026-11-21T08:15:31.456Z',
    ],
    expires_at: [
      maybe({
        ...timestamp(),
        description: 'When it is removed, unless it is used before; work is kept.',
      }),
      sql`t.expires_at`,
      undefined,
    ],
  },
  { revision: sql`t.state` },
);

/** SQL: one row about the newest pod of a task, of which it knows the id; also without a pod. */
export const newestPod = (taskId: Sql): Sql => sql`
  (select wanted.task_id, coalesce(p.state, 'absent') as state, p.id, p.driver, p.isolation,
          p.reason, p.generation, p.created_at, p.started_at, p.expires_at,
          case w.action when 'start' then 'running' when 'stop' then 'paused' end as wanted
     from (select ${taskId} as task_id) wanted
     left join lateral (
       select * from pod where pod.task_id = wanted.task_id
        order by generation desc, created_at desc limit 1) p on true
     left join pod_request w on w.task_id = wanted.task_id)`;

/** The pod of a task as one JSON text. */
export const showPod = async (tx: Tx, taskId: string): Promise<{ item: string; wanted: boolean }> =>
  tx.one(sql`
    select ${pod.columns}, t.wanted is not null as wanted
      from ${newestPod(sql`${taskId}::uuid`)} t`);

/** Asks the workers for something; the later request replaces the earlier one. */
export const requestPod = (tx: Tx, taskId: string, what: 'start' | 'stop', userId: string) =>
  tx.many(sql`
    insert into pod_request as w (task_id, action, requested_by_user_id)
    values (${taskId}, ${what}, ${userId})
    on conflict (task_id) do update
       set action = excluded.action, requested_by_user_id = excluded.requested_by_user_id,
           requested_at = now(), not_before = now(), attempts = 0`);

/** Whether a turn uses the pod of a task `t`. */
export const podInUse = sql`
  exists (select from task_turn u where u.task_id = t.id and u.state in ('running', 'waiting'))`;

export const podInUseError = apiError(
  409,
  'pod_in_use',
  'The agent is at work in the pod: wait until its turn has ended, or cancel the task first',
);

export const taskArchived = apiError(
  409,
  'task_archived',
  'The task is archived: take it out of the archive first',
);
