import Type from 'typebox';
import { type Sql, sql } from '../../db/sql.ts';
import { apiError, fieldError } from '../../http/errors.ts';
import { boolean, list, object, oneOf, uuid } from '../../http/input/fields.ts';
import { name } from '../../http/input/names.ts';
import { resource } from '../../http/resource.ts';
import type { DeclaredAnswer } from '../../http/route.ts';
import { timestamp } from '../../http/timestamps.ts';
import {
  AUDIT_EVENT,
  EVENT_TYPES,
  type EventType,
  KINDS,
  type Kind,
} from '../../platform/webhooks/event-types.ts';
import { address } from './address.ts';

export const MOST_WEBHOOKS = 20;

const eventTypes = () =>
  list(oneOf([...EVENT_TYPES]), {
    minItems: 1,
    maxItems: EVENT_TYPES.length,
    uniqueItems: true,
    description: 'What it hears of. One of the kind `audit` has none to choose.',
  });

const kind = () =>
  oneOf([...KINDS], {
    description:
      '`standard`: signed by the specification of Standard Webhooks. `audit`: the same, for each ' +
      'row of the audit trail as it is written. `slack`, `discord`: one line of text with a link, ' +
      'for an incoming webhook there.',
  });

/** A webhook of a workspace or a project, from a row `t` of `webhook_endpoint`. */
const shape = resource('Webhook', {
  id: [uuid(), sql`t.id`, '6b1d7c3e-2f4a-4b5c-8d6e-9f0a1b2c3d4e'],
  organization_id: [
    Type.Optional(uuid({ description: 'Of one of a whole workspace.' })),
    sql`t.organization_id`,
    '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  ],
  project_id: [
    Type.Optional(uuid({ description: 'Of one of a project.' })),
    sql`t.project_id`,
    undefined,
  ],
  name: [name({ maxLength: 100 }), sql`t.name`, 'Releases', 'writable'],
  kind: [kind(), sql`t.kind`, 'standard'],
  url: [address(), sql`t.url`, 'https://hooks.example.com/guildhall', 'writable'],
  event_types: [
    Type.Array(Type.String(), { description: 'What it hears of.' }),
    sql`to_json(t.event_types)`,
    ['task.plan_waiting', 'task.merged'],
  ],
  enabled: [
    boolean({ description: 'Whether it hears of anything.' }),
    sql`t.enabled`,
    true,
    'writable',
  ],
  disabled_reason: [
    Type.Optional(
      Type.Enum(['failing', 'gone'], {
        description:
          'Why the server switched it off: it failed for three days, or answered 410. Absent when ' +
          'a person did.',
      }),
    ),
    sql`t.disabled_reason`,
    undefined,
  ],
  overlap_until: [
    Type.Optional(timestamp({ description: 'Until then the secret before signs, too.' })),
    sql`case when t.overlap_until > now() then t.overlap_until end`,
    undefined,
  ],
  created_at: [timestamp(), sql`t.created_at`, '2026-11-20T09:00:00.000Z'],
  updated_at: [timestamp(), sql`t.updated_at`, '2026-11-21T08:15:30.123Z'],
});

const secret = Type.Optional(
  Type.String({
    description:
      'Verifies signatures. It is shown in this answer and never again; those of Slack and Discord ' +
      'have none.',
  }),
);

const withSecret = Type.Object(
  { ...shape.schema.properties, secret },
  { $id: 'WebhookWithSecret' },
);

export const webhook = {
  ...shape,
  /** The body of a new one. */
  added: object({
    name: shape.writable.name,
    url: shape.writable.url,
    kind: Type.Optional(kind()),
    event_types: Type.Optional(eventTypes()),
  }),
  /** The body of an update. */
  changes: Type.Object(
    { ...shape.changes.properties, event_types: Type.Optional(eventTypes()) },
    { additionalProperties: false },
  ),
  /** The answer that shows one with its secret, once. */
  shownOnce: (description: string, headers: string[]): DeclaredAnswer => ({
    description,
    headers,
    schema: withSecret,
    example: { ...shape.example, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
  }),
  /** What the audit trail keeps of one: the server, and neither the path nor the secret. */
  snapshot: (row: Sql) => sql`
    jsonb_build_object(
      'name', (${row}).name,
      'kind', (${row}).kind,
      'host', split_part(split_part((${row}).url, '://', 2), '/', 1),
      'event_types', array_to_string((${row}).event_types, ' '),
      'enabled', (${row}).enabled)`,
};

export const tooManyWebhooks = apiError(
  409,
  'too_many_webhooks',
  `There are ${MOST_WEBHOOKS} webhooks here, which is as many as there may be: delete one first`,
);

export const webhookChanged = apiError(
  412,
  'webhook_changed',
  'The webhook has changed since you read it: read it again, then update it',
);

export const webhookUnreadable = apiError(
  409,
  'webhook_unreadable',
  'The secret of this webhook cannot be opened by this server: make a new one, or ask the operator ' +
    'whether SERVER_SECRET was replaced',
);

export const webhookUnsigned = apiError(
  409,
  'webhook_unsigned',
  'Webhooks of Slack and Discord have no secret: make a new address there, and enter it here',
);

export const eventTypesWrong = fieldError(
  'webhook_event_types',
  ['body', 'event_types'],
  'Choose what the webhook hears of; a project has no events of members and balances, and one of the kind audit has none to choose',
);

/** Not of a project: who is in a workspace, and its money. */
const OF_WORKSPACE = /^(member|top_up)\./;

/** The types that are stored. Errors: 422 webhook_event_types. */
export function readEventTypes(
  kind: Kind,
  sent: readonly EventType[] | undefined,
  { ofProject }: { ofProject: boolean },
): readonly string[] {
  if (kind === 'audit') {
    if (sent !== undefined) throw eventTypesWrong();
    return [AUDIT_EVENT];
  }
  if (sent === undefined || (ofProject && sent.some((type) => OF_WORKSPACE.test(type))))
    throw eventTypesWrong();
  return EVENT_TYPES.filter((type) => sent.includes(type));
}
