import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { pino } from 'pino';
import type { AgentSession, StartAgent } from '../agents/agent.ts';
import { openDatabase, type Tx } from '../db/database/database.ts';
import type { Sql } from '../db/sql.ts';
import { openEventLog } from '../events/open-event-log.ts';
import { diskStore } from '../files/disk-store.ts';
import { openPods } from '../pods/open-pods.ts';
import { agentRunner } from '../worker/agent-runner.ts';
import { openRepositories } from '../worker/repository.ts';
import { taskWorker } from '../worker/worker.ts';
import { agentOf } from './agents-at-work.ts';
import { writingAgent } from './doubles/writing-agent.ts';

/**
 * A worker that carries out one turn and kills itself with SIGKILL just before its n-th step, or
 * lists its steps. A step is a statement, a commit, or a call of the event log, the pods, the agent
 * or the repositories; nothing but the turn takes any. It waits for
 * a line on its standard input that says where it works and when it dies.
 */

const { DATABASE_URL: url = '' } = process.env;
process.stdout.write('loaded\n');
const [order] = (await once(process.stdin, 'data')) as [Buffer];
const { folder, dieAt } = JSON.parse(String(order)) as { folder: string; dieAt?: number };
// It ends with the test, however that ends.
process.stdin.on('close', () => process.exit());
let steps = 0;
let changed = true;

/**
 * `changes`: whether something outlasts this process once the step is done. Dying before a step is
 * as dying before the one before it if that changed nothing; so is dying within a transaction,
 * except that before its commit everything is written and locked.
 */
function step(name: string, changes: boolean): void {
  steps += 1;
  if (steps === dieAt) process.kill(process.pid, 'SIGKILL');
  const line = { name, same: !changed && name !== 'commit' };
  if (dieAt === undefined) appendFileSync(`${folder}/steps`, `${JSON.stringify(line)}\n`);
  changed = changes;
}

const READING = ['events.head', 'events.read', 'pods.find', 'pods.list', 'agent.close'];

/** The same object, each call of whose methods is a step. */
function stepping<Thing extends object>(of: string, thing: Thing): Thing {
  return new Proxy(thing, {
    get: (target, name: string) => {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        step(`${of}.${name}`, !READING.includes(`${of}.${name}`));
        return value.apply(target, args);
      };
    },
  });
}

const nameOf = (query: Sql) => query.strings.join('?').replaceAll(/\s+/g, ' ').trim().slice(0, 60);

/** Each statement is a step, and so is the commit of a transaction. */
function steppingTx<Kind extends Tx>(tx: Kind, within = false): Kind {
  return new Proxy(tx, {
    get: (target, name: string) => {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== 'function') return value;
      if (name === 'transaction')
        return (work: (tx: Tx) => Promise<unknown>, options?: object) =>
          value.call(
            target,
            async (inner: Tx) => {
              const result = await work(steppingTx(inner, true));
              step('commit', true);
              return result;
            },
            options,
          );
      if (!['many', 'one', 'maybeOne', 'read', 'write'].includes(name)) return value;
      return (query: Sql) => {
        step(nameOf(query), !within && /\b(insert|update|delete)\b/.test(query.strings.join('')));
        return value.call(target, query);
      };
    },
  });
}

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
  ...{ files: diskStore(`${folder}/files`), filesPerProject: 1e9, agentOf },
});
const never = 3_600_000;
taskWorker(db, {
  owner: 'the one that dies',
  runner,
  events: stepping('events', openEventLog({ urls: [url] })),
  storePlan: async () => {},
  planFault: () => undefined,
  log: pino({ level: 'silent' }),
  places: 1,
  times: { look: never, beat: never, funds: never, settle: never, silence: never, lease: never },
}).start();
setInterval(() => {}, never);
