import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { startAgent } from '../agents/start-agent.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/database/database.ts';
import type { EventLog } from '../events/event-log.ts';
import type { FileStore } from '../files/file-store.ts';
import { planFault, storePlanVersion } from '../plans/store-plan-version.ts';
import { openPods } from '../pods/open-pods.ts';
import { agentRunner } from '../worker/agent-runner.ts';
import { countAgents, measurePlaces, measureWorker } from '../worker/metrics.ts';
import { openRepositories } from '../worker/repository.ts';
import { taskWorker } from '../worker/worker.ts';
import { agentsOf } from './choose-agent.ts';

/** Carries out tasks until `close`, which gives running turns a while and ends their agents. */
export interface TasksAtWork {
  close(): Promise<void>;
}

interface TasksNeed {
  db: Database;
  events: EventLog;
  store: FileStore;
  log: Logger;
  /** Counts what is done, when metrics are on. */
  registry?: Registry | undefined;
}

/** Starts to carry out the turns of tasks. Throws with a sentence for people. */
export async function startTasks(
  { pods: { folder, sandbox }, files, repositories, catalog, tasks }: Config,
  { db, events, store, log, registry }: TasksNeed,
): Promise<TasksAtWork> {
  const pods = await openPods({
    ...{ driver: 'process', directory: folder, sandbox },
    onWarning: (sentence) => log.warn(sentence),
  });
  // Once nothing can fail any more, because a registry takes each name once.
  const observer = registry && measureWorker(registry);
  const runner = agentRunner(db, {
    ...{ pods, files: store, filesPerProject: files.perProject },
    startAgent: observer ? countAgents(startAgent, observer) : startAgent,
    repositories: openRepositories(repositories),
    agentOf: agentsOf(catalog),
  });
  const worker = taskWorker(db, {
    // Also unique after a restart under the same number.
    owner: `${hostname().slice(0, 100)}:${process.pid}:${randomUUID()}`,
    ...{ runner, events, log, planFault, observer },
    storePlan: storePlanVersion,
    places: tasks.atOnce,
    times: { deadline: tasks.turnTimeout },
  });
  if (registry !== undefined)
    measurePlaces(registry, { places: tasks.atOnce, running: worker.running });
  worker.start();
  return {
    close: async () => {
      await worker.close();
      await pods.close();
    },
  };
}
