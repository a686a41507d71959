import Type from 'typebox';
import { sql } from '../../db/sql.ts';
import { uuid } from '../../http/input/fields.ts';
import { resource } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';

export const STATES = ['waiting', 'delivered', 'failed'] as const;

/** An event for one webhook, from a row `d` of `webhook_delivery`. */
export const delivery = resource(
  'WebhookDelivery',
  {
    id: [
      uuid({ description: 'The `webhook-id` of every attempt.' }),
      sql`d.id`,
      '019aa2b7-1d1e-7f2a-9b3c-4d5e6f7a8b9c',
    ],
    type: [Type.String(), sql`d.type`, 'task.merged'],
    task_id: [Type.Optional(uuid()), sql`d.task_id`, '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f'],
    state: [
      Type.Enum([...STATES], {
        description:
          'One that waits is tried again, or waits for an earlier one about the same task.',
      }),
      sql`case d.state when 'blocked' then 'waiting' else d.state end`,
      'delivered',
    ],
    attempts: [Type.Integer(), sql`d.attempts`, 1],
    status: [
      Type.Optional(Type.Integer({ description: 'Of the last answer.' })),
      sql`d.status`,
      200,
    ],
    answer: [
      Type.Optional(Type.String({ description: 'The first 1,000 characters of the last answer.' })),
      sql`d.answer`,
      'ok',
    ],
    error: [
      Type.Optional(Type.String({ description: 'Why the last attempt had no answer.' })),
      sql`d.error`,
      undefined,
    ],
    duration_ms: [
      Type.Optional(Type.Integer({ description: 'Of the last attempt.' })),
      sql`d.duration_ms`,
      84,
    ],
    body: [
      Type.String({ description: 'What is sent.' }),
      sql`d.body`,
      '{"type":"task.merged","timestamp":"2026-11-21T08:15:30.123Z","data":{}}',
    ],
    created_at: [timestamp(), sql`d.created_at`, '2026-11-21T08:15:30.123Z'],
    next_attempt_at: [Type.Optional(timestamp()), sql`d.next_attempt_at`, undefined],
    ended_at: [Type.Optional(timestamp()), sql`d.ended_at`, '2026-11-21T08:15:30.623Z'],
  },
  { revision: sql`d.attempts::text` },
);
