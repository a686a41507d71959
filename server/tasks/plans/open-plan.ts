import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { type ApiErrorKind, apiError } from '../../http/errors.ts';
import { matches } from '../../http/preconditions.ts';
import { planNotFound } from './plan.ts';
import { isIdle, shownStatus } from './task-state.ts';
import { type CurrentVersion, placedComments } from './write-version.ts';

/** A plan as a change finds it, with its task; both are locked. */
export interface LockedPlan extends CurrentVersion {
  approved_version: number | null;
  status: string;
  /** Whether the agent works, or is about to. */
  busy: boolean;
  last_turn: number;
  last_message: number;
}

export const taskCancelled = apiError(
  409,
  'task_cancelled',
  'The task has been cancelled: send a message to go on with it',
);

export const taskBusy = apiError(
  409,
  'task_busy',
  'The agent is at work, or is about to be: wait until it has ended its turn, or cancel that first',
);

/**
 * The plan of a task that the access has locked. Errors: 404 plan_not_found; 412 with both versions
 * if it is not what If-Match names.
 */
export async function lockPlan(
  tx: Tx,
  taskId: string,
  ifMatch: string | undefined,
  planChanged: ApiErrorKind,
): Promise<LockedPlan> {
  await tx.many(sql`select version from plan where task_id = ${taskId} for update`);
  // Only now: an approval that was waited for has queued a start, which this statement sees.
  const plan = await tx.maybeOne<LockedPlan & { expected: boolean }>(sql`
    select t.version, t.approved_version, r.body as text, ${shownStatus} as status,
           not ${isIdle} as busy,
           task.last_turn, task.last_message, ${placedComments} as comments,
           ${matches(ifMatch, sql`t.version::text`)} as expected
      from plan t
      join plan_revision r on r.task_id = t.task_id and r.version = t.version
      join task on task.id = t.task_id
     where t.task_id = ${taskId}`);
  if (plan === undefined) throw planNotFound();
  const { expected, version, approved_version } = plan;
  if (!expected)
    throw planChanged({ version, ...(approved_version === null ? {} : { approved_version }) });
  return plan;
}
