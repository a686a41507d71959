import { randomUUID } from 'node:crypto';
import { METHODS, type RequestListener } from 'node:http';
import fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { CardSetups } from '../billing/cards/card-setups.ts';
import type { TopUps } from '../billing/top-ups/top-ups.ts';
import { serveWebhook, type VerifyEvent } from '../billing/webhook.ts';
import { gitBusy } from '../code/git/errors.ts';
import { GIT_ROUTES, serveGit } from '../code/git/serve-git.ts';
import { LIMITS } from '../code/git/settings.ts';
import type { GitHub } from '../code/github/app.ts';
import { GITHUB_WEBHOOK, serveGithubWebhook, type Webhook } from '../code/github/serve-webhook.ts';
import type { Database } from '../db/database/database.ts';
import type { Caller } from '../http/caller.ts';
import { eventStreams } from '../http/event-stream.ts';
import { createExports } from '../http/exports.ts';
import { registerHooks } from '../http/hooks.ts';
import { KnownUsers } from '../http/known-users.ts';
import { openApi } from '../http/openapi.ts';
import { PUBLIC_BODIES, registerPublicRoute } from '../http/public-pipeline.ts';
import { rateLimits } from '../http/rate-limit.ts';
import { bodyReceiver } from '../http/receive-body.ts';
import { registerOtherMethods, registerRoute, routerPath } from '../http/request-pipeline.ts';
import type { Route } from '../http/route.ts';
import { Connections } from '../http/server/connections.ts';
import { serveDashboard } from '../http/server/dashboard.ts';
import { serveDocument } from '../http/server/docs.ts';
import { answerHeaders } from '../http/server/headers.ts';
import { serveHealth } from '../http/server/health.ts';
import { createHttpServer, noteProofs } from '../http/server/http-server.ts';
import {
  measureConnections,
  measureRequests,
  measureStreams,
  measureTransfers,
} from '../http/server/metrics.ts';
import { createSlots } from '../http/server/overload.ts';
import {
  logRequests,
  refuseBrokenRequests,
  refuseExpectations,
  repairUrl,
  requestId,
} from '../http/server/request-hygiene.ts';
import { type Shutdown, shutdown } from '../http/server/shutdown.ts';
import { traceRequests } from '../http/server/tracing.ts';
import { type Permit, recentlyRevoked, stillAllowed } from '../http/still-allowed.ts';
import { createTransfers, downloadsBusy, uploadsBusy } from '../http/transfers.ts';
import { hashKey } from '../identity/keys/key.ts';
import {
  lastUsed,
  usesOfKeys,
  usesOfSessions,
  type WriteUses,
} from '../identity/keys/last-used.ts';
import { signInRoutes } from '../identity/sign-in/routes.ts';
import { recordDenied } from '../organizations/audit/audit.ts';
import type { Config } from '../platform/config/config.ts';
import type { FileStore } from '../platform/files/file-store.ts';
import type { Outgoing } from '../platform/outgoing/outgoing.ts';
import type { TaskEvents } from '../tasks/events/task-events.ts';
import type { BeginRequest } from '../telemetry/spans.ts';
import { routes } from './routes.ts';

/**
 * What a server is made of. `serverSecret` signs invitation links; `migration` is the last
 * migration that this version needs.
 */
export interface AppDeps {
  db: Database;
  config: Config;
  topUps: TopUps;
  cardSetups: CardSetups;
  files: FileStore;
  serverSecret: string;
  events: TaskEvents;
  /** Sends requests to ERP servers. */
  outgoing: Outgoing;
  /** If a GitHub App is set up. */
  github?: GitHub | undefined;
  migration: string;
  log: Logger;
  /** Whether this server, or another process of its group, is to carry out tasks. */
  carriesOutTasks?: boolean;
  /** Counts requests, if metrics are on. */
  metrics?: Registry | undefined;
  /** The folder of the built dashboard. Without it, `/` leads to `/docs`. */
  dashboard?: string | undefined;
  /** Begins the trace of a request, if traces are on. */
  trace?: BeginRequest | undefined;
  /** Called after an operation that may have left something to do for a worker. */
  onTaskChange?: (() => void) | undefined;
  /** Receives the card processor's events, if it sends any. */
  webhook?: { verify: VerifyEvent; onEvent: () => void } | undefined;
  /** Receives the deliveries of GitHub, if an App is set up. */
  githubWebhook?: Webhook | undefined;
}

/** The server, with its lossless shutdown. */
export type App = FastifyInstance & { shutdown: Shutdown };

/**
 * Builds the server without listening. Closing it closes everything it opened, but not the
 * database.
 */
