import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { microUsd } from '../billing/ledger/money.ts';
import { giteaHost } from '../code/gitea/code-host.ts';
import { openGitea } from '../code/gitea/open-gitea.ts';
import { openHosts } from '../code/hosts/open-hosts.ts';
import { remoteOf } from '../code/hosts/remote-of.ts';
import {
  bindFolder,
  checkRepositories,
  requireFolder,
} from '../code/repositories/repository-folder.ts';
import type { Database } from '../db/database/database.ts';
import { targetsOf } from '../erp/gateway/targets.ts';
import type { Config } from '../platform/config/config.ts';
import type { FileStore } from '../platform/files/file-store.ts';
import { openOutgoing } from '../platform/outgoing/outgoing.ts';
import { openPods, type PodsConfig } from '../platform/pods/open-pods.ts';
import { checkPodSockets } from '../platform/pods/pod-socket.ts';
import { openSealing } from '../platform/sealing/sealing.ts';
import { startAgent } from '../runner/agents/start-agent.ts';
import { networkOf } from '../runner/network/network.ts';
import { agentRunner } from '../runner/worker/agent-runner.ts';
import { checkWorker } from '../runner/worker/checks/check-worker.ts';
import { chosenBase } from '../runner/worker/chosen-base.ts';
import { measureCodeWork } from '../runner/worker/code-metrics.ts';
import { odooOf } from '../runner/worker/conversation/odoo-instructions.ts';
import { deployer } from '../runner/worker/deploys/deployer.ts';
import { openEnvironments } from '../runner/worker/environment/environments.ts';
import { setupResults } from '../runner/worker/environment/setup-results.ts';
import { importer } from '../runner/worker/imports/importer.ts';
import { podKeeper } from '../runner/worker/keep-pods.ts';
import { countAgents, measureConcurrency, measureWorker } from '../runner/worker/metrics.ts';
import { openRepositories } from '../runner/worker/repository.ts';
import { submodulesOf } from '../runner/worker/submodules/submodules.ts';
import { watchPods } from '../runner/worker/watch-pods.ts';
import { TIMES, taskWorker } from '../runner/worker/worker.ts';
import type { EventLog } from '../tasks/events/event-log.ts';
import type { OpenedEventLog } from '../tasks/events/open-event-log.ts';
import { planFault, storePlanVersion } from '../tasks/plans/store-plan-version.ts';
import type { BeginWork } from '../telemetry/spans.ts';
import { agentsOf } from './choose-agent.ts';
import { openGitHubOf } from './open-github.ts';
import { openInstanceKeeper } from './open-instance-keeper.ts';
import { knownSecrets } from './server-secret.ts';

/** Carries out tasks until it is ended. */
export interface TasksAtWork {
  /** Polls for turns, cancellations and answers now, because something has changed. */
  wake(): void;
  /** Claims no more from now on, gives running turns a while, then ends their agents. */
  close(): Promise<void>;
  /** Ends the agents at once, and stores nothing: for when the database is gone. */
  abandon(): Promise<void>;
  /** Why no work can begin now, as a sentence; undefined while it can. */
  fault(): string | undefined;
  /** Whether that is for want of something else than pods. */
  lacks(): boolean;
  /** Whether agents are kept apart from the machine that they run on. */
  confined: boolean;
  /** What an operator should know of pods, as sentences. */
  warnings: string[];
}

/** What carrying out tasks needs. */
export interface TasksNeed {
  db: Database;
  events: EventLog & Pick<OpenedEventLog, 'answers'>;
  store: FileStore;
  log: Logger;
  /** Counts what is done, when metrics are on. */
  registry?: Registry | undefined;
  /** Begins the trace of a turn, when traces are on. */
  trace?: BeginWork | undefined;
  /** Called when work can begin no more, with why, and when it can again. */
  onChange?: (fault: string | undefined) => void;
}

/** What ending an agent and storing its turn may take of the time for a shutdown. */
const ENDING_MS = 5_000;

/**
 * Starts to carry out the turns of tasks. Throws with a sentence for people when that cannot be
 * done here.
 */
