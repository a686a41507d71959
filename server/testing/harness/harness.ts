import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { after } from 'node:test';
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { cardSetups } from '../../billing/cards/card-setups.ts';
import { sandbox } from '../../billing/cards/sandbox.ts';
import { verifyWebhook } from '../../billing/cards/stripe-events.ts';
import { topUps } from '../../billing/top-ups/top-ups.ts';
import { openGitea } from '../../code/gitea/open-gitea.ts';
import { openGitHub } from '../../code/github/app.ts';
import { storedLimits } from '../../code/github/stored-limits.ts';
import { openDatabase } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { runnable } from '../../erp/instances/offered.ts';
import { declaredStatuses } from '../../http/declared-errors.ts';
import type { Operation } from '../../http/public-route.ts';
import { signInRoutes } from '../../identity/sign-in/routes.ts';
import { build } from '../../main/app.ts';
import { routes } from '../../main/routes.ts';
import { openServices } from '../../main/services.ts';
import { openSignInServices } from '../../main/sign-in-services.ts';
import { inviteLinks, mailedInviteLinks } from '../../organizations/invitations/invite-link.ts';
import { readConfig } from '../../platform/config/config.ts';
import { diskStore } from '../../platform/files/disk-store.ts';
import { type OutgoingOptions, openOutgoing } from '../../platform/outgoing/outgoing.ts';
import { openSealing } from '../../platform/sealing/sealing.ts';
import { measureEventDatabase, measureEvents } from '../../tasks/events/metrics.ts';
import { openTaskEvents } from '../../tasks/events/task-events.ts';
import { openLog } from '../../telemetry/log.ts';
import { openMetrics } from '../../telemetry/metrics.ts';
import { contentOf } from '../database/content.ts';
import { cloneDatabase } from '../database/database.ts';
import { ownerClient } from '../database/owner-client.ts';
import { appOf } from '../fixtures/code/github.ts';
import { SERVER_SECRET } from '../fixtures/erp/odoo-connections.ts';
import { temporaryFolder } from '../fixtures/tasks/file-stores.ts';
import { fixturesOn } from '../fixtures/tenants.ts';
import { atEnd } from './at-end.ts';
import type { Harness, HarnessOptions, Reply } from './harness-shape.ts';

export type { Call, Harness, Reply } from './harness-shape.ts';

/** No test asks a real server of names: nothing listens at the discard port. */
const LOOPBACK: OutgoingOptions = {
  allowedNetworks: ['127.0.0.1'],
  allowHttp: true,
  dnsServers: ['127.0.0.1:9'],
};

let shared: Promise<Harness> | undefined;

/**
 * A server with a database of its own, or, without options, the one that all test files of this
 * process share: such a test does not look at what others might have left. `env` changes the
 * configuration; limits are high unless a test is about them. It is async so that each file awaits a
 * promise of its own: what follows the `await` belongs to the test that has made the promise.
 */
export async function startHarness(options?: HarnessOptions): Promise<Harness> {
  if (options !== undefined) return startOwn(options, after);
  shared ??= startOwn({}, atEnd);
  return shared;
}

/** A server that ends with this process, for several files of a kind. */
export const startLasting = (options: HarnessOptions): Promise<Harness> => startOwn(options, atEnd);

