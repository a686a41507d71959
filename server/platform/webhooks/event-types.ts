/** What webhooks can hear of, and the words of a chat for it. */
export const EVENT_WORDS = {
  'task.created': 'A task was created',
  'task.plan_waiting': 'The plan of a task waits for approval',
  'task.question_asked': 'The agent of a task asks a question',
  'task.permission_asked': 'The agent of a task asks for a permission',
  'task.ready': 'A task is ready',
  'task.failed': 'A task has failed',
  'task.paused': 'A task is paused',
  'task.cancelled': 'A task was cancelled',
  'task.checks_failed': 'The checks of a task have failed',
  'task.merged': 'A task was merged',
  'deploy.succeeded': 'A deploy has succeeded',
  'deploy.failed': 'A deploy has failed',
  'member.added': 'A person has joined the workspace',
  'member.removed': 'A person has left the workspace',
  'invitation.created': 'A person was invited',
  'balance.low': 'The balance of the workspace is low',
  'top_up.succeeded': 'The balance of the workspace was topped up',
  'top_up.failed': 'The balance of the workspace could not be topped up',
} as const;

export type EventType = keyof typeof EVENT_WORDS;

export const EVENT_TYPES = Object.keys(EVENT_WORDS) as EventType[];

/** What endpoints of the kind `audit` hear of, and no others. */
export const AUDIT_EVENT = 'audit.recorded';

/** What an admin sends to see whether an endpoint works. */
export const TEST_EVENT = 'webhook.test';

export const KINDS = ['standard', 'slack', 'discord', 'audit'] as const;
export type Kind = (typeof KINDS)[number];