export async function startTasks(
  config: Config,
  { db, events, store, log, registry, trace, onChange = () => {} }: TasksNeed,
): Promise<TasksAtWork> {
  const { pods: wanted, files, repositories, catalog, agents, tasks, shutdown } = config;
  await checkRepositories(repositories);
  await checkPodSockets();
  const folderId = await bindFolder(db, repositories);
  const requireRepositories = () => requireFolder(repositories, folderId);
  const requires = async () => {
    await requireRepositories();
    // Without one of their own, nothing is claimed anyway while the database is away.
    if (config.eventDatabaseUrl !== undefined && !(await events.answers()))
      throw new Error('The database with the events of tasks does not answer.');
  };
  const github = await openGitHubOf(config, db, registry);
  const { publicUrl } = config;
  const secrets = await knownSecrets(config);
  const gitea = secrets && openGitea(db, openSealing(secrets, 'code_hosts'), config.codeHosts);
  const codeHosts = openHosts({ github, gitea: gitea && giteaHost(gitea) });
  const submodules = submodulesOf(db, {
    directory: repositories,
    hosts: codeHosts,
    githubUrl: github?.webUrl,
    publicUrl,
  });
  const kept = openRepositories(repositories, {
    submodules,
    remoteOf: remoteOf(db, codeHosts),
    chosenBase: chosenBase(db),
    requireFolder: requireRepositories,
  });
  // Also unique after a restart under the same number.
  const owner = `${hostname().slice(0, 100)}:${process.pid}:${randomUUID()}`;
  const code = { db, directory: repositories, submodules };
  const instances = await openInstanceKeeper(config, { db, log, owner, code, files: store });
  // After all else that can fail, because nothing would close it.
  const warnings: string[] = [];
  const opened = await openPods({
    ...podsConfig(wanted),
    onWarning: (sentence) => {
      warnings.push(sentence);
      log.warn(sentence);
    },
    onMoved: (sentence) => log.info(sentence),
  });
  const watch = await watchPods(opened, { onChange, requires });
  const pods = watch.driver;
  const canBegin = () => watch.fault() === undefined;
  // Once nothing can fail any more: it is tried again then, and a registry takes each name once.
  const observer = registry && measureWorker(registry);
  const codeObserver = registry && measureCodeWork(registry);
  const sealing = secrets && openSealing(secrets, 'variables');
  const connectionsOf = targetsOf(db, {
    outgoing: openOutgoing(config.erp),
    secrets,
    onFault: (sentence) => log.warn(sentence),
  });
  const openNetwork = networkOf(db, config.network);
  const { folder, bytes } = config.setupResults;
  const results = setupResults(folder, { bytes });
  const environments = openEnvironments(db, {
    driver: pods,
    directory: repositories,
    images: config.images,
    sealing,
    openNetwork,
    results: bytes === 0 ? undefined : results,
    onFault: (err) => log.warn({ err }, 'the result of a setup was not kept'),
  });
  const runner = agentRunner(db, {
    pods,
    environments,
    files: store,
    filesPerProject: files.perProject,
    podIdle: tasks.podIdle,
    startAgent: observer ? countAgents(startAgent, observer) : startAgent,
    repositories: kept,
    agentOf: agentsOf({ catalog, agents }),
    sealing,
    onFault: (sentence) => log.warn(sentence),
    openNetwork,
    odooOf: odooOf(code),
    erpTargets: async (turn) => [
      ...((await instances?.targetsOf(turn)) ?? []),
      ...(await connectionsOf(turn)),
    ],
  });
  const drain = Math.max(0, Math.min(TIMES.drain, shutdown.delay + shutdown.timeout - ENDING_MS));
  const worker = taskWorker(db, {
    owner,
    runner,
    events,
    log,
    planFault,
    observer,
    trace,
    storePlan: storePlanVersion,
    concurrency: tasks.atOnce,
    canBegin,
    times: { deadline: tasks.turnTimeout, drain },
  });
  if (registry !== undefined)
    measureConcurrency(registry, { concurrency: tasks.atOnce, running: worker.running });
  const keeper = podKeeper(db, {
    driver: pods,
    repositories: kept,
    environments,
    github,
    codeHosts,
    publicUrl,
    podIdle: tasks.podIdle,
    log,
    setupResults: results,
    podPrice: microUsd(catalog.pods.price_per_hour) as bigint,
    observer: codeObserver,
  });
  const observed = { log, observer: codeObserver, sealing, canBegin };
  const place = {
    driver: pods,
    directory: repositories,
    openNetwork,
    environments,
    submodules,
    ...observed,
  };
  const checks = checkWorker(db, { ...place, instances: instances?.driver });
  const deploys = deployer(db, { ...place, times: { drain } });
  const imports = importer(db, {
    directory: repositories,
    sealing: secrets && openSealing(secrets, 'imports'),
    bounds: config.imports,
    requireFolder: requireRepositories,
    log,
  });
  worker.start();
  keeper.start();
  checks.start();
  deploys.start();
  imports.start();
  instances?.keeper.start();
  instances?.dumps.start();
  instances?.entry?.start();
  const end = async (...ended: Promise<void>[]) => {
    watch.close();
    await Promise.all([
      ...ended,
      keeper.close(),
      checks.close(),
      imports.close(),
      instances?.entry?.close(),
      instances?.dumps.close().then(() => instances.keeper.close()),
    ]);
    await pods.close();
  };
  return {
    fault: watch.fault,
    lacks: watch.lacks,
    confined: pods.confined,
    warnings,
    wake: worker.wake,
    close: () => end(worker.close(), deploys.close()),
    abandon: () => end(worker.abandon(), deploys.abandon()),
  };
}

function podsConfig({
  driver,
  folder,
  sandbox,
  because,
  path,
  image,
  namespace,
  docker,
  kubernetes,
  env,
}: Config['pods']): PodsConfig {
  if (driver === 'process') return { driver, directory: folder, sandbox, because, path, env };
  if (driver === 'docker') return { driver, image, namespace, env, ...docker };
  return { driver, image, namespace, env, ...kubernetes };
}
