import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { openDatabase } from '../db/database/database.ts';
import { type ReceivedSpan, startCollector } from '../testing/clients/collector.ts';
import { cloneDatabase } from '../testing/database/database.ts';
import { startFakeStripe } from '../testing/fakes/fake-stripe/server.ts';
import { fixturesOn } from '../testing/fixtures/tenants.ts';

/** The real command, and a receiver of what it exports. */

const clone = await cloneDatabase();
const db = openDatabase({ url: clone.url });
const fixtures = fixturesOn(db);
const fake = await startFakeStripe();
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const team = await fixtures.team(workspace);
const card = await fixtures.card(owner);
const children: ChildProcess[] = [];
after(async () => {
  for (const child of children) child.kill('SIGKILL');
  await fake.close();
  await db.close();
  await clone.drop();
});

// Says on standard error that OpenTelemetry is loaded.
const WATCH = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({ resolve: (name, context, next) => {
    if (name.startsWith('@opentelemetry/')) process.stderr.write('LOADED ' + name + '\\n');
    return next(name, context);
  } });`)}`;

/** Where a run keeps compiled files, which spares each server that it starts a second. */
const { NODE_COMPILE_CACHE: COMPILE_CACHE } = process.env;

async function serve(env: Record<string, string>, args: string[] = []) {
  const child = spawn(
    process.execPath,
    [
      '--import',
      WATCH,
      join(import.meta.dirname, '../../cli/guildhall.ts'),
      'serve',
      '--json',
      ...args,
    ],
    {
      env: {
        PATH: process.env.PATH ?? '',
        ...(COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE: COMPILE_CACHE }),
        PORT: '0',
        DATABASE_URL: clone.url,
        SERVER_SECRET: 'a secret for tests that is long enough',
        STRIPE_SECRET_KEY: fake.secretKey,
        STRIPE_API_BASE: fake.url,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  children.push(child);
  const lines: string[] = [];
  const told = createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  let announced = '';
  for await (const line of createInterface({ input: child.stdout })) {
    announced += line;
    if (line === '}') break;
  }
  const { url } = JSON.parse(announced) as { url: string };
  return {
    lines,
    log: () => lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line)),
    ask: (method: string, path: string, headers: Record<string, string> = {}, body?: object) =>
      fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${owner.key}`,
          ...(body && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
      }).then(async (answer) => ({ status: answer.status, text: await answer.text() })),
    /** How it ended. */
    end: async () => {
      const over = Promise.all([once(child, 'exit'), once(told, 'close')]);
      child.kill('SIGTERM');
      return (await over)[0];
    },
  };
}

const TEAM = `/api/organizations/${workspace}/teams/${team}`;
const PEOPLE = `/api/organizations/${workspace}/invitations`;
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

test('requests, statements, transactions and calls to Stripe are one tree, sent before the server ends; nothing secret is', async () => {
  const collector = await startCollector();
  const server = await serve({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_SERVICE_NAME: 'a-hall',
  });
  const continued = { traceparent: `00-${TRACE}-${PARENT}-01`, 'x-request-id': 'continued' };
  assert.equal((await server.ask('PUT', TEAM, continued, { name: 'Quiet Team' })).status, 200);
  const funds = { amount: 12.5, payment_method_id: card };
  const keyed = { 'x-request-id': 'funds', 'idempotency-key': 'quiet-key' };
  assert.equal((await server.ask('POST', '/api/billing/add-funds', keyed, funds)).status, 200);
  const unsampled = { traceparent: `00-${TRACE}-${PARENT}-00`, 'x-request-id': 'unsampled' };
  assert.equal((await server.ask('GET', `${PEOPLE}?limit=1`, unsampled)).status, 200);
  assert.equal(
    (await server.ask('GET', '/nowhere/gld_quiet', { 'x-request-id': 'lost' })).status,
    404,
  );
  const stranger = { authorization: `Bearer ${owner.key}x`, 'x-request-id': 'stranger' };
  assert.equal((await server.ask('GET', PEOPLE, stranger)).status, 401);
  assert.equal((await server.ask('GET', '/readyz')).status, 200);
  assert.deepEqual(await server.end(), [0, null]);
  collector.close();

  assert.ok(server.lines.includes('LOADED @opentelemetry/sdk-trace'));
  const { spans } = collector;
  const requests = new Map(
    spans
      .filter(({ kind }) => kind === 2)
      .map((span) => [span.attributes['http.response.header.x-request-id'], span]),
  );
  const ids = ['continued', 'funds', 'lost', 'stranger'];
  assert.deepEqual(
    [...requests.keys()].sort(),
    ids.map((id) => `{"values":[{"stringValue":"${id}"}]}`).sort(),
  );
  const request = (id: string) =>
    requests.get(`{"values":[{"stringValue":"${id}"}]}`) as ReceivedSpan;
  const under = (parent: ReceivedSpan) =>
    spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId);

  const renamed = request('continued');
  assert.equal(renamed.name, 'PUT /api/organizations/:org_id/teams/:team_id');
  assert.deepEqual([renamed.traceId, renamed.parentSpanId], [TRACE, PARENT]);
  assert.equal(renamed.attributes['http.route'], '/api/organizations/:org_id/teams/:team_id');
  assert.equal(renamed.attributes['http.response.status_code'], '200');
  assert.equal(renamed.resource['service.name'], 'a-hall');
  const updated = spans.find(
    ({ attributes }) =>
      attributes['db.operation.name'] === 'update' &&
      attributes['db.query.summary']?.includes('update team'),
  );
  assert.ok(updated !== undefined && updated.traceId === TRACE && updated.kind === 3);
  assert.match(updated.attributes['db.query.text'] ?? '', /\$1/);

  const added = request('funds');
  const transaction = under(added).find(({ name }) => name === 'transaction') as ReceivedSpan;
  const within = under(transaction).map(({ name }) => name);
  assert.deepEqual([within.at(0), within.at(-1)], ['begin', 'commit']);
  assert.ok(within.length > 2);
  const calls = under(added).filter(({ name }) => name.includes('/v1/'));
  assert.deepEqual(
    calls.map(({ name, attributes }) => [name, attributes['http.response.status_code']]),
    [
      ['POST /v1/customers', '200'],
      ['POST /v1/payment_intents', '200'],
      ['POST /v1/payment_intents/{id}/confirm', '200'],
    ],
  );
  assert.equal(request('lost').name, 'GET');
  assert.deepEqual(
    [request('stranger').attributes['http.response.status_code'], request('stranger').status],
    ['401', 0],
  );
  const known = new Set([PARENT, ...spans.map(({ spanId }) => spanId)]);
  for (const { parentSpanId, name, traceId } of spans) {
    assert.ok(parentSpanId === undefined || known.has(parentSpanId), name);
    assert.ok(
      [...requests.values()].some((one) => one.traceId === traceId),
      `${name} belongs to no request`,
    );
  }

  const logged = (id: string) =>
    server.log().find(({ reqId, msg }) => reqId === id && msg === 'request');
  assert.equal(logged('continued').traceId, TRACE);
  assert.equal(logged('funds').traceId, added.traceId);
  assert.equal(logged('unsampled').traceId, undefined);

  const sent = collector.received.join('\n');
  const secrets = [
    owner.key,
    owner.id,
    owner.email,
    workspace,
    team,
    card,
    fake.secretKey,
    'pm_card_visa',
  ];
  for (const secret of [
    ...secrets,
    'Quiet',
    'quiet',
    'earer',
    'a secret for tests',
    new URL(clone.url).password,
  ])
    assert.ok(secret === '' || !sent.includes(secret), `${secret} was exported`);
  assert.match(sent, /^POST \/v1\/traces /);
});

test('a receiver that takes and never answers holds up neither requests nor the end', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const server = await serve({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
  // With the spans of their statements, more than are sent at once.
  for (let i = 0; i < 300; i++) assert.equal((await server.ask('GET', PEOPLE)).status, 200);
  assert.deepEqual(await server.end(), [0, null]);
  silent.close();
  assert.equal(server.log().filter(({ msg }) => /^traces were not/.test(msg)).length, 1);
});

test('a receiver that is down costs no request and no end: a line in the log says what was lost', async () => {
  const { url, close } = await startCollector();
  close();
  const server = await serve({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces` });
  for (let i = 0; i < 10; i++) assert.equal((await server.ask('GET', PEOPLE)).status, 200);
  assert.deepEqual(await server.end(), [0, null]);
  const warned = server
    .log()
    .filter(({ level, msg }) => level >= 40 && /^traces were not/.test(msg));
  assert.equal(warned.length, 1);
  assert.ok(warned[0].spans > 0);
  assert.match(warned[0].reason, /ECONNREFUSED/);
});

