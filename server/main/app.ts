import { randomUUID } from 'node:crypto';
import { METHODS, type RequestListener, type Server } from 'node:http';
import fastify, { type FastifyHttpOptions, type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { CardSetups } from '../billing/cards/card-setups.ts';
import type { TopUps } from '../billing/top-ups/top-ups.ts';
import { serveWebhook, type VerifyEvent } from '../billing/webhook.ts';
import { gitBusy } from '../code/git/errors.ts';
import { GIT_ROUTES, serveGit } from '../code/git/serve-git.ts';
import { LIMITS } from '../code/git/settings.ts';
import type { Gitea } from '../code/gitea/open-gitea.ts';
import { GITEA_WEBHOOK, serveGiteaWebhook } from '../code/gitea/serve-webhook.ts';
import type { GitHub } from '../code/github/app.ts';
import { GITHUB_WEBHOOK, serveGithubWebhook, type Webhook } from '../code/github/serve-webhook.ts';
import type { Database } from '../db/database/database.ts';
import type { Caller } from '../http/caller.ts';
import { notFound } from '../http/errors.ts';
import { eventStreams } from '../http/event-stream.ts';
import { createExports } from '../http/exports.ts';
import { registerHooks } from '../http/hooks.ts';
import { KnownUsers } from '../http/known-users.ts';
import { openApi } from '../http/openapi.ts';
import { type RefuseUnrouted, registerOtherMethods } from '../http/other-methods.ts';
import { PUBLIC_BODIES, registerPublicRoute } from '../http/public-pipeline.ts';
import { rateLimits } from '../http/rate-limit.ts';
import { bodyReceiver } from '../http/receive-body.ts';
import { registerRoute, routerPath } from '../http/request-pipeline.ts';
import type { Route } from '../http/route.ts';
import { serializerOf } from '../http/serializers.ts';
import { networkOf } from '../http/server/client-network.ts';
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
import { OAUTH_ROUTES, serveOauth } from '../identity/applications/serve-oauth.ts';
import { nextTokens } from '../identity/applications/tokens.ts';
import { hashKey } from '../identity/keys/key.ts';
import {
  lastUsed,
  usesOfKeys,
  usesOfSessions,
  type WriteUses,
} from '../identity/keys/last-used.ts';
import { serveUnsubscribe } from '../identity/notifications/serve-unsubscribe.ts';
import { signInRoutes } from '../identity/sign-in/routes.ts';
import { recordDenied } from '../platform/audit/audit.ts';
import type { Config } from '../platform/config/config.ts';
import type { FileStore } from '../platform/files/file-store.ts';
import type { Outgoing } from '../platform/outgoing/outgoing.ts';
import type { Sealing } from '../platform/sealing/sealing.ts';
import type { TaskEvents } from '../tasks/events/task-events.ts';
import { ROUTINE_CALLS, serveRoutineCalls } from '../tasks/routines/serve-calls.ts';
import type { BeginRequest } from '../telemetry/spans.ts';
import { describedApi } from './described-api.ts';
import { MCP_ROUTES, type Passes, serveMcp } from './mcp/serve-mcp.ts';
import { routes } from './routes.ts';
import { openServices } from './services.ts';
import { openSignInServices } from './sign-in-services.ts';

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
  /** The Gitea and Forgejo servers of workspaces. */
  gitea?: Gitea | undefined;
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
  /** Called when a routine was asked to run. */
  onRoutineRun?: (() => void) | undefined;
  /** Receives the card processor's events, if it sends any. */
  webhook?: { verify: VerifyEvent; onEvent: () => void } | undefined;
  /** Receives the deliveries of GitHub, if an App is set up. */
  githubWebhook?: Webhook | undefined;
  /** Opens the secrets that the deliveries of Gitea are signed with. */
  giteaWebhooks?: Sealing | undefined;
}

/** The server, with its lossless shutdown. */
type App = FastifyInstance & { shutdown: Shutdown };

/**
 * Builds the server without listening. Closing it closes everything it opened, but not the
 * database.
 */
