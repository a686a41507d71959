import type { Logger } from 'pino';
import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import type { InstanceDriver } from '../../../erp/index.ts';
import { openLoop } from '../../../platform/loop.ts';
import type { Sealing } from '../../../platform/sealing/sealing.ts';
import type { CodeObserver } from '../code-metrics.ts';
import { openQueueWorker, type QueueWorker } from '../commands/queue-worker.ts';
import type { CommandPlace } from '../commands/run-command.ts';
import { checkHeads } from './check-heads.ts';
import { runSuite, type SuiteTimes } from './run-suite.ts';
import { claimSuite, isClaimable } from './suites.ts';

interface CheckWorkerOptions extends CommandPlace {
  log: Logger;
  observer?: CodeObserver | undefined;
  /** Opens the secrets of projects. */
  sealing?: Sealing | undefined;
  /** Where the tests of Odoo modules are run. */
  instances?: InstanceDriver | undefined;
  /** Whether suites can be begun now; always by default. */
  canBegin?: (() => boolean) | undefined;
  times?: Partial<CheckTimes>;
}

/** In milliseconds. */
export interface CheckTimes extends SuiteTimes {
  /** Between two polls for suites. */
  poll: number;
  /** Between two polls for branches that have moved while no one has noticed. */
  heads: number;
}

const TIMES: CheckTimes = {
  poll: 500,
  lease: 30_000,
  renew: 2_000,
  silence: 20_000,
  again: 30_000,
  heads: 60_000,
};

/** Suites that one process runs at once. */
const AT_ONCE = 2;

/** Runs the checks of pull requests of the local host. Any number of processes may do so. */
export function checkWorker(db: Database, options: CheckWorkerOptions): QueueWorker {
  const { driver, directory, openNetwork, environments, submodules } = options;
  const { log, observer, sealing, instances, canBegin = () => true } = options;
  const times = { ...TIMES, ...options.times };
  const pods = { driver, directory, openNetwork, environments, submodules };
  const place = { ...pods, db, log, observer, sealing, instances, times };
  const suites = openQueueWorker({
    name: 'checks',
    log,
    atOnce: AT_ONCE,
    poll: times.poll,
    db,
    due: sql`exists (select from check_suite s where ${isClaimable})`,
    claim: async () => (canBegin() ? claimSuite(db, times.lease) : undefined),
    run: (suite, stopped) => runSuite(place, suite, stopped),
  });
  const stopping = new AbortController();
  const heads = openLoop(() => checkHeads(db, { directory, log, signal: stopping.signal }), {
    every: times.heads,
    what: 'the branches of pull requests',
    log,
  });

  return {
    start() {
      suites.start();
      heads.start();
    },
    async close() {
      stopping.abort();
      await Promise.all([suites.close(), heads.stop()]);
    },
  };
}
