import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { backgroundWork } from '../billing/background.ts';
import { cardSetups } from '../billing/cards/card-setups.ts';
import { storeIssuer } from '../billing/invoices/issuer.ts';
import { measureMoney } from '../billing/metrics.ts';
import { cardRefusal } from '../billing/mode/card-refusals.ts';
import { enterMode, TEST_MONEY_VOIDED } from '../billing/mode/enter-mode.ts';
import { watchMode } from '../billing/mode/watch-mode.ts';
import { topUps } from '../billing/top-ups/top-ups.ts';
import { giteaWork } from '../code/gitea/background.ts';
import { openGitea } from '../code/gitea/open-gitea.ts';
import { githubWork } from '../code/github/background.ts';
import { measureGitHub } from '../code/github/metrics.ts';
import type { Database } from '../db/database/database.ts';
import { warnOfExpiry } from '../erp/connections/warn-of-expiry.ts';
import { BUILT } from '../http/server/dashboard.ts';
import { purgeRevocations } from '../http/still-allowed.ts';
import { purgeApplications } from '../identity/applications/register-client.ts';
import { notificationWork } from '../identity/notifications/background.ts';
import { type Config, requireBilling } from '../platform/config/config.ts';
import { openFileStore } from '../platform/files/open-file-store.ts';
import { reapFiles } from '../platform/files/reap.ts';
import { fileRemoval } from '../platform/files/remove-deleted.ts';
import { openOutgoing } from '../platform/outgoing/outgoing.ts';
import { retentionWork } from '../platform/retention/background.ts';
import { openSealing } from '../platform/sealing/sealing.ts';
import { webhookWork } from '../platform/webhooks/background.ts';
import { measureWebhooks } from '../platform/webhooks/metrics.ts';
import { purgeTaskChanges } from '../tasks/changes/task-changes.ts';
import { routineWork } from '../tasks/routines/background.ts';
import { serveMetrics } from '../telemetry/metrics.ts';
import { untraced } from '../telemetry/spans.ts';
import { type AppDeps, build } from './app.ts';
import { closeInReverse } from './closing.ts';
import { connectAndLog, observers, serverLog } from './log.ts';
import type { Connected, EmbeddedUse } from './open-database.ts';
import { openEvents } from './open-events.ts';
import { roomForConnections } from './open-files.ts';
import { openGitHubOf } from './open-github.ts';
import { openMail } from './open-mail.ts';
import { openProcessMetrics } from './open-metrics.ts';
import { openProcessor } from './open-processor.ts';
import { OTHER_SECRET, openPushes } from './open-pushes.ts';
import { openTracing } from './open-tracing.ts';
import { requireFreePort } from './require-free-port.ts';
import { retentionRules } from './retention-rules.ts';
import { type ServedTasks, serveTasks } from './serve-tasks.ts';
import { serverSecret } from './server-secret.ts';
import { unlessAborted } from './until.ts';

/** A server that answers. */
export interface Server {
  url: string;
  db: Database;
  embedded: Connected['embedded'];
  /** Where its metrics are served, if they are. */
  metrics: string | undefined;
  /** What it counts, when metrics are on. */
  registry: Registry | undefined;
  /** What people should read at the start, as sentences. */
  notes: string[];
  /**
   * Finishes running requests and gives running turns of tasks a while, then stops the embedded
   * PostgreSQL unless another process uses it.
   */
  close(): Promise<void>;
}

export interface StartOptions {
  log?: Logger;
  embedded?: EmbeddedUse;
  /** False in a worker, whose figures the first process adds up (server/main/cluster.ts). */
  servesMetrics?: boolean;
  /**
   * `here`: carries out tasks as well. `beside`: another process of its group does. By default they
   * are no business of its.
   */
  tasks?: 'here' | 'beside' | undefined;
  /** Resolves once the dashboard can be served; the start fails with it. */
  dashboard?: Promise<void> | undefined;
  /** Ends the start, which throws its reason; what had started is then closed again. */
  signal?: AbortSignal;
}

/**
 * How many new connections may wait to be accepted. The operating system has its own limit, too.
 */
const CONNECTIONS_IN_LINE = 4_096;