async function startOwn(options: HarnessOptions, onEnd: typeof atEnd): Promise<Harness> {
  const given = options.databaseUrl;
  const clone = given === undefined ? await cloneDatabase() : { url: given, drop: async () => {} };
  const config = readConfig({
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_ADD_FUNDS_PER_MINUTE: '1000000',
    RATE_LIMIT_INVITATIONS_PER_MINUTE: '1000000',
    RATE_LIMIT_UPLOADS_PER_MINUTE: '1000000',
    RATE_LIMIT_PROBES_PER_MINUTE: '1000000',
    RATE_LIMIT_FAILED_AUTH_PER_MINUTE: '1000000',
    RATE_LIMIT_SIGN_IN_PER_MINUTE: '1000000',
    DATABASE_POOL_SIZE: '32',
    ERP_INSTANCES: 'sandbox', // no worker runs there
    ERP_INSTANCES_PER_OWNER: '100000',
    DATA_DIR: await temporaryFolder(onEnd),
    ...options.env,
  });
  const db = openDatabase({
    url: (await options.through?.(clone.url)) ?? clone.url,
    ...config.database,
    // Every connection plans each statement once more.
    readers: 1,
    replicaUrls: config.databaseReplicaUrls,
  });
  const log: string[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      log.push(String(chunk));
      done();
    },
  });
  const { migration } = await db.one<{ migration: string }>(sql`
    select max(name) as migration from schema_migration`);
  // No process carries out tasks here; that they wait for one is not what most tests are about.
  await db.many(sql`
    insert into task_worker (id, confined, seen_at)
    values (gen_random_uuid(), true, now() + interval '1 day')`);
  const { webhookSecret, github } = options;
  const files = options.files ?? diskStore(await temporaryFolder(onEnd));
  const metrics = openMetrics(db);
  const events = openTaskEvents({
    ...config.database,
    url: config.eventDatabaseUrl ?? clone.url,
    observer: measureEvents(metrics),
  });
  measureEventDatabase(metrics, events.log);
  const logger = openLog('debug', stream);
  const processor = options.processor?.(db) ?? sandbox(db);
  const deps = {
    db,
    config,
    topUps: topUps(db, processor, { waitAtMost: options.waitAtMost ?? 10_000, log: logger }),
    cardSetups: cardSetups(db, processor, config.stripe),
    files,
    serverSecret: SERVER_SECRET,
    events,
    outgoing: openOutgoing(options.outgoing ?? LOOPBACK),
    migration,
    log: logger,
    metrics,
    onTaskChange: options.onTaskChange,
    dashboard: options.dashboard,
    githubWebhook: github && { secret: github.webhookSecret, onDelivery: () => {} },
    github: github && openGitHub(appOf(github), { limits: storedLimits(db) }),
    gitea: openGitea(db, openSealing({ current: SERVER_SECRET }, 'code_hosts'), LOOPBACK),
    giteaWebhooks: openSealing({ current: SERVER_SECRET }, 'code_hosts'),
    askOdoo: options.askOdoo,
    erpsOfDumps: options.erpsOfDumps ?? runnable(config.erpInstances, config.erpPrograms),
    trace: options.trace,
    ...(webhookSecret === undefined
      ? {}
      : {
          webhook: {
            verify: (body: Buffer, signature: string | undefined) =>
              verifyWebhook(body, signature, webhookSecret),
            onEvent: () => {},
          },
        }),
  };
  const table = [...routes(openServices(deps)), ...(options.routes ?? [])];
  const close = async () => {
    metrics.clear();
    await events.close();
    await db.close();
    await clone.drop();
  };
  const app = await build(deps, table).catch(async (error) => {
    await close();
    throw error;
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const content = contentOf(clone.url);
  // What a file holds of its harness stays in memory: twenty megabytes with the routes of the server.
  let running: FastifyInstance | undefined = app;
  onEnd(async () => {
    await running?.close();
    running = undefined;
    await content.close();
    await close();
  });

  const signIn = signInRoutes(openSignInServices({ db, config, serverSecret: SERVER_SECRET }));
  const check = answerChecker([...table, ...signIn]);
  const request: Harness['request'] = async (
    method,
    path,
    { key, body, headers = {}, raw } = {},
  ) => {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload === undefined ? {} : { body: payload as string }),
    });
    const text = await response.text();
    const reply = { status: response.status, headers: response.headers, text, body: parse(text) };
    check(method, path, reply);
    return reply;
  };

  return {
    url,
    databaseUrl: clone.url,
    db,
    events,
    metrics,
    log,
    routes: table.filter(({ area }) => area !== 'Operation'),
    operatorRoutes: table.filter(({ area }) => area === 'Operation'),
    signInRoutes: signIn,
    files,
    repositories: config.repositories,
    github,
    inviteLink: inviteLinks(config.publicUrl, SERVER_SECRET),
    mailedInviteLink: mailedInviteLinks(config.publicUrl, SERVER_SECRET),
    fixtures: fixturesOn(db),
    request,
    snapshot: content.digest,
    shutdown: app.shutdown.close,
    unchanged: async (work) => {
      const before = await content.digest();
      const result = await work();
      assert.deepEqual(await content.digest(), before, 'a refused request changed something');
      return result;
    },
    owner: async (query) => {
      const text = query.strings.reduce((all, part, i) => `${all}$${i}${part}`);
      return (await ownerClient(clone.url, text, query.values as unknown[])).rows as never;
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const validators = new WeakMap<TSchema, Validator>();

function compiled(schema: TSchema): Validator {
  const known = validators.get(schema) ?? Compile(schema);
  validators.set(schema, known);
  return known;
}

const parameters = ({ route }: { route: Operation }) => route.path.split('{').length;

function answerChecker(table: Operation[]) {
  const known = table.map((route) => ({
    route,
    path: new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));
  return (method: string, path: string, reply: Reply) => {
    const asked = path.split('?')[0] as string;
    // A path with fewer parameters is not one with more of them.
    const fitting = known.filter((each) => each.path.test(asked));
    const fewest = Math.min(...fitting.map(parameters));
    const found = fitting.find(
      (each) => each.route.method === method && parameters(each) === fewest,
    );
    if (found === undefined) return;
    const name = `${method} ${found.route.path}`;
    assert.ok(
      declaredStatuses(found.route).has(reply.status),
      `${name} does not declare ${reply.status}: ${reply.text}`,
    );
    const { schema, mediaType } = found.route.responses[reply.status] ?? {};
    const asText = mediaType !== undefined && !/json/.test(reply.headers.get('content-type') ?? '');
    if (schema !== undefined && !asText) {
      const wrong = `${name} answered another shape: ${reply.text}`;
      assert.deepEqual([...compiled(schema).Errors(reply.body)], [], wrong);
    } else if (found.route.responses[reply.status] !== undefined) {
      // Declared without JSON: nothing at all, a file, or events.
    } else if (reply.status === 422) {
      assert.ok(Array.isArray(reply.body.detail) && reply.body.detail.length > 0, reply.text);
    } else {
      const { detail, code } = reply.body ?? {};
      assert.deepEqual([typeof detail, typeof code], ['string', 'string'], reply.text);
    }
  };
}
