import { setTimeout as pause } from 'node:timers/promises';
import { type Database, DatabaseUnavailable } from '../../db/database/database.ts';
import { PodError } from '../../platform/pods/pod.ts';
import { LostFence } from '../../tasks/index.ts';
import { type Ending, endTurn } from './end-turn.ts';
import { LostLease } from './lease.ts';
import { turnMoney } from './money.ts';
import type { WorkerOptions, WorkerTimes } from './options.ts';
import { publishArtifacts } from './publish-artifacts.ts';
import { publishChanges } from './publish-changes.ts';
import { publishEnds } from './publish-ends.ts';
import { TurnFailed, TurnStopped } from './runner.ts';
import type { RunningTurn } from './running-turn.ts';
import { traceTurn } from './trace-turn.ts';
import { workOf } from './turn-work.ts';

/** What one turn needs of its worker. */
type TurnOptions = WorkerOptions & { times: WorkerTimes };

/** A turn whose worker vanished so often is not tried again. */
export const MAX_LOSSES = 3;
const STORE_AGAIN_MS = 500;

/**
 * Carries out a claimed turn to its end. A turn that is lost on the way is left as it is: whoever
 * has it now writes, and no other.
 */
export async function runTurn(
  db: Database,
  entry: RunningTurn,
  options: TurnOptions,
): Promise<void> {
  const { turn } = entry;
  const { events, owner, log, observer } = options;
  const said = { task: turn.taskId, turn: turn.turnId, attempt: turn.attempt };
  const trace = traceTurn(options.trace, entry);
  let result = 'lost';
  try {
    const ending = await trace.agent(() => carryOut(db, entry, options));
    if (ending === 'lost') throw new LostLease(turn);
    entry.ending = true;
    await trace.end(async () => {
      const stored = await store(db, entry, ending, options);
      result = stored.state;
      observer?.onEnd(turn, result, (performance.now() - entry.claimedAt) / 1_000);
      log.info({ ...said, state: result }, 'turn ended');
      await publishEnding(db, entry, stored, { events, owner });
    });
  } catch (error) {
    if (!isLoss(error)) throw error;
    if (entry.ending && error instanceof LostFence) return; // The next owner publishes the end.
    entry.stop('lost');
    observer?.onLoss();
    log.warn(said, 'turn lost: another worker has it, or will');
  } finally {
    trace.close(result);
  }
}

const isLoss = (error: unknown) => error instanceof LostLease || error instanceof LostFence;

/** Everything up to the end, which it does not store. */
async function carryOut(
  db: Database,
  entry: RunningTurn,
  options: TurnOptions,
): Promise<Ending | 'lost'> {
  const { turn } = entry;
  const { events, owner } = options;
  try {
    if ((await events.acquire(turn.taskId, turn.fence, owner)) === undefined) return 'lost';
    await publishEnds(db, events, turn);
    entry.publishing = publishChanges(db, events, turn);
    await entry.publishing;
    if (turn.cancelled) return { state: 'cancelled' };
    if (turn.losses >= MAX_LOSSES) return { state: 'failed', error: GIVEN_UP };
    const money = turnMoney(db, turn, {
      lost: () => entry.stopped === 'lost',
      onCharge: options.observer?.onCharge,
      onShortfall: ({ reported, charged }) =>
        options.log.warn(
          {
            task: turn.taskId,
            turn: turn.turnId,
            reportedNano: `${reported}`,
            chargedNano: `${charged}`,
          },
          'a cost was charged in part: the funds, a cap or a limit did not cover it',
        ),
    });
    await money.begin();
    entry.started = true;
    const work = workOf(db, entry, { events, money });
    const { number, kind, mode, attempt, requestedByUserId } = turn;
    const by = requestedByUserId === null ? {} : { requested_by_user_id: requestedByUserId };
    await work.append(
      { type: 'turn_started', payload: { number, kind, attempt, ...by } },
      { type: 'status', payload: { status: mode === 'build' ? 'building' : 'planning' } },
    );
    const settling = setInterval(() => work.settle().catch(() => {}), options.times.settle).unref();
    const running = settled(options.runner.run(turn, work), entry, options);
    const { text } = await running.finally(() => clearInterval(settling));
    if (entry.stopped === 'lost') return 'lost';
    const fault = kind === 'plan' ? options.planFault(text) : undefined;
    return fault === undefined ? { state: 'done', text } : { state: 'failed', error: fault };
  } catch (error) {
    return endingOf(error, entry, options);
  }
}