/** Starts everything in order. When one step fails, what had started is closed again. */
export async function start(config: Config, options: StartOptions = {}): Promise<Server> {
  const { log = serverLog(config), servesMetrics = true, tasks: where, dashboard } = options;
  const { embedded: use = 'start', signal } = options;
  const billing = requireBilling(config);
  const connected = await connectAndLog(config, log, {
    embedded: use,
    signal,
    replicaUrls: config.databaseReplicaUrls,
  });
  const { db, embedded } = connected;
  const closing: (() => Promise<void>)[] = [connected.close];
  const close = () => closeInReverse(closing);
  try {
    const registry = openProcessMetrics(config, db);
    const tracing = await openTracing(config, log);
    if (tracing !== undefined) closing.push(tracing.close);
    const events = await openEvents(config, connected.url, {
      ...observers(config, log),
      registry,
      signal,
    });
    closing.push(events.close);
    const files = await openFileStore(config.files.folder, config.files.s3, db);
    closing.push(files.close);
    const processor = await openProcessor(db, config);
    const observer = registry && measureMoney(registry, db, config.topUpChecks);
    const retention = retentionWork(db, retentionRules(config, events), {
      log,
      onFailure: observer?.onFailure,
    });
    const removal = fileRemoval(db, files, log);
    const background = backgroundWork(db, processor, {
      checks: config.topUpChecks,
      limits: config.topUps,
      log,
      takesCards: cardRefusal(billing.mode) === undefined,
      hourlyTasks: {
        'old revocations': () => purgeRevocations(db),
        'old changes of tasks': () => purgeTaskChanges(db),
        'secrets that expire': async () => void (await warnOfExpiry(db)),
        files: async () => void (await reapFiles(db, files, log)),
        'old applications': () => purgeApplications(db),
      },
      observer,
    });
    const secret = await serverSecret(config);
    const mail = await openMail(db, config, { serverSecret: secret, log, registry });
    const total = await roomForConnections(config.maxConnections.total);
    if (total < config.maxConnections.total)
      log.warn({ connections: total }, 'the limit of open files is too low for MAX_CONNECTIONS');
    const webhooks = webhookWork(db, {
      outgoing: openOutgoing(config.webhooks),
      sealing: openSealing({ current: secret, previous: config.previousServerSecret }, 'webhooks'),
      publicUrl: config.publicUrl,
      log,
      observer: registry && measureWebhooks(registry, db),
    });
    const sendPushes = await openPushes(db, config, { serverSecret: secret, log });
    const notifications = notificationWork(db, {
      mails: config.mail.server !== undefined,
      sendPushes,
      log,
    });
    const github = await openGitHubOf(config, db, registry);
    const secrets = { current: secret, previous: config.previousServerSecret };
    const giteaWebhooks = openSealing(secrets, 'code_hosts');
    const gitea = openGitea(db, giteaWebhooks, config.codeHosts);
    const { publicUrl } = config;
    const forGitea = giteaWork(db, { gitea, sealing: giteaWebhooks, publicUrl, log });
    const forGithub = github && githubWork(db, github, log);
    let tasks: ServedTasks | undefined;
    const routines = routineWork(db, {
      catalog: config.catalog,
      log,
      onBegun: () => untraced(() => tasks?.wake()),
    });
    await unlessAborted(dashboard ?? Promise.resolve(), signal);
    const app = await build({
      db,
      config: { ...config, maxConnections: { ...config.maxConnections, total } },
      topUps: topUps(db, processor, { log }),
      cardSetups: cardSetups(db, processor, { ...config.stripe, log }),
      files,
      serverSecret: secret,
      events,
      outgoing: openOutgoing(config.erp),
      github,
      gitea,
      giteaWebhooks,
      migration: connected.migration,
      log,
      metrics: registry,
      carriesOutTasks: where !== undefined,
      dashboard: BUILT,
      trace: tracing?.begin,
      onTaskChange: () => untraced(() => tasks?.wake()),
      onRoutineRun: () => untraced(routines.wake),
      webhook: await openWebhook(config, () => untraced(background.wake)),
      githubWebhook: config.github && {
        secret: config.github.webhookSecret,
        observer: registry && measureGitHub(registry),
        onDelivery: () => untraced(() => forGithub?.wake()),
      },
    });
    const served =
      registry && servesMetrics ? await serveMetrics(registry, config.metrics) : undefined;
    closing.push(async () => served?.close(), background.close, mail.close, webhooks.close);
    closing.push(notifications.close);
    closing.push(routines.close, retention.stop, removal.stop);
    if (forGithub !== undefined) closing.push(forGithub.close);
    closing.push(forGitea.close);
    closing.push(async () => {
      // At the same time: turns have as long as requests, and need no one who watches them.
      await Promise.all([tasks?.close(), app.shutdown.close()]);
    });
    signal?.throwIfAborted();
    const { port, host } = config;
    // Once nothing of it can refuse: the mode is that of all servers, and test money ends for good.
    // A worker whose first process has ended would wait for ever, here and below.
    await unlessAborted(requireFreePort({ port, host }), signal);
    const voided = await enterMode(db, billing);
    if (voided) log.warn(TEST_MONEY_VOIDED);
    await storeIssuer(db, config.issuer);
    const url = await unlessAborted(
      app.listen({ port, host, backlog: CONNECTIONS_IN_LINE }),
      signal,
    );
    background.start();
    const unwatch = watchMode(db, billing, log);
    closing.push(async () => unwatch());
    mail.start();
    webhooks.start();
    notifications.start();
    routines.start();
    retention.start();
    removal.start();
    forGithub?.start();
    forGitea.start();
    const need = { db, events: events.log, store: files, log, registry, trace: tracing?.beginWork };
    if (where === 'here') tasks = serveTasks(config, need);
    void embedded?.ended().then(() => tasks?.abandon());
    if (tasks !== undefined) await unlessAborted(tasks.begun, signal);
    const notes = [
      ...(voided ? [TEST_MONEY_VOIDED] : []),
      ...(sendPushes === undefined ? [OTHER_SECRET] : []),
      ...(tasks?.notes() ?? []),
    ];
    return { url, metrics: served?.url, registry, notes, db, embedded, close };
  } catch (error) {
    await close();
    signal?.throwIfAborted();
    throw error;
  }
}

/** Where the card processor delivers its events, when there is a secret to verify them with. */
async function openWebhook({ stripe }: Config, onEvent: () => void): Promise<AppDeps['webhook']> {
  const secret = stripe?.webhookSecret;
  if (secret === undefined) return undefined;
  const { verifyWebhook } = await import('../billing/cards/stripe-events.ts');
  return { verify: (body, signature) => verifyWebhook(body, signature, secret), onEvent };
}
