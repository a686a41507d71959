import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, DatabaseUnavailable } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import {
  OtherRelease,
  type Pod,
  type PodDriver,
  PodError,
  type PodStatus,
} from '../../platform/pods/pod.ts';
import { type Lease, LostLease, owned } from './lease.ts';
import { TurnStopped } from './runner.ts';

/** The pod of a task. */
export interface TaskPod {
  pod: Pod;
  /** Its work tree must be filled. */
  fresh: boolean;
  /** The setup of an environment has succeeded in it. */
  setUp: boolean;
  /** Which one (`Environments.nameOf`); null where an earlier release did not say. */
  setUpFor: string | null;
  /** The pod before was lost, with what was not committed. */
  afterLoss: boolean;
  /**
   * The session of its agent, to go on with, and the nano-USD that it has reported, whether they
   * were charged or not. `told`: whether the agent has answered in it.
   */
  session: { id: string; spent: bigint; told: boolean } | undefined;
}

interface Known {
  id: string;
  filled: boolean;
  setUp: boolean;
  setUpFor: string | null;
  session: string | null;
  spent: bigint;
  told: boolean;
}

/** Between two questions whether a pod is really gone, in milliseconds. */
const ASK_AGAIN_MS = 1_000;

/** Between two polls whether a pod is free, in milliseconds. */
const HELD_AGAIN_MS = 200;

/**
 * The pod of the turn's task, without any process of a former agent; made if there is none, from
 * the image that `imageOf` says. One that is gone, has failed or is of another release is replaced.
 * When its driver does not answer, throws TurnStopped: `pod_lost`, or `pods_unavailable` while
 * nothing is in it. Also throws LostLease and PodError.
 */
export async function openPod(
  db: Database,
  driver: PodDriver,
  lease: Lease,
  imageOf: () => Promise<string | undefined> = async () => undefined,
): Promise<TaskPod> {
  const known = await knownPod(db, lease);
  const { id } = known ?? (await insertPod(db, driver, lease));
  const filled = known?.filled ?? false;
  let ran = true;
  try {
    if (filled) {
      const { state, reason } = await certainState(driver, id);
      ran = state !== 'paused';
      if (state === 'unknown') throw new PodError('unavailable', 'the pod does not answer');
      if (state === 'absent' || state === 'failed') {
        await giveUp(db, lease, id, { state, reason });
        return openPod(db, driver, lease, imageOf);
      }
    }
    const externalId = filled ? undefined : (await driver.create(id, await imageOf())).externalId;
    const pod = await driver.attach(id);
    const { afterLoss } = await saveOne<{ afterLoss: boolean }>(
      db,
      lease,
      started(pod, { confined: driver.confined, ran }, externalId),
    );
    const { session, spent, told } = known ?? { session: null, spent: 0n, told: false };
    const fresh = !filled;
    return {
      pod,
      fresh,
      setUp: known?.setUp ?? false,
      setUpFor: known?.setUpFor ?? null,
      afterLoss: fresh && afterLoss,
      session: fresh || session === null ? undefined : { id: session, spent, told },
    };
  } catch (error) {
    // A pod keeps its image, so it would never be of use again, whatever the next turn's image is.
    if (error instanceof OtherRelease) {
      await giveUp(db, lease, id, { state: 'failed', reason: error.sentence });
      if (filled) return openPod(db, driver, lease, imageOf);
    }
    if (!(error instanceof PodError) || !isAway(error)) throw error;
    // Nothing is lost of a pod in which nothing was: the turn waits for one.
    if (!filled && error.code === 'unavailable') throw new TurnStopped('pods_unavailable');
    throw await lost(db, lease, id);
  }
}

const isAway = ({ code }: PodError) => code === 'unavailable' || code === 'absent';

/** Waits for work on it that began before the turn. */
async function knownPod(db: Database, lease: Lease): Promise<Known | undefined> {
  for (;;) {
    const pod = await db.maybeOne<Known & { held: boolean }>(podOf(lease));
    if (pod?.held !== true) return pod;
    await pause(HELD_AGAIN_MS);
  }
}

const podOf = ({ taskId }: Lease) => sql`
    select id, filled_at is not null as filled, set_up_at is not null as "setUp",
           set_up_for as "setUpFor",
           agent_session as session, coalesce(held_until > now(), false) as held,
           told_session is not distinct from agent_session as told,
           (select coalesce(sum(u.spent_nano + u.uncovered_nano), 0)::bigint from task_turn u
             where u.task_id = pod.task_id) - spent_before_session_nano as spent
      from pod where task_id = ${taskId} and state not in ('absent', 'failed', 'destroying')`;

async function insertPod(db: Database, driver: PodDriver, lease: Lease): Promise<{ id: string }> {
  const id = randomUUID();
  await save(
    db,
    lease,
    sql`
      insert into pod (id, task_id, driver, state, generation)
      select ${id}, owned.task_id, ${driver.name}, 'creating',
             1 + (select count(*) from pod p where p.task_id = owned.task_id)
        from owned`,
  );
  return { id };
}

/** SQL: whether the pod before `pod` was lost. */
const beforeIsLost = sql`
  exists (select from pod before
           where before.task_id = pod.task_id and before.lost_at is not null
             and before.generation = pod.generation - 1)`;

/** `ran`: whether it did until now. If not, its worker had died, and the time since is no one's. */
const started = (
  { id, isolation }: Pod,
  { confined, ran }: { confined: boolean; ran: boolean },
  externalId: string | undefined,
) => sql`
  update pod
     set state = 'running', absences = 0, isolation = ${isolation.slice(0, 1_000)},
         confined = ${confined},
         external_id = coalesce(${externalId ?? null}, external_id),
         started_at = now(), expires_at = null,
         counted_until = case when ${ran}::boolean then counted_until else now() end
    from owned where id = ${id}
  returning ${beforeIsLost} as "afterLoss"`;

