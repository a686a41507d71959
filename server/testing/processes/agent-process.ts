import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { openDatabase } from '../../db/database/database.ts';
import { diskStore } from '../../platform/files/disk-store.ts';
import { openPods } from '../../platform/pods/open-pods.ts';
import { startAgent } from '../../runner/agents/start-agent.ts';
import { agentRunner } from '../../runner/worker/agent-runner.ts';
import { openRepositories } from '../../runner/worker/repository.ts';
import type { TurnRunner } from '../../runner/worker/runner.ts';
import { taskWorker } from '../../runner/worker/worker.ts';
import { openEventLog } from '../../tasks/events/open-event-log.ts';
import { planFault, storePlanVersion } from '../../tasks/plans/store-plan-version.ts';
import { agentOf } from '../fixtures/runner/agents-at-work.ts';

/** A worker with the sandbox agent in a process of its own, for tests that kill it. */

const [, , folder = '', repositories = ''] = process.argv;
const { DATABASE_URL: url = '', FILES: stored = '', HOLD } = process.env;
const db = openDatabase({ url });
const files = diskStore(stored);
const pods = await openPods({ driver: 'process', directory: folder, sandbox: 'preferred' });
const runner = agentRunner(db, {
  pods,
  startAgent,
  files,
  agentOf,
  filesPerProject: 1e9,
  repositories: openRepositories(repositories),
});

/** With HOLD=1, a build turn never ends once its agent has: its worker is killed then. */
const run: TurnRunner['run'] = async (turn, work) => {
  const result = await runner.run(turn, work);
  if (HOLD === '1' && turn.mode === 'build') {
    process.stdout.write('held\n');
    await new Promise(() => {});
  }
  return result;
};

const worker = taskWorker(db, {
  owner: `process-${randomUUID()}`,
  runner: { run },
  events: openEventLog({ url }),
  storePlan: storePlanVersion,
  planFault,
  log: pino({ level: 'silent' }),
  concurrency: 1,
  times: { poll: 25, beat: 200, lease: 15_000, silence: 10_000, drain: 100, stop: 9_000 },
});
worker.start();
setInterval(() => {}, 60_000);
process.stdout.write('started\n');