test('every one of several workers exports, as an instance of its own', async () => {
  const collector = await startCollector();
  const server = await serve({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, ['--workers', '2']);
  await Promise.all(
    Array.from({ length: 40 }, () => server.ask('GET', PEOPLE, { connection: 'close' })),
  );
  assert.deepEqual(await server.end(), [0, null]);
  collector.close();
  const requests = collector.spans.filter(({ kind }) => kind === 2);
  assert.equal(requests.length, 40);
  assert.deepEqual(
    new Set(requests.map(({ resource }) => resource['service.name'])),
    new Set(['guildhall']),
  );
  assert.equal(new Set(requests.map(({ resource }) => resource['service.instance.id'])).size, 2);
});

test('the sampler that is set decides; one without parentbased_ does not listen to the caller', async () => {
  const collector = await startCollector();
  const server = await serve({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  });
  const { status } = await server.ask('GET', PEOPLE, { traceparent: `00-${TRACE}-${PARENT}-01` });
  assert.equal(status, 200);
  await server.end();
  collector.close();
  assert.deepEqual(collector.spans, []);
});

test('not configured, nothing of OpenTelemetry is loaded but the interface that prom-client asks for', async () => {
  const without = await serve({});
  assert.equal((await without.ask('GET', PEOPLE)).status, 200);
  await without.end();
  assert.deepEqual(
    without.lines.filter((line) => line.startsWith('LOADED') && !line.endsWith('/api')),
    [],
  );
  assert.ok(without.log().every((line) => line.traceId === undefined));
});