/** As `find`, but a pod is gone only when its driver has said so twice. */
async function certainState(
  driver: PodDriver,
  id: string,
): Promise<Pick<PodStatus, 'state' | 'reason'>> {
  const first = await driver.find(id);
  if (first.state !== 'absent') return first;
  await pause(ASK_AGAIN_MS);
  return driver.find(id);
}

/**
 * SQL of an update of `pod`: it is never used again, and what is left of it is removed later. Nothing
 * was lost of one that was never filled.
 */
export const givenUp = ({ state, reason }: Pick<PodStatus, 'state' | 'reason'>): Sql => sql`
  state = ${state},
  lost_at = case when pod.filled_at is not null or ${beforeIsLost} then now() end,
  reason = ${state === 'failed' ? (reason ?? 'The pod has failed.').slice(0, 500) : null}`;

const giveUp = (
  db: Database,
  lease: Lease,
  id: string,
  found: Pick<PodStatus, 'state' | 'reason'>,
) => save(db, lease, sql`update pod set ${givenUp(found)} from owned where id = ${id}`);

/** Remembers that the driver does not answer. Why the turn has to stop. */
async function lost(db: Database, lease: Lease, id: string): Promise<TurnStopped> {
  await save(
    db,
    lease,
    sql`update pod set state = 'unknown', absences = 0, checked_at = null
          from owned where id = ${id}`,
  );
  return new TurnStopped('pod_lost');
}

/**
 * Whether a turn came to its end because its pod does not run any more, or does not answer, and why it
 * has to stop then. What the agent had done counts as lost: a turn whose pod vanishes again and again
 * is given up. One whose pod has exceeded a limit is not: it would do so again.
 */
export async function lostMeanwhile(
  db: Database,
  driver: PodDriver,
  lease: Lease,
  id: string,
): Promise<TurnStopped | undefined> {
  const { state, exceeded } = await driver
    .find(id)
    .catch(() => ({ state: 'unknown', exceeded: undefined }));
  if (state === 'running' || exceeded !== undefined) return undefined;
  await save(
    db,
    lease,
    sql`update task_turn u set losses = losses + 1 from owned where u.id = owned.turn_id`,
  );
  return lost(db, lease, id);
}

/** The work tree has the last commit of the task. */
export const podFilled = (db: Database, lease: Lease, id: string) =>
  save(db, lease, sql`update pod set filled_at = now() from owned where id = ${id}`);

/** It is about to be made anew, and filled again. */
export const podEmptied = (db: Database, lease: Lease, id: string) =>
  save(db, lease, sql`update pod set filled_at = null from owned where id = ${id}`);

/** The setup of its environment has succeeded in it. */
export const podSetUp = (db: Database, lease: Lease, id: string, setUpFor: string) =>
  save(
    db,
    lease,
    sql`update pod set set_up_at = now(), set_up_for = ${setUpFor} from owned where id = ${id}`,
  );

/** How long a pod is kept that no turn uses, unless a setting says otherwise. */
export const POD_IDLE_MS = 24 * 3_600_000;

/** SQL: when a pod that is not used from now on is removed. `idle`: milliseconds. */
export const expiry = (idle: number): Sql =>
  sql`now() + ${idle}::bigint * interval '1 millisecond'`;

/**
 * Ends all processes of a pod at the end of a turn, unless someone has taken the turn over, who may
 * work in the same pod by now. A failure of the driver or the database is no failure of the turn: the
 * next one that uses the pod sees what it is.
 */
export async function restPod(
  db: Database,
  driver: PodDriver,
  lease: Lease,
  id: string,
  idle: number = POD_IDLE_MS,
): Promise<void> {
  try {
    const takenOver = await db.maybeOne(sql`
      select from task where id = ${lease.taskId} and fence <> ${lease.fence}`);
    if (takenOver !== undefined) return;
    const found = await driver.pause(id).catch(() => undefined);
    if (found?.state !== 'paused') return;
    await save(
      db,
      lease,
      sql`
        update pod set state = 'paused', expires_at = ${expiry(idle)}
          from owned where id = ${id} and state = 'running'`,
    );
  } catch (error) {
    if (!(error instanceof LostLease || error instanceof DatabaseUnavailable)) throw error;
  }
}

/** Remembers the session of the pod's agent, which has just begun or goes on. */
export const keepSession = (db: Database, lease: Lease, podId: string, session: string) =>
  save(
    db,
    lease,
    sql`
      update pod
         set agent_session = ${session},
             spent_before_session_nano = case
               when agent_session = ${session} then spent_before_session_nano
               else (select coalesce(sum(u.spent_nano + u.uncovered_nano), 0) from task_turn u
                      where u.task_id = pod.task_id) end
        from owned where id = ${podId}`,
  );

type Sql = ReturnType<typeof sql>;

/** A change of the lease's owner: it reads from `owned`, so that it changes nothing for others. */
async function save(db: Database, lease: Lease, change: Sql): Promise<void> {
  await saveOne(db, lease, sql`${change} returning 1`);
}

/** The same, for a change that returns a row. */
async function saveOne<Row>(db: Database, lease: Lease, change: Sql): Promise<Row> {
  const [row] = await db.many<Row>(sql`
    with owned as materialized (${owned(lease)}),
    changed as (${change})
    select changed.* from owned left join changed on true`);
  if (row === undefined) throw new LostLease(lease);
  return row;
}