export async function build(deps: AppDeps, table = routes(openServices(deps))): Promise<App> {
  const { db, config } = deps;
  const always = answerHeaders(config.publicUrl);
  const connections = new Connections({
    ...config.maxConnections,
    sendTimeout: config.sendTimeout,
    requestTimeout: config.requestTimeout,
    trustedProxies: config.trustedProxies,
  });
  const app = newApp(deps, always, connections);
  const limits = await openLimits(deps);
  const used = lastUses(deps);
  refuseExpectations(app.server, always);
  noteProofs(app, connections);
  observe(app, connections, deps);
  let refuseUnrouted: RefuseUnrouted = () => notFound();
  registerHooks(app, limits, always, (request) => refuseUnrouted(request));
  const capacity = openCapacity(deps);
  const passes = new Map<string, Buffer>();
  const pipeline = pipelineOf(deps, { limits, always, used, capacity, passes });
  for (const route of table) registerRoute(app, route, pipeline);
  const webhooks = serveWebhooks(app, deps);
  const secrets = [deps.serverSecret, config.previousServerSecret];
  const unsubscribe = serveUnsubscribe(app, db, secrets);
  const signIn = serveSignIn(app, deps, pipeline);
  const stopping = new AbortController();
  serveGit(app, {
    ...pipeline,
    directory: config.repositories,
    size: config.repositorySize,
    transfers: capacity.gits,
    ending: stopping.signal,
  });
  serveMcp(app, { ...pipeline, table, version: config.version, passes });
  serveOauth(app, { ...pipeline, networkOf, next: nextTokens(deps.serverSecret) });
  const ending = shutdown(app, connections, config.shutdown, capacity.streams.close);
  const { migration, carriesOutTasks = false } = deps;
  const load = { slots: capacity.slots, connections, draining: ending.draining };
  serveHealth(app, db, { migration, carriesOutTasks, ...load });
  await serveDocument(app, () => openApi(table, config, describedApi()), connections);
  const pages = await serveDashboard(app, connections, {
    built: deps.dashboard,
    stripe: deps.cardSetups.processor === 'stripe',
  });
  const known = [
    ...table,
    ...signIn,
    ...SERVICES,
    ...GIT_ROUTES,
    ...MCP_ROUTES,
    ...OAUTH_ROUTES,
    ...pages,
    ...webhooks,
    ...unsubscribe,
  ];
  refuseUnrouted = registerOtherMethods(
    app,
    Map.groupBy(known, ({ path }) => routerPath(path)),
  );
  app.addHook('preClose', async () => {
    capacity.streams.close();
    capacity.exports.close();
    capacity.downloads.close();
    stopping.abort();
  });
  app.addHook('onClose', async () => {
    connections.close();
    await used.close();
    await limits.close();
  });
  return Object.assign(app, { shutdown: ending });
}

type Always = ReturnType<typeof answerHeaders>;

/** What is served beside the operations, the dashboard and Git. */
const SERVICES = ['/healthz', '/readyz', '/openapi.json'].map((path) => ({ method: 'GET', path }));

/** The empty server: every method of HTTP has a handler, so that each unknown one is answered. */
function newApp({ config, log }: AppDeps, always: Always, connections: Connections) {
  const options: FastifyHttpOptions<Server> = {
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    serverFactory: (answer: RequestListener) => createHttpServer(answer, config, connections),
    trustProxy: config.trustedProxies.length > 0 && config.trustedProxies,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 16 * 1024 },
    genReqId: requestId(randomUUID),
    rewriteUrl: repairUrl,
    clientErrorHandler: refuseBrokenRequests(always, connections),
  };
  const app: FastifyInstance = fastify(options);
  app.setSerializerCompiler(serializerOf);
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method))
      app.addHttpMethod(method, { hasBody: true });
  }
  return app;
}

const openLimits = ({ config, log }: AppDeps) =>
  rateLimits(config.rateLimits, config.redisUrl, (error) =>
    error === undefined
      ? log.info('rate limits are shared again')
      : // Only the message: the error shows the failed command, which may contain the password.
        log.warn(
          { reason: error.message },
          'the store at REDIS_URL cannot be used: each process counts rate limits for itself',
        ),
  );

