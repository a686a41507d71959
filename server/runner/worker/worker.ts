import type { Database } from '../../db/database/database.ts';
import type { Sql } from '../../db/sql.ts';
import { type Loop, openLoop } from '../../platform/loop.ts';
import { openLoopWhenDue, wakeLoops } from '../../platform/loop-when-due.ts';
import { beat, readCancellations } from './beat.ts';
import { claimTurn } from './claim.ts';
import { ANY_DUE, due } from './due.ts';
import type { WorkerOptions, WorkerTimes } from './options.ts';
import { CHANGES_WAIT, publishChanges, publishIdle, tasksWithChanges } from './publish-changes.ts';
import { publishForgotten } from './publish-ends.ts';
import { type Answered, readAnswers } from './requests.ts';
import { type Place, resumeFunded } from './resume-funded.ts';
import { runTurn } from './run-turn.ts';
import { STOP_WITHIN_MS } from './runner.ts';
import { RunningTurn } from './running-turn.ts';
import { startBuilds } from './start-builds.ts';

/** Carries out the turns of tasks. Any number of processes may do so. */
interface TaskWorker {
  /** Looks for turns every 500 ms, until `close`. */
  start(): void;
  /** Polls for turns, cancellations and answers now. */
  wake(): void;
  /** Turns at work in this process. */
  running(): number;
  /**
   * Claims no more, gives running turns a while, then ends their agents and leaves the turns to
   * other workers.
   */
  close(): Promise<void>;
  /** Ends all agents at once and stores nothing. Others go on when the leases have run out. */
  abandon(): Promise<void>;
}

export const TIMES: WorkerTimes = {
  poll: 500,
  beat: 10_000,
  lease: 30_000,
  silence: 20_000,
  deadline: 2 * 3_600_000,
  drain: 20_000,
  stop: STOP_WITHIN_MS,
  settle: 60_000,
  funds: 5_000,
  changes: 500,
  unanswered: 1_800_000,
};

/**
 * For each turn that may work, so many may be there: those that wait for people need little but
 * memory, and whoever leaves questions unanswered would otherwise keep the tasks of all others
 * waiting.
 */
export const MOST_THERE = 4;

/** An end that is unpublished for so long has lost the worker that stored it. */
const FORGOTTEN_AFTER_MS = 15_000;
const PUBLISH_EVERY_MS = 15_000;

