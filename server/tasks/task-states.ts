/** The states of a task (docs/decisions/0035-tasks.md). */
export const TASK_STATUSES = [
  'queued',
  'planning',
  'awaiting_approval',
  'building',
  'awaiting_answer',
  'paused',
  'ready',
  'failed',
  'cancelled',
] as const;

export type TaskStatus = (typeof TASK_STATUSES)[number];

/** Why a task is paused: what has to change before it goes on. */
export const PAUSE_REASONS = [
  'insufficient_funds',
  'account_not_active',
  'spend_cap',
  'spend_limit',
  'pod_lost',
  'drain',
] as const;

/**
 * Where a task can go from each state. The database refuses everything else
 * (check_task_transition), and a test holds the two equal.
 *
 * A task begins as `queued`. `planning`, `building` and `awaiting_answer` have a running turn. What
 * is paused, failed or cancelled goes on only by being queued again, or claimed again after a
 * pause.
 */
export const TRANSITIONS: Record<TaskStatus, readonly TaskStatus[]> = {
  queued: ['planning', 'building', 'awaiting_approval', 'ready', 'paused', 'failed', 'cancelled'],
  planning: [
    'queued',
    'awaiting_approval',
    'awaiting_answer',
    'ready',
    'paused',
    'failed',
    'cancelled',
  ],
  awaiting_approval: ['queued', 'planning', 'building', 'paused', 'failed', 'cancelled'],
  building: [
    'queued',
    'awaiting_approval',
    'awaiting_answer',
    'ready',
    'paused',
    'failed',
    'cancelled',
  ],
  awaiting_answer: ['queued', 'planning', 'building', 'paused', 'failed', 'cancelled'],
  paused: ['queued', 'planning', 'building', 'failed', 'cancelled'],
  ready: ['awaiting_approval', 'queued', 'planning', 'building', 'cancelled'],
  failed: ['queued', 'cancelled'],
  cancelled: ['queued'],
};
