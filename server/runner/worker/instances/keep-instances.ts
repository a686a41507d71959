import type { Logger } from 'pino';
import type { Database } from '../../../db/database/database.ts';
import { type Sql, sql } from '../../../db/sql.ts';
import { type InstanceDriver, InstanceError } from '../../../erp/index.ts';
import { type Loop, openLoop } from '../../../platform/loop.ts';
import { openLoopWhenDue } from '../../../platform/loop-when-due.ts';
import { collect, type StoredLog } from './collect.ts';
import { countInstances } from './count-instances.ts';
import { endUnpaid } from './end-unpaid.ts';
import { type CodePlace, codeOfTask, headOfTask } from './instance-code.ts';
import { asReported, dumpFor, WaitsForDump, withDump } from './instance-dump.ts';
import { ranOf } from './ran-of.ts';
import { clearFailed, endUnused, keepUsed, orphanReaper } from './reap-instances.ts';
import * as rows from './rows.ts';
import { startInstance } from './start-instance.ts';

/**
 * Starts, keeps and removes the throwaway ERP instances of tasks. Any number of processes may do
 * so: each instance belongs to one at a time, by a lease, and when that has died, to another.
 */
export interface InstanceKeeper {
  start(): void;
  /**
   * Ends what ends with this process, and leaves all instances to others. Further calls do nothing
   * more.
   */
  close(): Promise<void>;
}

export interface InstanceKeeperOptions {
  driver: InstanceDriver;
  /** Names this process among all, once. */
  owner: string;
  passwordOf(id: string): string;
  /** Where people reach an instance; undefined if they do not. */
  publicUrl(id: string, url: string): string | undefined;
  /** Where a link signs people in to an instance; undefined if they sign in by themselves. */
  entryUrl?(id: string, url: string): string | undefined;
  /** How long an instance is kept that is not used, in milliseconds. */
  idle: number;
  /** How long one may take to be ready, in milliseconds. */
  startWithin: number;
  /** Of an hour in which an instance runs, in micro-USD. */
  price: bigint;
  log: Logger;
  /** What an instance runs of the repository of its task; without it, nothing. */
  code?: CodePlace | undefined;
  times?: Partial<InstanceTimes>;
}

/** In milliseconds. */
interface InstanceTimes {
  /** Between two polls for what people ask of instances. */
  poll: number;
  beat: number;
  /** How long an instance belongs to its worker after a beat. */
  lease: number;
  /** One whose lease was not renewed for so long is given up, before the lease ends. */
  silence: number;
  /** Between two searches for instances that are no longer needed or have ended by themselves. */
  reap: number;
  /** How long an instance must be seen without a task before it is removed. */
  orphaned: number;
  /** Before what a provider has refused is tried again. */
  again: number;
}

const TIMES: InstanceTimes = {
  poll: 1_000,
  beat: 10_000,
  lease: 30_000,
  silence: 20_000,
  reap: 10_000,
  orphaned: 60_000,
  again: 5_000,
};
const COUNT_EVERY_MS = 60_000;
const MOST_ATTEMPTS = 5;

/** Why a start is given up that is at work. */
class GivenUp extends Error {}

interface Kept {
  ending: AbortController;
  /** When its lease was renewed last, on the monotonic clock. */
  renewedAt: number;
  /** It is being started or removed. */
  busy: boolean;
  log: StoredLog;
}

