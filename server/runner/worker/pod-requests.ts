import type { Logger } from 'pino';
import { RepositoryError } from '../../code/index.ts';
import { type Database, DatabaseUnavailable } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { type PodDriver, PodError } from '../../platform/pods/pod.ts';
import { type ClaimedPod, claimPod, LostClaim, releasePod, whileClaimed } from './claim-pod.ts';
import { expiry, givenUp } from './pods.ts';
import type { WorkTrees } from './work-tree.ts';

/** What carrying out a request needs. */
interface PodRequestOptions {
  driver: PodDriver;
  trees: WorkTrees;
  /** Of a new pod; undefined for that of the driver. */
  imageOf(task: { projectId: string; taskId: string }): Promise<string | undefined>;
  log: Logger;
  /** How long a pod is kept that no turn uses, in milliseconds. */
  podIdle: number;
  /** Aborted once no more may be begun. */
  stopping?: AbortSignal | undefined;
}

interface PodRequest {
  taskId: string;
  action: 'start' | 'stop';
  attempts: number;
}

/** How long others leave a request alone that a worker has begun with, in milliseconds. */
const BEGUN_MS = 60_000;
const MOST_ATTEMPTS = 5;
const BATCH = 10;

/** Starts and stops pods as people have asked for. Returns how many were carried out. */
export async function carryOutPodRequests(
  db: Database,
  options: PodRequestOptions,
): Promise<number> {
  for (let done = 0; done < BATCH; done++) {
    const [request] = await db.many<PodRequest>(nextRequest);
    if (request === undefined) return done;
    const outcome = await carryOut(db, options, request);
    // One that was changed meanwhile is another request.
    const same = sql`task_id = ${request.taskId} and action = ${request.action}`;
    if (outcome === 'over') await db.many(sql`delete from pod_request where ${same}`);
    // That was no attempt.
    if (outcome === 'later')
      await db.many(sql`
        update pod_request
           set not_before = now() + interval '1 second', attempts = greatest(attempts - 1, 0)
         where ${same}`);
  }
  return BATCH;
}

type Failure = PodError | RepositoryError;

const isFailure = (error: unknown): error is Failure =>
  error instanceof PodError || error instanceof RepositoryError;

/** Whether another worker, or this one when it runs again, may succeed with the same request. */
const isOfWorker = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable ||
  error instanceof LostClaim ||
  (error instanceof Error && error.name === 'AbortError');

/** Whether the request is tried again. */
const mayPass = (error: unknown, { attempts }: PodRequest): boolean =>
  attempts < MOST_ATTEMPTS && (!(error instanceof RepositoryError) || error.passes);

/** For people. */
function sentenceOf(error: unknown): string {
  if (error instanceof PodError) return `${error.sentence}.`;
  return isFailure(error) ? error.message : FAULT;
}
const FAULT = 'Something went wrong in the server; its log has the details.';

const nextRequest = sql`
  with due as materialized (
    select w.task_id from pod_request w
     where w.not_before <= now()
     order by w.not_before limit 1 for update skip locked)
  update pod_request w
     set attempts = w.attempts + 1,
         not_before = now() + ${BEGUN_MS}::integer * interval '1 millisecond'
    from due where w.task_id = due.task_id
  returning w.task_id as "taskId", w.action, w.attempts`;

/**
 * A pod that a turn uses is as its turn needs it: the request came too late, or is fulfilled. `later`:
 * it cannot be worked on at this moment. `again`: it could not be done, and may be in a minute.
 */
async function carryOut(
  db: Database,
  options: PodRequestOptions,
  request: PodRequest,
): Promise<'over' | 'later' | 'again'> {
  const { driver, log } = options;
  const { taskId, action } = request;
  const claimed = await claimPod(db, {
    taskId,
    ...(action === 'start' ? { make: driver.name } : {}),
  });
  if (claimed === 'later') return 'later';
  if (claimed === 'busy' || claimed === 'none') return 'over';
  try {
    if (action === 'start') await start(db, options, claimed);
    else {
      await driver.pause(claimed.id);
      await releasePod(db, claimed, sql`state = 'paused', expires_at = ${expiry(options.podIdle)}`);
    }
    return 'over';
  } catch (error) {
    const passes = isOfWorker(error) || mayPass(error, request);
    // Nothing is in a pod that was never filled: the next start makes another one.
    const change =
      passes || claimed.filled
        ? sql`absences = 0`
        : givenUp({ state: 'failed', reason: sentenceOf(error) });
    await releasePod(db, claimed, change);
    if (isOfWorker(error)) throw error;
    const level = isFailure(error) ? 'warn' : 'error';
    log[level]({ err: error, task: taskId }, `a pod could not ${action}`);
    return passes ? 'again' : 'over';
  }
}

async function start(
  db: Database,
  { driver, trees, imageOf, podIdle, stopping }: PodRequestOptions,
  claimed: ClaimedPod,
): Promise<void> {
  const created = claimed.filled
    ? undefined
    : await driver.create(claimed.id, await imageOf(claimed));
  const pod = claimed.filled ? await driver.start(claimed.id) : await driver.attach(claimed.id);
  if (!claimed.filled)
    await whileClaimed(db, claimed, stopping, (signal) => trees.checkOut(pod, claimed, signal));
  await releasePod(
    db,
    claimed,
    sql`state = 'running', started_at = now(), absences = 0, expires_at = ${expiry(podIdle)},
        filled_at = coalesce(filled_at, now()), isolation = ${pod.isolation.slice(0, 1_000)},
        confined = ${driver.confined},
        external_id = coalesce(${created?.externalId ?? null}, external_id)`,
  );
}