export function taskWorker(db: Database, options: WorkerOptions): TaskWorker {
  const { owner, events, log, concurrency, canBegin = () => true } = options;
  const times = { ...TIMES, ...options.times };
  const running = new Map<string, RunningTurn>();
  const loops: Loop[] = [];
  let watching: NodeJS.Timeout | undefined;
  /** What the turns that are claimed from now on are stopped for. */
  let closing: 'drained' | 'lost' | undefined;

  /** Answers that have come, and whose turns go on before others begin. */
  let answered = 0;
  const working = () =>
    [...running.values()].filter(({ asksSince }) => asksSince === undefined).length;

  /** Claims turns while it may have more, and there are some. */
  async function claim(): Promise<void> {
    const mayWork = () => closing === undefined && working() + answered < concurrency && canBegin();
    if (!mayWork()) return;
    const { builds, turns } = await due(db);
    if (builds) await startBuilds(db);
    else if (!turns) return;
    if (running.size >= MOST_THERE * concurrency) giveUpUnanswered();
    while (mayWork() && running.size < MOST_THERE * concurrency) {
      const asked = performance.now();
      const turn = await claimTurn(db, { owner, lease: times.lease, deadline: times.deadline });
      if (turn === undefined) return;
      options.observer?.onClaim(turn);
      const entry = new RunningTurn(turn, asked);
      running.set(turn.turnId, entry);
      entry.ended = runTurn(db, entry, { ...options, times })
        .catch((err) => log.error({ err, turn: turn.turnId }, 'a turn could not be ended'))
        .finally(() => {
          running.delete(turn.turnId);
          claims.run();
        });
      if (closing !== undefined) entry.stop(closing);
    }
  }

  /** Ends the turn that has waited for people for longest, once that is long. */
  function giveUpUnanswered(): void {
    const since = ({ asksSince = Number.POSITIVE_INFINITY }: RunningTurn) => asksSince;
    const [longest] = [...running.values()].sort((a, b) => since(a) - since(b));
    if (longest !== undefined && performance.now() - since(longest) >= times.unanswered)
      longest.stop('unanswered');
  }

  /** Stops turns that someone cancelled or that took too long, and hands over answers. */
  async function listen(): Promise<void> {
    if (running.size === 0) {
      answered = 0;
      return;
    }
    const requests = [...running.values()].flatMap(({ requests }) => [...requests.keys()]);
    const [cancellations, answers] = await Promise.all([
      readCancellations(db, [...running.keys()]),
      requests.length === 0 ? [] : readAnswers(db, requests),
    ]);
    for (const { turnId, cancel } of cancellations)
      running.get(turnId)?.stop(cancel ? 'cancelled' : 'late');
    // What is answered at once goes on as others end.
    let room = concurrency - working();
    const later = answers.filter(({ answer }) => !('withdrawn' in answer) && room-- <= 0);
    answered = later.length;
    for (const answer of answers) if (!later.includes(answer)) handOver(answer);
  }

  function handOver({ id, answer }: Answered): void {
    for (const { requests } of running.values()) requests.get(id)?.(answer);
  }

  async function renew(): Promise<void> {
    const mine = [...running.values()];
    if (mine.length === 0) return;
    const asked = performance.now();
    const turns = mine.map(({ turn: { turnId, attempt } }) => ({ turnId, attempt }));
    const kept = await beat(db, owner, turns, times.lease);
    for (const entry of mine) {
      if (kept.has(entry.turn.turnId)) entry.renewedAt = asked;
      else if (running.has(entry.turn.turnId) && !entry.ending) entry.stop('lost');
    }
  }

  /** Gives up the turns whose lease may end soon: this process, too, may have been asleep. */
  function watch(): void {
    for (const entry of running.values())
      if (performance.now() - entry.renewedAt > times.silence) entry.stop('lost');
  }

  function repeat(every: number, what: string, work: () => Promise<void>, due?: Sql): Loop {
    const options = { every, what: `tasks: ${what}`, log };
    const loop =
      due === undefined ? openLoop(work, options) : openLoopWhenDue(work, { ...options, db, due });
    loops.push(loop);
    return loop;
  }

  let claiming: Promise<void> = Promise.resolve();
  const claims = repeat(
    times.poll,
    'polling for turns',
    () => {
      claiming = claim();
      return claiming;
    },
    ANY_DUE,
  );
  const poll = repeat(times.poll, 'polling', listen);
  repeat(times.beat, 'renewing leases', renew);
  let searched: Place | undefined;
  repeat(times.funds, 'resuming tasks', async () => {
    const { resumed, next } = await resumeFunded(db, searched);
    searched = next;
    if (resumed > 0) claims.run();
  });
  /** Publishes what happened to the code of tasks, beside what their agents do. */
  repeat(times.changes, 'publishing changes', noteChanges, CHANGES_WAIT);
  async function noteChanges(): Promise<void> {
    const waiting = await tasksWithChanges(db);
    if (waiting.size === 0) return;
    for (const entry of running.values()) {
      if (!entry.started || entry.ending || !waiting.has(entry.turn.taskId)) continue;
      entry.publishing = entry.publishing.then(() => publishChanges(db, events, entry.turn));
      // Whoever has the task next publishes them.
      entry.publishing.catch(() => {});
    }
    await publishIdle(db, events, {
      owner,
      onFailure: (err, task) => log.warn({ err, task }, 'changes could not be published yet'),
    });
  }
  repeat(PUBLISH_EVERY_MS, 'publishing ends', () =>
    publishForgotten(db, events, { owner, after: FORGOTTEN_AFTER_MS }),
  );

  async function stopAll(reason: 'drained' | 'lost'): Promise<void> {
    for (const entry of running.values()) entry.stop(reason);
    while (running.size > 0) await Promise.all([...running.values()].map(({ ended }) => ended));
    clearInterval(watching);
    for (const loop of loops) void loop.stop();
  }

  return {
    start: () => {
      for (const loop of loops) loop.start();
      watching = setInterval(watch, Math.min(1_000, times.silence / 4)).unref();
      claims.run();
    },
    wake: () => {
      claims.wake();
      poll.wake();
      wakeLoops(db);
    },
    running: working,
    close: async () => {
      closing = 'drained';
      // A turn may be claimed at this very moment.
      await claiming.catch(() => {});
      await within(times.drain, running);
      await stopAll('drained');
    },
    abandon: async () => {
      closing = 'lost';
      await stopAll('lost');
    },
  };
}

/** Waits until nothing runs, at most so long. */
async function within(ms: number, running: Map<string, RunningTurn>): Promise<void> {
  const until = performance.now() + ms;
  while (running.size > 0 && performance.now() < until)
    await new Promise((resolve) => setTimeout(resolve, 50));
}
