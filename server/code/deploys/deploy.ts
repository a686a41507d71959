import Type from 'typebox';
import { sql } from '../../db/sql.ts';
import { boolean, oneOf, uuid } from '../../http/input/fields.ts';
import { resource } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';
import { whyItWaits } from '../../platform/why-it-waits.ts';

const maybe = Type.Optional;

export const STATES = ['queued', 'running', 'success', 'warning', 'failed', 'superseded'] as const;

export const STAGES = ['staging', 'production'] as const;

/** What is deployed of a branch, from a row `t` of `deploy`, and `m` of its merge, if known. */
export const deploy = resource(
  'Deploy',
  {
    id: [uuid(), sql`t.id`, '019aa2b6-5e6f-7a8b-9c0d-1e2f3a4b5c6d'],
    project_id: [uuid(), sql`t.project_id`, 'c4b1f0de-2a6e-4b53-9a57-2f6f0f1f8a11'],
    repository_id: [uuid(), sql`t.repository_id`, '019aa2b5-3c4d-7e5f-8a6b-7c8d9e0f1a2b'],
    task_id: [
      maybe(uuid({ description: 'The task that was merged; left out if it was deleted.' })),
      sql`m.task_id`,
      '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f',
    ],
    merged_by_user_id: [
      maybe(uuid({ description: 'Who merged it; left out if the task was deleted.' })),
      sql`m.requested_by_user_id`,
      '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    ],
    branch: [Type.String(), sql`t.branch`, 'main'],
    stage: [oneOf([...STAGES]), sql`t.stage`, 'production'],
    commit_sha: [
      Type.String({
        pattern: '^[0-9a-f]{40}$',
        maxLength: 40,
        description: 'The commit of the branch that is deployed.',
      }),
      sql`t.commit_sha`,
      '67edee64a876d861025e1c482fc897e44bfd695c',
    ],
    state: [
      oneOf([...STATES], {
        description:
          '`warning`: deployed, with something to look at. `superseded`: a newer commit of the ' +
          'branch is deployed instead.',
      }),
      sql`t.state`,
      'success',
    ],
    reason: [
      maybe(Type.String({ description: 'Why it is in this state, as a sentence.' })),
      sql`coalesce(t.reason, ${whyItWaits(sql`t.state = 'queued'`)})`,
      undefined,
    ],
    command_run: [
      maybe(
        boolean({
          description:
            'Whether a command was begun. False where `.guildhall.yml` has none for the stage. Left ' +
            'out before it has ended, and for those of a code host.',
        }),
      ),
      sql`case when t.height is not null and t.ended_at is not null
               then t.pod_id is not null end`,
      true,
    ],
    url: [
      maybe(Type.String({ format: 'uri', description: 'Where the code host shows it.' })),
      sql`t.url`,
      undefined,
    ],
    created_at: [timestamp(), sql`t.created_at`, '2026-11-22T09:00:01.000Z'],
    started_at: [maybe(timestamp()), sql`t.started_at`, '2026-11-22T09:00:02.000Z'],
    ended_at: [maybe(timestamp()), sql`t.ended_at`, '2026-11-22T09:00:09.000Z'],
  },
  { revision: sql`t.state` },
);