/** Notes when a key or session was used last, in batches. */
function lastUses({ db, log }: AppDeps) {
  const notWritten = 'the last use of credentials could not be written';
  const uses = (write: WriteUses) =>
    lastUsed(db, write, (err) => log.warn({ err }, `${notWritten}; trying again`));
  const [keys, sessions] = [uses(usesOfKeys), uses(usesOfSessions)];
  return {
    note: ({ keyId, sessionId }: Caller) => {
      if (keyId !== null) keys.note(keyId);
      if (sessionId !== null) sessions.note(sessionId);
    },
    close: () =>
      Promise.all([keys.close(), sessions.close()]).catch((err) => log.warn({ err }, notWritten)),
  };
}

/** Traces, log and metrics of requests and connections. */
function observe(app: FastifyInstance, connections: Connections, { trace, metrics }: AppDeps) {
  if (trace !== undefined) traceRequests(app, trace);
  logRequests(app);
  if (metrics === undefined) return;
  measureRequests(app, metrics);
  measureConnections(connections, metrics);
}

/** What bounds how much is done at once. */
function openCapacity({ db, config, metrics }: AppDeps) {
  const capacity = {
    slots: createSlots(config.maxConcurrentRequests),
    streams: eventStreams((permits: readonly Permit[]) => stillAllowed(db, permits), {
      revoked: () => recentlyRevoked(db),
    }),
    exports: createExports(),
    // A download holds at most two pieces of its file; an upload holds a file descriptor.
    uploads: createTransfers(uploadsBusy, { limit: 32, perUser: 4 }),
    downloads: createTransfers(downloadsBusy, { limit: 256, perUser: 16 }),
    gits: createTransfers(gitBusy, LIMITS.atOnce),
  };
  if (metrics !== undefined) {
    const { streams, uploads, downloads, gits } = capacity;
    measureStreams(streams, metrics);
    measureTransfers({ upload: uploads, download: downloads, git: gits }, metrics);
  }
  return capacity;
}

interface PipelineParts {
  limits: Awaited<ReturnType<typeof openLimits>>;
  always: Always;
  used: ReturnType<typeof lastUses>;
  capacity: ReturnType<typeof openCapacity>;
  passes: Passes;
}

/** What each request passes through. */
const pipelineOf = (
  { db, config, log, serverSecret, onTaskChange }: AppDeps,
  { limits, always, used, capacity, passes }: PipelineParts,
) => ({
  db,
  limits,
  always,
  ...capacity,
  onChange: ({ wakes }: Route) => {
    if (wakes) onTaskChange?.();
  },
  publicUrl: config.publicUrl,
  serverSecret,
  hashKey: (token: string) => hashKey(token) ?? passes.get(token),
  knownUsers: new KnownUsers(),
  credentialUsed: used.note,
  recordDenied: (attempt: Parameters<typeof recordDenied>[1]) =>
    recordDenied(db, attempt).catch((err) =>
      log.error({ err }, 'a refused attempt could not be recorded'),
    ),
});

/** The routes of browsers, of which some need no credential. */
function serveSignIn(app: FastifyInstance, deps: AppDeps, pipeline: ReturnType<typeof pipelineOf>) {
  const all = signInRoutes(openSignInServices(deps));
  const { limits, publicUrl } = pipeline;
  const publicly = { limits, publicUrl, receive: bodyReceiver(PUBLIC_BODIES) };
  for (const route of all) {
    if (route.credential === 'none') registerPublicRoute(app, route, publicly);
    else registerRoute(app, route, pipeline);
  }
  return all;
}

/** What Stripe, GitHub, Gitea and callers of routines send. */
function serveWebhooks(app: FastifyInstance, deps: AppDeps) {
  const { db, webhook, githubWebhook, giteaWebhooks } = deps;
  serveRoutineCalls(app, db, { onCall: () => deps.onRoutineRun?.() });
  if (webhook !== undefined) serveWebhook(app, db, webhook.verify, webhook.onEvent);
  if (githubWebhook !== undefined) serveGithubWebhook(app, db, githubWebhook);
  if (giteaWebhooks !== undefined) serveGiteaWebhook(app, db, giteaWebhooks);
  const paths = [
    ROUTINE_CALLS,
    webhook === undefined ? undefined : '/webhooks/stripe',
    githubWebhook === undefined ? undefined : GITHUB_WEBHOOK,
    giteaWebhooks === undefined ? undefined : GITEA_WEBHOOK,
  ];
  return paths.filter((path) => path !== undefined).map((path) => ({ method: 'POST', path }));
}
