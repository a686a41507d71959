import { sql } from '../db/sql.ts';
import type { TaskStatus } from './task-states.ts';

/** The states in which there is something to cancel, as shown. */
export const CANCELLABLE: readonly TaskStatus[] = [
  'queued',
  'planning',
  'building',
  'awaiting_answer',
  'paused',
];

/** The states from which a person can make a task go on with what it did last. */
export const RESUMABLE: readonly TaskStatus[] = ['paused', 'failed', 'cancelled'];

/**
 * The stored states in which nothing of a task runs or is queued, and an approved plan may start.
 */
export const RESTING: readonly TaskStatus[] = ['awaiting_approval', 'ready', 'failed', 'cancelled'];

// approve_plan leaves the stored status alone. Not `exists`, for which PostgreSQL may read the
// starts of all tasks.
const startWaits = sql`
  t.status = any(${RESTING}::text[])
  and (select true from waiting_start s where s.task_id = t.id limit 1)`;

/**
 * The status of a task `t` as it is shown. One whose plan is approved waits for its agent to start,
 * whatever it was before.
 */
export const shownStatus = sql`case when ${startWaits} then 'queued' else t.status end`;

/** Why a task `t` has the status that is shown; of one that waits, why no worker takes it. */
export const shownReason = sql`
  case when t.status = 'queued' or ${startWaits} then (select why_tasks_wait())
       else t.status_reason end`;
