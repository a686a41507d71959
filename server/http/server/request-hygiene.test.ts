import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { sql } from '../../db/sql.ts';
import { raw } from '../../testing/clients/raw.ts';
import { startProxy } from '../../testing/database/proxy.ts';
import { startHarness } from '../../testing/harness/harness.ts';

let proxy: Awaited<ReturnType<typeof startProxy>> | undefined;
const {
  url,
  fixtures,
  request,
  log,
  owner: asOwner,
} = await startHarness({
  through: async (databaseUrl) => {
    proxy = await startProxy(databaseUrl);
    return proxy.url;
  },
});
after(() => proxy?.close());

test('health: alive without a key, ready when the database holds the migrations', async () => {
  assert.deepEqual((await request('GET', '/healthz')).body, { status: 'ok' });
  assert.deepEqual((await request('GET', '/readyz')).body, { status: 'ready' });
  assert.equal((await request('POST', '/healthz')).headers.get('allow'), 'GET');
});

test('documents: OpenAPI 3.1 and an interactive page, both from this server alone', async () => {
  const { body } = await request('GET', '/openapi.json');
  assert.equal(body.openapi, '3.1.0');
  assert.equal(body.info.version, '1.0.0');
  assert.equal(
    Object.keys(body.components.securitySchemes).join(),
    'ApiKeyBearer,HTTPBearer,Session',
  );
  const page = await request('GET', '/docs/');
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'self'/);
  const assets = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(
    ([, address]) => address as string,
  );
  assert.ok(assets.length >= 4);
  for (const asset of assets) {
    const { pathname, origin } = new URL(asset, `${url}/docs/`);
    assert.equal(origin, url, 'an outside host');
    assert.equal((await fetch(`${url}${pathname}`)).status, 200, asset);
  }
});

test('request ids: a fit one is kept, anything else is replaced', async () => {
  const id = async (given: string) =>
    (await request('GET', '/healthz', { headers: { 'x-request-id': given } })).headers.get(
      'x-request-id',
    );
  assert.equal(await id('abc-1.2:3'), 'abc-1.2:3');
  for (const bad of [
    'a b',
    'x'.repeat(101),
    '{"level":60}',
    `gld_${'a'.repeat(40)}`,
    'x-sk_live_abcdef123456',
  ])
    assert.match((await id(bad)) ?? '', /^[0-9a-f-]{36}$/);
});

test('431, 400: oversized headers and what is not HTTP are answered and cut off', async () => {
  const large = await raw(
    url,
    `GET /healthz HTTP/1.1\r\nhost: x\r\na: ${'x'.repeat(17 * 1024)}\r\n\r\n`,
  );
  assert.match(large, /^HTTP\/1\.1 431 /);
  assert.match(large, /"code":"headers_too_large"/);
  assert.match(await raw(url, 'nonsense\r\n\r\n'), /^HTTP\/1\.1 400 .*"code":"bad_request"/s);
  const smuggled =
    'POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n';
  assert.match(await raw(url, smuggled), /^HTTP\/1\.1 400 /);
});

test('503 with Retry-After while the database cannot be reached, nothing inside, and it recovers by itself', async () => {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const team = await fixtures.team(workspace);
  const requests: [string, string, unknown?][] = [
    ['GET', `/api/organizations/${workspace}/invitations`],
    ['PUT', `/api/organizations/${workspace}/teams/${team}`, { name: 'A' }],
    ['DELETE', `/api/organizations/${workspace}`],
  ];
  proxy?.cut();
  for (const [method, path, body] of [...requests, ...requests]) {
    const reply = await request(method, path, { key: owner.key, body });
    assert.deepEqual(
      [reply.status, reply.body.code],
      [503, 'database_unavailable'],
      `${method} ${path}`,
    );
    assert.equal(reply.headers.get('retry-after'), '5');
  }
  assert.equal((await request('GET', '/readyz')).status, 503);
  assert.equal((await request('GET', '/healthz')).status, 200);
  proxy?.mend();
  await setTimeout(10);
  assert.equal((await request('GET', '/readyz')).status, 200);
  for (const [method, path, body] of requests)
    assert.equal((await request(method, path, { key: owner.key, body })).status, 200);
});

test('500: an unexpected error is logged in full without row values, and its answer shows none of it', async () => {
  const start = log.length;
  const owner = await fixtures.user({ email: 'very-private@example.com' });
  const workspace = await fixtures.workspace(owner, { name: 'Very Private Ltd' });
  await asOwner(
    sql`alter table organization add constraint broken check (name <> 'Very Private Ltd') not valid`,
  );
  const successor = await fixtures.user();
  await fixtures.member(workspace, successor);
  const path = `/api/organizations/${workspace}/transfer-ownership`;
  const reply = await request('POST', path, {
    key: owner.key,
    body: { new_owner_user_id: successor.id },
  });
  await asOwner(sql`alter table organization drop constraint broken`);
  assert.deepEqual(
    [reply.status, reply.body],
    [500, { detail: 'Internal Server Error', code: 'internal_error' }],
  );
  const logged = log.slice(start).join('');
  assert.match(logged, /violates check constraint/);
  assert.ok(!logged.includes('Very Private Ltd'));
});
