import Type, { type TProperties } from 'typebox';
import { oneOf, uuid } from '../../http/input/fields.ts';
import { timestamp } from '../../http/timestamps.ts';
import {
  AUDIT_EVENT,
  EVENT_WORDS,
  type EventType,
  TEST_EVENT,
} from '../../platform/webhooks/event-types.ts';

/** What webhooks are sent, for the document: one entry for each type of event. */

const place = {
  organization_id: Type.Optional(uuid({ description: 'Absent outside of a workspace.' })),
  project_id: Type.Optional(uuid()),
};
const sha = () => Type.String({ pattern: '^[0-9a-f]{40}$' });
const branch = () => Type.String({ maxLength: 200 });
const stage = () => oneOf(['staging', 'production']);
const ofTask = { ...place, project_id: uuid(), task_id: uuid() };
const status = Type.String({ description: 'Of the task.' });
const changed = { ...ofTask, status, previous_status: Type.String() };
const asked = { ...ofTask, request_id: uuid() };
const deploy = {
  ...place,
  project_id: uuid(),
  task_id: Type.Optional(uuid({ description: 'Of the merge that is deployed, if there was one.' })),
  deploy_id: uuid(),
  state: oneOf(['success', 'warning', 'failed']),
  branch: branch(),
  stage: stage(),
  commit_sha: sha(),
};
const member = { organization_id: uuid(), user_id: uuid() };
const topUp = {
  organization_id: uuid(),
  top_up_id: uuid(),
  automatic: Type.Boolean({ description: 'Whether auto-reload began it.' }),
};
const free = () => Type.Object({}, { additionalProperties: true });

const DATA: Record<EventType | typeof AUDIT_EVENT | typeof TEST_EVENT, TProperties> = {
  'task.created': { ...ofTask, status, created_by_user_id: uuid() },
  'task.plan_waiting': changed,
  'task.question_asked': asked,
  'task.permission_asked': asked,
  'task.ready': changed,
  'task.failed': changed,
  'task.paused': { ...changed, reason: Type.String({ description: 'Why, as a code.' }) },
  'task.cancelled': changed,
  'task.checks_failed': { ...ofTask, head_sha: sha() },
  'task.merged': {
    ...ofTask,
    merge_id: uuid(),
    branch: branch(),
    stage: stage(),
    merge_commit_sha: sha(),
  },
  'deploy.succeeded': deploy,
  'deploy.failed': deploy,
  'member.added': member,
  'member.removed': member,
  'invitation.created': { ...place, invitation_id: uuid() },
  'balance.low': {
    organization_id: uuid(),
    threshold: Type.String({
      description: 'The amount that it has fallen below, in USD: that of auto-reload, or 5.00.',
      pattern: '^\\d+\\.\\d\\d$',
    }),
  },
  'top_up.succeeded': topUp,
  'top_up.failed': topUp,
  [AUDIT_EVENT]: {
    ...place,
    id: uuid(),
    action: Type.String(),
    outcome: oneOf(['done', 'refused']),
    code: Type.Optional(Type.String()),
    actor_user_id: Type.Optional(uuid()),
    key_id: Type.Optional(uuid()),
    target_id: Type.String(),
    before: Type.Optional(Type.Union([free(), Type.Null()])),
    after: Type.Optional(Type.Union([free(), Type.Null()])),
    request_id: Type.String(),
  },
  [TEST_EVENT]: { ...place, webhook_id: uuid() },
};

const WORDS = {
  ...EVENT_WORDS,
  [AUDIT_EVENT]: 'A row of the audit trail was written',
  [TEST_EVENT]: 'An admin has sent a test',
};

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

const HEADERS = [
  header('webhook-id', 'The same for every attempt: a receiver that has seen it ignores the rest.'),
  header('webhook-timestamp', 'Seconds since 1970, of this attempt.'),
  header(
    'webhook-signature',
    'Signatures, separated by spaces, as Standard Webhooks describes them.',
  ),
];

/** The part `webhooks` of the document. */
export const describedEvents = (): Record<string, object> =>
  Object.fromEntries(
    Object.entries(DATA).map(([type, data]) => [
      type.replaceAll(/[._]/g, '-'),
      {
        post: {
          operationId: `on_${type.replaceAll('.', '_')}`,
          tags: ['Workspaces'],
          summary: WORDS[type as keyof typeof WORDS],
          description:
            'Sent to the webhooks that hear of it, at least once, and in order for each task.',
          parameters: HEADERS,
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: Type.Object({
                  type: Type.Enum([type]),
                  timestamp: timestamp(),
                  data: Type.Object(data),
                }),
              },
            },
          },
          responses: {
            '410': { description: 'The receiver is gone: the webhook is switched off.' },
            default: {
              description: 'With 2xx, the receiver has it; anything else is tried again.',
            },
          },
        },
      },
    ]),
  );