export async function build(deps: AppDeps, table = routes(deps)): Promise<App> {
  const { db, config, log } = deps;
  const always = answerHeaders(config.publicUrl);
  const connections = new Connections({
    ...config.maxConnections,
    sendTimeout: config.sendTimeout,
    trustedProxies: config.trustedProxies,
  });
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    serverFactory: (answer: RequestListener) => createHttpServer(answer, config, connections),
    trustProxy: config.trustedProxies.length > 0 && config.trustedProxies,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 16 * 1024 },
    genReqId: requestId(randomUUID),
    rewriteUrl: repairUrl,
    clientErrorHandler: refuseBrokenRequests(always, connections),
  } as never) as unknown as FastifyInstance;
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method))
      app.addHttpMethod(method, { hasBody: true });
  }
  // Only the message: the error itself shows the failed command, which may contain the password.
  const limits = await rateLimits(config.rateLimits, config.redisUrl, (error) =>
    error === undefined
      ? log.info('rate limits are shared again')
      : log.warn(
          { reason: error.message },
          'the store at REDIS_URL cannot be used: each process counts rate limits for itself',
        ),
  );
  const uses = (write: WriteUses) =>
    lastUsed(db, write, (error) =>
      log.warn({ err: error }, 'the last use of credentials could not be written; trying again'),
    );
  const used = { keys: uses(usesOfKeys), sessions: uses(usesOfSessions) };

  refuseExpectations(app.server, always);
  noteProofs(app, connections);
  if (deps.trace !== undefined) traceRequests(app, deps.trace);
  logRequests(app);
  if (deps.metrics !== undefined) {
    measureRequests(app, deps.metrics);
    measureConnections(connections, deps.metrics);
  }
  registerHooks(app, limits, always);
  const streams = eventStreams((permits: readonly Permit[]) => stillAllowed(db, permits), {
    revoked: () => recentlyRevoked(db),
  });
  const exports = createExports();
  const slots = createSlots(config.maxConcurrentRequests);
  // A download holds at most two pieces of its file; an upload holds a file descriptor.
  const uploads = createTransfers(uploadsBusy, { limit: 32, perUser: 4 });
  const downloads = createTransfers(downloadsBusy, { limit: 256, perUser: 16 });
  const gits = createTransfers(gitBusy, LIMITS.atOnce);
  if (deps.metrics !== undefined) {
    measureStreams(streams, deps.metrics);
    measureTransfers({ upload: uploads, download: downloads, git: gits }, deps.metrics);
  }
  const pipeline = {
    db,
    limits,
    slots,
    always,
    streams,
    exports,
    uploads,
    downloads,
    onChange: ({ wakes }: Route) => {
      if (wakes) deps.onTaskChange?.();
    },
    publicUrl: config.publicUrl,
    serverSecret: deps.serverSecret,
    hashKey,
    knownUsers: new KnownUsers(),
    credentialUsed: ({ keyId, sessionId }: Caller) => {
      if (keyId !== null) used.keys.note(keyId);
      if (sessionId !== null) used.sessions.note(sessionId);
    },
    recordDenied: (attempt: Parameters<typeof recordDenied>[1]) =>
      recordDenied(db, attempt).catch((error) =>
        log.error({ err: error }, 'a refused attempt could not be recorded'),
      ),
  };
  for (const route of table) registerRoute(app, route, pipeline);
  if (deps.webhook !== undefined) serveWebhook(app, db, deps.webhook.verify, deps.webhook.onEvent);
  if (deps.githubWebhook !== undefined) serveGithubWebhook(app, db, deps.githubWebhook);
  const signIn = signInRoutes(deps);
  const publicly = { limits, publicUrl: config.publicUrl, receive: bodyReceiver(PUBLIC_BODIES) };
  for (const route of signIn) {
    if (route.credential === 'none') registerPublicRoute(app, route, publicly);
    else registerRoute(app, route, pipeline);
  }
  const stopping = new AbortController();
  const git = {
    directory: config.repositories,
    size: config.repositorySize,
    places: gits,
    ending: stopping.signal,
  };
  serveGit(app, { ...pipeline, ...git });
  const ending = shutdown(app, connections, config.shutdown, streams.close);
  const { migration, carriesOutTasks = false } = deps;
  const load = { slots, connections, draining: ending.draining };
  serveHealth(app, db, { migration, carriesOutTasks, ...load });
  await serveDocument(app, () => openApi(table, config), connections);
  const pages = await serveDashboard(app, connections, {
    built: deps.dashboard,
    stripe: deps.cardSetups.processor === 'stripe',
  });
  const services = ['/healthz', '/readyz', '/openapi.json'].map((path) => ({
    method: 'GET',
    path,
  }));
  services.push(...GIT_ROUTES, ...pages);
  if (deps.webhook !== undefined) services.push({ method: 'POST', path: '/webhooks/stripe' });
  if (deps.githubWebhook !== undefined) services.push({ method: 'POST', path: GITHUB_WEBHOOK });
  registerOtherMethods(
    app,
    Map.groupBy([...table, ...signIn, ...services], ({ path }) => routerPath(path)),
  );
  app.addHook('preClose', async () => {
    streams.close();
    exports.close();
    downloads.close();
    stopping.abort();
  });
  app.addHook('onClose', async () => {
    connections.close();
    await Promise.all([used.keys.close(), used.sessions.close()]).catch((error) =>
      log.warn({ err: error }, 'the last use of credentials could not be written'),
    );
    await limits.close();
  });
  return Object.assign(app, { shutdown: ending });
}
