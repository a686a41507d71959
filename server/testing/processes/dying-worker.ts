import { once } from 'node:events';
import { pino } from 'pino';
import { openDatabase } from '../../db/database/database.ts';
import { diskStore } from '../../platform/files/disk-store.ts';
import { openPods } from '../../platform/pods/open-pods.ts';
import type { AgentSession, StartAgent } from '../../runner/agents/agent.ts';
import { agentRunner } from '../../runner/worker/agent-runner.ts';
import { openRepositories } from '../../runner/worker/repository.ts';
import { taskWorker } from '../../runner/worker/worker.ts';
import { openEventLog } from '../../tasks/events/open-event-log.ts';
import { writingAgent } from '../fakes/writing-agent.ts';
import { agentOf } from '../fixtures/runner/agents-at-work.ts';
import { type Order, openSteps } from './stepping.ts';

/**
 * A worker that carries out one turn and kills itself with SIGKILL just before its n-th step, or
 * lists its steps. A step is a statement, a commit, or a call of the event log, the pods, the agent
 * or the repositories; nothing but the turn takes any. It waits for
 * a line on its standard input that says where it works and when it dies.
 */

const { DATABASE_URL: url = '' } = process.env;
process.stdout.write('loaded\n');
const [order] = (await once(process.stdin, 'data')) as [Buffer];
const { folder } = JSON.parse(String(order)) as Order;
// It ends with the test, however that ends.
process.stdin.on('close', () => process.exit());
const { step, stepping, steppingTx } = openSteps(JSON.parse(String(order)) as Order);
const db = steppingTx(openDatabase({ url }));
const pods = await openPods({ driver: 'process', directory: `${folder}/pods`, sandbox: 'off' });
const agent = writingAgent(`${folder}/prompts`);
const runner = agentRunner(db, {
  pods: stepping('pods', pods),
  startAgent: async (options: StartAgent): Promise<AgentSession> => {
    step('startAgent', true);
    return stepping('agent', await agent(options));
  },
  repositories: stepping('repositories', openRepositories(`${folder}/repositories`)),
  files: diskStore(`${folder}/files`),
  filesPerProject: 1e9,
  agentOf,
});
const never = 3_600_000;
taskWorker(db, {
  owner: 'the one that dies',
  runner,
  events: stepping('events', openEventLog({ url })),
  storePlan: async () => {},
  planFault: () => undefined,
  log: pino({ level: 'silent' }),
  concurrency: 1,
  times: {
    poll: never,
    beat: never,
    funds: never,
    settle: never,
    silence: never,
    lease: never,
    changes: never,
  },
}).start();
setInterval(() => {}, never);
