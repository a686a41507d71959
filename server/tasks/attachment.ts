import Type from 'typebox';
import { sql } from '../db/sql.ts';
import { uuid } from '../http/input/fields.ts';
import { resource } from '../http/resource.ts';
import { timestamp } from '../http/timestamps.ts';

const FILE = {
  media_type: [
    Type.String({ description: 'From the bytes, not from what their sender said.' }),
    sql`t.media_type`,
    'application/pdf',
  ],
  size: [Type.Integer({ description: 'Bytes.' }), sql`t.size`, 48_213],
  sha256: [
    Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of the bytes.' }),
    sql`t.sha256`,
    '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
  ],
} as const;

/** A file that a person gives to a task, from a row `t` of `attachment`. It never changes. */
export const attachment = resource(
  'Attachment',
  {
    id: [uuid(), sql`t.id`, '019aa2b3-c4d5-7e6f-8a1b-2c3d4e5f6a7b'],
    project_id: [uuid(), sql`t.project_id`, 'c4b1f0de-2a6e-4b53-9a57-2f6f0f1f8a11'],
    task_id: [
      Type.Optional(uuid({ description: 'Left out until a task has taken it.' })),
      sql`t.task_id`,
      '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f',
    ],
    message_number: [
      Type.Optional(Type.Integer({ description: 'The message that it was sent with, if any.' })),
      sql`t.message_number`,
      undefined,
    ],
    name: [Type.String(), sql`t.name`, 'requirements.pdf'],
    ...FILE,
    uploaded_by_user_id: [
      uuid(),
      sql`t.uploaded_by_user_id`,
      '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    ],
    created_at: [timestamp(), sql`t.created_at`, '2026-11-21T08:15:30.123Z'],
  },
  { project: 'project_id', revision: sql`t.sha256` },
);

/** A file that a task has produced, from a row `t` of `artifact`. It never changes. */
export const artifact = resource(
  'Artifact',
  {
    id: [uuid(), sql`t.id`, '019aa2b4-0d1e-7f2a-9b3c-4d5e6f7a8b9c'],
    task_id: [uuid(), sql`t.task_id`, '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f'],
    turn_id: [
      uuid({ description: 'The turn of the agent that produced it.' }),
      sql`t.turn_id`,
      '019aa2b3-ffff-7a1b-8c2d-3e4f5a6b7c8d',
    ],
    path: [
      Type.String({ description: 'Where the agent wrote it, relative to its folder.' }),
      sql`t.path`,
      'reports/coverage.pdf',
    ],
    name: [Type.String({ description: 'The last part of the path.' }), sql`t.name`, 'coverage.pdf'],
    ...FILE,
    created_at: [timestamp(), sql`t.created_at`, '2026-11-21T08:15:30.123Z'],
  },
  { project: 'project_id', revision: sql`t.sha256` },
);