export function instanceKeeper(db: Database, options: InstanceKeeperOptions): InstanceKeeper {
  const { driver, owner, log, idle } = options;
  const times = { ...TIMES, ...options.times };
  const keeper = { owner, driver: driver.name, lease: times.lease };
  const kept = new Map<string, Kept>();
  const working = new Set<Promise<unknown>>();
  const runsCode = driver.report === undefined ? undefined : options.code;
  const loops: Loop[] = [];
  let watching: NodeJS.Timeout | undefined;

  async function take(): Promise<void> {
    const busy = [...kept].flatMap(([id, one]) => (one.busy ? [id] : []));
    const asked = performance.now();
    for (const taken of await rows.take(db, keeper, busy)) {
      const entry = { ending: new AbortController(), renewedAt: asked, busy: true, log: {} };
      kept.set(taken.id, entry);
      run(
        carryOut(taken, entry).finally(() => {
          entry.busy = false;
        }),
      );
    }
  }

  async function carryOut(taken: rows.TakenInstance, entry: Kept): Promise<void> {
    const { id } = taken;
    try {
      if (taken.state === 'starting') return await begin(taken, entry.ending.signal);
      await driver.destroy(id);
      // Before it is shown to be gone.
      await count();
      kept.delete(id);
      await rows.ended(db, owner, id);
    } catch (err) {
      if (err instanceof GivenUp) return await releaseLate(id, entry);
      log.warn({ err, instance: id, task: taken.taskId }, 'an ERP instance could not be changed');
      kept.delete(id);
      await driver.release(id);
      const sentence = sentenceOf(err, taken);
      if (taken.state === 'starting' && sentence !== undefined)
        await rows.failed(db, owner, id, sentence);
      else
        await rows.postponed(db, owner, id, times.again * Math.min(taken.attempt, MOST_ATTEMPTS));
    }
  }

  /**
   * Whoever has given it up has ended what ran of it then, and perhaps removed its place, but not
   * what was launched since. Not if this process has taken it again meanwhile.
   */
  async function releaseLate(id: string, entry: Kept): Promise<void> {
    if ((kept.get(id) ?? entry) === entry) await driver.release(id);
  }

  async function begin(taken: rows.TakenInstance, signal: AbortSignal): Promise<void> {
    const { id, erpVersion, edition, database, wasReady } = taken;
    const { taskId } = taken;
    const password = options.passwordOf(id);
    const found = runsCode ? await codeOfTask(runsCode, taskId, { signal }) : undefined;
    const dump = await dumpFor(db, { driver, ...taken });
    const code = withDump(found?.code, dump);
    const spec = { id, erpVersion, edition, database, password, code };
    const { startWithin: within } = options;
    if (taken.asked !== null) await driver.again?.(id, taken.asked);
    const url = await startInstance({ driver, spec, wasReady, within, signal }).catch(
      async (error) => {
        throw await asReported(db, { driver, id, dump, error });
      },
    );
    const ran = ranOf(found ?? { head: undefined }, await driver.report?.(id), password);
    const shown = { url: options.publicUrl(id, url), entry: options.entryUrl?.(id, url) };
    await rows.running(db, owner, id, { ...shown, idle, ran });
  }

  /** Starts those again whose branch has moved. */
  async function followBranches(): Promise<void> {
    if (runsCode === undefined) return;
    const idle = [...kept].flatMap(([id, { busy }]) => (busy ? [] : [id]));
    if (idle.length === 0) return;
    for (const { id, taskId, offered } of await rows.offeredOf(db, owner, idle)) {
      const head = (await headOfTask(runsCode, taskId)) ?? null;
      if (head !== offered) await rows.moved(db, owner, id);
    }
  }

  /** Sees what others have done to its instances: removed them, taken them, or ended them. */
  async function listen(): Promise<void> {
    if (kept.size === 0) return;
    const known = await rows.statesOf(db, owner, [...kept.keys()]);
    const states = new Map(known.map((row) => [row.id, row]));
    for (const id of [...kept.keys()]) {
      const row = states.get(id);
      if (row === undefined) giveUp(id, 'destroy');
      else if (!row.mine) giveUp(id, 'release');
      else if (row.state === 'stopping') kept.get(id)?.ending.abort(new GivenUp());
    }
  }

  /** `release`: its row is there, so its data are another worker's now. */
  function giveUp(id: string, how: 'destroy' | 'release'): void {
    kept.get(id)?.ending.abort(new GivenUp());
    kept.delete(id);
    run(driver[how](id));
  }

  async function beat(): Promise<void> {
    if (kept.size === 0) return;
    const asked = performance.now();
    for (const { id } of await rows.renew(db, keeper, [...kept.keys()])) {
      const entry = kept.get(id);
      if (entry !== undefined) entry.renewedAt = asked;
    }
  }

  /** Gives up those whose lease may end soon: this process, too, may have been asleep. */
  function watch(): void {
    for (const [id, { renewedAt }] of kept)
      if (performance.now() - renewedAt > times.silence) giveUp(id, 'release');
  }

  /** Those that have ended by themselves. */
  async function watchOver(): Promise<void> {
    for (const [id, entry] of kept) {
      if (entry.busy) continue;
      const { state, reason } = await driver.find(id);
      if (state !== 'stopped' && state !== 'absent') continue;
      // Ended by this process meanwhile, to start it again.
      if (entry.busy || kept.get(id) !== entry) continue;
      log.warn({ instance: id, reason }, 'an ERP instance ended by itself');
      const { problem = 'The instance ended by itself.' } = (await driver.report?.(id)) ?? {};
      await rows.failed(db, owner, id, `${problem} Start another one.`);
    }
  }

  /** Keeps what those of this worker have printed, and the mails that they wanted to send. */
  async function listenTo(): Promise<void> {
    for (const [id, { log: stored }] of kept)
      await collect(db, { driver, id, secret: options.passwordOf(id), stored });
  }

  /** What runs, once a minute; what has ended, at once. */
  const count = () => countInstances(db, options.price);

  const removeOrphans = orphanReaper(db, { driver, log }, times.orphaned);
  async function reap(): Promise<void> {
    await keepUsed(db, idle);
    await endUnused(db);
    if ((await endUnpaid(db)) > 0) run(count());
    await clearFailed(db, { driver, log });
    await removeOrphans();
  }

  function run(work: Promise<unknown>): void {
    const done = work
      .catch((err) => log.warn({ err }, 'ERP instances: something failed; trying again'))
      .finally(() => working.delete(done));
    working.add(done);
  }

  function every(interval: number, what: string, work: () => Promise<unknown>, due?: Sql): Loop {
    const options = { every: interval, what: `ERP instances: ${what}`, log };
    const holds = () => kept.size > 0;
    const loop =
      due === undefined
        ? openLoop(work, options)
        : openLoopWhenDue(work, { ...options, db, due, holds });
    loops.push(loop);
    loop.start();
    return loop;
  }

  async function end(): Promise<void> {
    clearInterval(watching);
    const stopped = loops.map((loop) => loop.stop());
    for (const { ending } of kept.values()) ending.abort(new GivenUp());
    await Promise.all(stopped);
    while (working.size > 0) await Promise.all(working);
    await driver.close();
    await rows.leave(db, owner).catch((err) => log.warn({ err }, 'leases run out by themselves'));
  }
  let closed: Promise<void> | undefined;

  return {
    start() {
      every(
        times.poll,
        'polling for work',
        async () => {
          await listen();
          await take();
        },
        sql`exists (select from erp_instance where state in ('starting', 'running', 'stopping'))`,
      );
      every(times.beat, 'renewing leases', beat);
      every(times.reap, 'reaping', reap);
      const looking = every(times.reap, 'looking after them', async () => {
        await watchOver();
        await listenTo();
      });
      driver.whenEnded?.(looking.wake);
      every(times.reap, 'following branches', followBranches);
      every(COUNT_EVERY_MS, 'counting their time', count);
      watching = setInterval(watch, Math.min(1_000, times.silence / 4)).unref();
    },
    close() {
      closed ??= end();
      return closed;
    },
  };
}

/** Why its start is not tried again, for people; undefined if it is. */
function sentenceOf(error: unknown, { attempt, wasReady }: rows.TakenInstance): string | undefined {
  if (!(error instanceof InstanceError) || error instanceof WaitsForDump) return undefined;
  // One that has data waits until it expires.
  if (error.code === 'unavailable' && (wasReady || attempt < MOST_ATTEMPTS)) return undefined;
  return error.sentence;
}