const GIVEN_UP =
  `The server was interrupted ${MAX_LOSSES} times while it worked on this. ` +
  'Send a message to try again.';
const FAULT =
  'Something went wrong in the server; its log has the details. Send a message to try again.';
const FULL =
  'The disk of the server is full: its operator has to free some of it. Send a message to try ' +
  'again then.';
const LATE = 'This took longer than a turn may take. Send a message to go on.';

const UNANSWERED =
  'Nobody answered the question of the agent, and other tasks needed its place. Send a message with ' +
  'the answer to go on.';

/** The runner's result. One that does not settle in time after a stop is not waited for. */
async function settled<Result>(
  result: Promise<Result>,
  { signal }: RunningTurn,
  { times, log }: TurnOptions,
): Promise<Result> {
  const over = new AbortController();
  const late = new Promise<never>((_, reject) => {
    const refuse = async () => {
      await pause(times.stop, undefined, { signal: over.signal }).catch(() => {});
      if (!over.signal.aborted) log.error('an agent did not end in time');
      reject(signal.reason);
    };
    if (signal.aborted) refuse();
    else signal.addEventListener('abort', refuse, { once: true, signal: over.signal });
  });
  late.catch(() => {});
  try {
    return await Promise.race([result, late]);
  } finally {
    over.abort();
  }
}

/** What an error means for the turn. What it was stopped for comes first. */
function endingOf(error: unknown, entry: RunningTurn, { log }: TurnOptions): Ending | 'lost' {
  const stopped = entry.stopped ?? (error instanceof TurnStopped ? error.reason : undefined);
  switch (stopped) {
    case 'lost':
      return 'lost';
    case 'cancelled':
      return { state: 'cancelled' };
    case 'drained':
    case 'pods_unavailable':
      return { state: 'interrupted' };
    case 'late':
      return { state: 'failed', error: LATE };
    case 'unanswered':
      return { state: 'failed', error: UNANSWERED };
    case 'insufficient_funds':
    case 'account_not_active':
    case 'spend_cap':
    case 'spend_limit':
    case 'pod_lost':
      return {
        state: 'paused',
        reason: stopped,
        needed: entry.needed ?? (error instanceof TurnStopped ? error.needed : undefined),
      };
  }
  if (isLoss(error)) return 'lost';
  if (error instanceof TurnFailed) {
    const { message, cause } = error;
    // What its provider says of a pod is for the operator alone.
    if (cause instanceof PodError)
      log.warn({ err: cause, task: entry.turn.taskId, turn: entry.turn.turnId }, 'a pod failed');
    return { state: 'failed', error: message };
  }
  log.error({ err: error, task: entry.turn.taskId, turn: entry.turn.turnId }, 'turn failed');
  if (error instanceof DatabaseUnavailable) return { state: 'interrupted' };
  return { state: 'failed', error: isFull(error) ? FULL : FAULT };
}

/** Whether there is no room, as the system says it, or git of the system. */
const isFull = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const { code = '', message } = error as NodeJS.ErrnoException;
  return (
    ['ENOSPC', 'EDQUOT'].includes(code) ||
    /No space left on device|Disk quota exceeded|Out of diskspace/.test(message)
  );
};

/** Tries again while the database does not answer and the turn is still this worker's. */
async function store(
  db: Database,
  entry: RunningTurn,
  ending: Ending,
  options: TurnOptions,
): Promise<Ending> {
  for (;;) {
    try {
      return await db.transaction((tx) => endTurn(tx, entry.turn, ending, options.storePlan));
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
    }
    await pause(STORE_AGAIN_MS);
    if (entry.stopped === 'lost') throw new LostLease(entry.turn);
  }
}

async function publishEnding(
  db: Database,
  { turn, started, publishing }: RunningTurn,
  ending: Ending,
  { events }: Pick<TurnOptions, 'events' | 'owner'>,
): Promise<void> {
  if (ending.state !== 'interrupted' && ending.state !== 'paused')
    return publishEnds(db, events, turn);
  await publishArtifacts(db, events, turn);
  const paused = ending.state === 'paused';
  const payload = { number: turn.number, state: 'interrupted' };
  const ended = { type: 'turn_ended', turnId: turn.turnId, payload };
  await events.append(turn.taskId, turn.fence, [
    ...(started ? [ended] : []),
    {
      type: 'status',
      payload: paused ? { status: 'paused', reason: ending.reason } : { status: 'queued' },
    },
  ]);
  if (!paused) return;
  // Not twice at once. What noted why it pauses is published by any worker if this one dies.
  await publishing.catch(() => {});
  await publishChanges(db, events, turn);
}
