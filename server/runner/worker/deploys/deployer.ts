import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Database, DatabaseUnavailable } from '../../../db/database/database.ts';
import { openLoopWhenDue } from '../../../platform/loop-when-due.ts';
import type { CodeObserver } from '../code-metrics.ts';
import { keepLease } from '../keep-lease.ts';
import { carryOutDeploy, type DeployPlace, MOST_ATTEMPTS } from './carry-out.ts';
import {
  type ClaimedDeploy,
  claimDeploy,
  DEPLOYS_DUE,
  deploysDue,
  endDeploy,
  leaveDeploy,
  renewDeploy,
} from './rows.ts';

/** Carries out the deploys of local repositories. Any number of processes may do so. */
interface Deployer {
  start(): void;
  /** Begins what is due, as far as there is room. */
  poll(): Promise<void>;
  /**
   * Begins no more, gives what runs a while, then ends its commands and leaves them to other
   * workers.
   */
  close(): Promise<void>;
  /** Ends the commands at once and stores nothing. Others go on when the leases have run out. */
  abandon(): Promise<void>;
}

interface DeployerOptions extends DeployPlace {
  log: Logger;
  observer?: CodeObserver | undefined;
  /** Whether deploys can be begun now; always by default. */
  canBegin?: (() => boolean) | undefined;
  times?: Partial<DeployTimes>;
}

/** In milliseconds. */
export interface DeployTimes {
  /** Between two polls for deploys. */
  poll: number;
  /** How long a deploy belongs to its worker after a beat. */
  lease: number;
  /** Before a deploy is begun again that could not be carried out. */
  again: number;
  /** How long `close` waits for deploys before it stops them. */
  drain: number;
}

const TIMES: DeployTimes = { poll: 1_000, lease: 30_000, again: 30_000, drain: 20_000 };
/** Deploys that a process carries out at once, each of another branch. */
const AT_ONCE = 2;

/** Why a deploy is stopped: this process ends, and leaves it, or stores nothing more. */
type Stop = 'drained' | 'lost';

/** It is another worker's. */
class LostDeploy extends Error {}

export function deployer(
  db: Database,
  { log, observer, canBegin = () => true, ...options }: DeployerOptions,
): Deployer {
  const times = { ...TIMES, ...options.times };
  const running = new Map<string, { ended: Promise<void>; stop(why: Stop): void }>();
  let closing: Stop | undefined;
  let looking: Promise<void> | undefined;

  async function claim(): Promise<void> {
    const mayClaim = () => closing === undefined && running.size < AT_ONCE && canBegin();
    if (!mayClaim() || !(await deploysDue(db))) return;
    while (mayClaim()) {
      const asked = performance.now();
      const deploy = await claimDeploy(db, times.lease);
      if (deploy === undefined) return;
      begin(deploy, asked);
    }
  }

  function begin(deploy: ClaimedDeploy, asked: number): void {
    const stopping = new AbortController();
    const stop = (why: Stop) => stopping.abort(why);
    const ended = keepHeld(deploy, asked, stopping.signal)
      .catch((err) => log.warn({ err, deploy: deploy.id }, 'a deploy could not be left'))
      .finally(() => running.delete(deploy.by));
    running.set(deploy.by, { ended, stop });
    if (closing !== undefined) stop(closing);
  }

  /** Renews the lease while the deploy is carried out. */
  async function keepHeld(
    deploy: ClaimedDeploy,
    asked: number,
    stopped: AbortSignal,
  ): Promise<void> {
    const lease = keepLease({
      renew: async () => {
        if (!(await renewDeploy(db, deploy, times.lease))) throw new LostDeploy(deploy.id);
      },
      isLost: (error) => error instanceof LostDeploy,
      expired: () => new LostDeploy(deploy.id),
      every: times.lease / 6,
      silence: (times.lease * 2) / 3,
      since: asked,
    });
    const signal = AbortSignal.any([stopped, lease.lost]);
    try {
      const result = await carryOutDeploy(db, options, deploy, signal);
      if (result !== undefined) count(result, asked);
    } catch (error) {
      const ended = await leave(deploy, signal.aborted ? signal.reason : error);
      if (ended) count('failed', asked);
    } finally {
      await lease.end();
    }
  }

  const count = (result: string, begun: number) =>
    observer?.onEnd('deploy', result, (performance.now() - begun) / 1_000);

  /** Returns whether it has ended. */
  async function leave(deploy: ClaimedDeploy, why: unknown): Promise<boolean> {
    if (why === 'lost' || why instanceof LostDeploy || why instanceof DatabaseUnavailable)
      return false;
    if (why === 'drained') {
      await leaveDeploy(db, deploy, { after: 0, counted: false });
      return false;
    }
    log.warn({ err: why, deploy: deploy.id }, 'a deploy could not be carried out');
    if (deploy.attempts >= MOST_ATTEMPTS)
      return endDeploy(db, deploy, { state: 'failed', reason: NOT_CARRIED_OUT });
    await leaveDeploy(db, deploy, { after: times.again, counted: true });
    return false;
  }

  function poll(): Promise<void> {
    looking ??= claim().finally(() => {
      looking = undefined;
    });
    return looking;
  }
  const loop = openLoopWhenDue(poll, {
    every: times.poll,
    what: 'polling for deploys',
    log,
    db,
    due: DEPLOYS_DUE,
  });

  async function end(why: Stop): Promise<void> {
    closing ??= why;
    await loop.stop();
    await looking?.catch(() => {});
    const ended = Promise.all([...running.values()].map((each) => each.ended));
    if (why === 'drained') await Promise.race([ended, pause(times.drain, 0, { ref: false })]);
    for (const each of running.values()) each.stop(why);
    await ended;
  }

  return {
    start: loop.start,
    poll,
    close: () => end('drained'),
    abandon: () => end('lost'),
  };
}

const NOT_CARRIED_OUT =
  `It could not be carried out, ${MOST_ATTEMPTS} times: the log of the server says why. Merge again ` +
  'to deploy again.';
