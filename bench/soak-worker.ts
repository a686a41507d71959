import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { openDatabase } from '../server/db/database/database.ts';
import { diskStore } from '../server/platform/files/disk-store.ts';
import { openPods } from '../server/platform/pods/open-pods.ts';
import { startAgent } from '../server/runner/agents/start-agent.ts';
import { agentRunner } from '../server/runner/worker/agent-runner.ts';
import { openRepositories } from '../server/runner/worker/repository.ts';
import { taskWorker } from '../server/runner/worker/worker.ts';
import { openEventLog } from '../server/tasks/events/open-event-log.ts';
import { planFault, storePlanVersion } from '../server/tasks/plans/store-plan-version.ts';
import { agentOf } from '../server/testing/fixtures/runner/agents-at-work.ts';

/**
 * A worker with the sandbox agent whose leases last three seconds instead of thirty, so that a soak
 * of minutes sees many of them end. Arguments: the database, and a folder for all else.
 */
const [url = '', folder = ''] = process.argv.slice(2);
const db = openDatabase({ url, connectTimeout: 1_000, statementTimeout: 2_000 });
const events = openEventLog({ url, connectTimeout: 1_000, statementTimeout: 2_000 });
const pods = await openPods({
  driver: 'process',
  directory: `${folder}/pods`,
  sandbox: 'preferred',
});
const { run } = agentRunner(db, {
  pods,
  startAgent,
  agentOf,
  files: diskStore(`${folder}/files`),
  filesPerProject: 1e9,
  repositories: openRepositories(`${folder}/repositories`),
});
const worker = taskWorker(db, {
  owner: `soak-${randomUUID()}`,
  runner: { run },
  events,
  storePlan: storePlanVersion,
  planFault,
  log: pino({ level: 'silent' }),
  concurrency: 3,
  times: {
    poll: 100,
    beat: 500,
    lease: 3_000,
    silence: 2_000,
    drain: 1_000,
    deadline: 20_000,
    settle: 1_000,
    funds: 500,
  },
});
process.on('SIGTERM', () => worker.close().then(() => process.exit(0)));
worker.start();
setInterval(() => {}, 60_000);
process.stdout.write('ready\n');
