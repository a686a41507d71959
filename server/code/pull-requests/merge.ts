import Type from 'typebox';
import { sql } from '../../db/sql.ts';
import { apiError } from '../../http/errors.ts';
import { boolean, oneOf, uuid } from '../../http/input/fields.ts';
import { resource } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';
import { whyItWaits } from '../../platform/why-it-waits.ts';
import { sha } from './pull-request.ts';

const maybe = Type.Optional;

export const METHODS = ['merge', 'squash'] as const;

/** A merge of a task, and what came of it, from a row `t` of `merge`. */
export const merge = resource(
  'Merge',
  {
    id: [uuid(), sql`t.id`, '019aa2b4-1d1e-7f2a-9b3c-4d5e6f7a8b9c'],
    task_id: [uuid(), sql`t.task_id`, '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f'],
    state: [
      oneOf(['queued', 'merged', 'failed'], { description: '`queued`: a worker carries it out.' }),
      sql`t.state`,
      'merged',
    ],
    reason: [
      maybe(Type.String({ description: 'Why it waits, as a sentence.' })),
      whyItWaits(sql`t.state = 'queued'`),
      undefined,
    ],
    branch: [Type.String(), sql`t.branch`, 'main'],
    stage: [oneOf(['staging', 'production']), sql`t.stage`, 'production'],
    method: [oneOf([...METHODS]), sql`t.method`, 'merge'],
    head_sha: [
      sha('The last commit of the task, which the caller had seen.'),
      sql`t.expected_head_sha`,
      '8098d1895c045b0d672c07a79b3f857a8381ff12',
    ],
    forced: [
      boolean({ description: 'Whether it was asked for although checks had not passed.' }),
      sql`t.forced`,
      false,
    ],
    merge_commit_sha: [
      maybe(sha('The commit on the branch that has the changes of the task.')),
      sql`t.merge_commit_sha`,
      '67edee64a876d861025e1c482fc897e44bfd695c',
    ],
    failure: [
      maybe(
        Type.Object({
          code: Type.String(),
          message: Type.String({ description: 'A sentence that says what to do.' }),
        }),
      ),
      sql`case when t.failure_code is not null
               then json_build_object('code', t.failure_code, 'message', t.failure_message) end`,
      undefined,
    ],
    requested_by_user_id: [
      uuid(),
      sql`t.requested_by_user_id`,
      '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    ],
    created_at: [timestamp(), sql`t.created_at`, '2026-11-22T09:00:00.000Z'],
    ended_at: [maybe(timestamp()), sql`t.ended_at`, '2026-11-22T09:00:01.000Z'],
  },
  { revision: sql`t.state` },
);

/** SQL: the newest merge of a task. */
export const newestMerge = sql`
  (select * from merge m where m.task_id = authorized.task_id order by m.created_at desc limit 1)`;

export const mergeNotFound = apiError(
  404,
  'merge_not_found',
  'No one has asked to merge this task yet: open its pull request, then merge it',
);
