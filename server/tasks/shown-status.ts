import { type Sql, sql } from '../db/sql.ts';
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
const startWaits = (task: Sql) => sql`
  ${task}.status = any(${RESTING}::text[])
  and (select true from waiting_start s where s.task_id = ${task}.id limit 1)`;

/**
 * The status of a row of `task` as it is shown, by the name that the row has in the statement. One
 * whose plan is approved waits for its agent to start, whatever it was before.
 */
export const shownStatusOf = (task: Sql): Sql =>
  sql`case when ${startWaits(task)} then 'queued' else ${task}.status end`;

/** As `shownStatusOf`, of a task `t`. */
export const shownStatus = shownStatusOf(sql`t`);

/** Why a task `t` has the status that is shown; of one that waits, why no worker takes it. */
export const shownReason = sql`
  case when t.status = 'queued' or ${startWaits(sql`t`)} then (select why_tasks_wait())
       else t.status_reason end`;
