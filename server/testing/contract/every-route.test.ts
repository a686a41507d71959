import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { test } from 'node:test';
import fc from 'fast-check';
import { sql } from '../../db/sql.ts';
import type { Operation } from '../../http/public-route.ts';
import { mintKey } from '../../identity/keys/key.ts';
import { type Reply, startHarness } from '../harness/harness.ts';
import { membersOf } from './members.ts';

const { url: serverUrl, fixtures, request, db, routes, unchanged, log } = await startHarness();

const withIds = (path: string, id: () => string = randomUUID) =>
  path.replaceAll(/\{\w+\}/g, () => id());
const user = await fixtures.user();
const NO_CARD = `pm_${'x'.repeat(24)}`;
const NUMBERS = /\{(version|number|installation_id|github_repository_id)\}/;

test('401: every route refuses a request without a credential, before it looks at anything else', async () => {
  const [first] = routes;
  const send = ({ method, path, body }: Operation, authorization?: string) =>
    request(
      method,
      withIds(path, () => 'nope'),
      {
        headers: authorization === undefined ? {} : { authorization },
        ...(body === undefined ? {} : { raw: '{"a":' }),
      },
    );
  await unchanged(async () => {
    for (const route of routes) assertNotAuthenticated(await send(route));
    // One function reads the header, whatever the route is.
    for (const header of ['Basic abc', 'Bearer', 'Bearer ', `Bearer\t${user.key}`, user.key])
      assertNotAuthenticated(await send(first as Operation, header));
  });
});

function assertNotAuthenticated({ status, headers, body }: Reply) {
  assert.equal(status, 401);
  assert.equal(headers.get('www-authenticate'), 'Bearer');
  assert.deepEqual(body, { detail: 'Not authenticated', code: 'not_authenticated' });
}

test('401: unknown, malformed, revoked and expired keys and deactivated users get one body, before validation', async () => {
  const [revoked, expired, gone] = [
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
  ];
  await db.many(sql`update api_key set revoked_at = now() where user_id = ${revoked.id}`);
  await db.many(sql`update api_key set expires_at = now() where user_id = ${expired.id}`);
  await db.many(sql`update app_user set is_active = false where id = ${gone.id}`);
  const keys = [
    'bad',
    `${user.key.slice(0, -1)}_`,
    user.key.toLowerCase(),
    revoked.key,
    expired.key,
    gone.key,
  ];
  const isRefused = async ({ method, path, body }: Operation, key: string, id: () => string) => {
    const reply = await request(method, withIds(path, id), {
      key,
      ...(body === undefined ? {} : { raw: 'not json' }),
    });
    assert.equal(reply.status, 401, `${method} ${path} ${key}`);
    assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
    assert.deepEqual(reply.body, { detail: 'Invalid API key', code: 'invalid_api_key' });
  };
  for (const [index, route] of routes.entries()) {
    // One that nobody has, and in turn one of the others: one function looks at all of them.
    await isRefused(route, mintKey(), () => 'nope');
    await isRefused(route, keys[index % keys.length] as string, randomUUID);
  }
});

test('422: every route refuses a malformed id, and accepts every spelling of a good one', async () => {
  const id = randomUUID();
  const allBad = ['nope', '%ff', '%zz', '%00', `${id}0`, 'x'.repeat(5000)];
  const allGood = [id.toUpperCase(), id.replaceAll('-', ''), `{${id}}`, `urn:uuid:${id}`];
  const withAnId = routes.filter(({ path }) => path.includes('{'));
  for (const [index, { method, path, body }] of withAnId.entries()) {
    // Each name stands in many paths, and one function reads all of that name.
    for (const bad of ['nope', allBad[index % allBad.length] as string]) {
      const reply = await request(
        method,
        withIds(path, () => bad),
        { key: user.key },
      );
      assert.equal(reply.status, 422, `${method} ${path} ${bad}`);
      assert.equal(reply.body.detail[0].loc[0], 'path');
    }
    for (const good of [allGood[index % allGood.length] as string]) {
      const reply = await request(
        method,
        withIds(
          path
            .replace(NUMBERS, '1')
            .replace('{payment_method_id}', NO_CARD)
            .replace('{name}', 'NAME'),
          () => good,
        ),
        { key: user.key, ...(body && { body: {} }) },
      );
      assert.ok([404, 422].includes(reply.status));
      for (const { loc } of reply.status === 422 ? reply.body.detail : [])
        assert.notEqual(loc[0], 'path');
    }
  }
});

test('404 and 405: unknown paths, trailing slashes and other methods, whoever asks', async () => {
  for (const [path, known] of Map.groupBy(routes, (route) => route.path)) {
    const methods = known.map(({ method }) => method as string);
    const url = withIds(path);
    for (const unknown of [`${url}/`, `${url}/x/y`, `/v1${url}`, url.toUpperCase()]) {
      assert.equal((await request(methods[0] as string, unknown)).status, 404, unknown);
    }
    for (const other of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'PROPFIND']) {
      if (methods.includes(other === 'HEAD' ? 'GET' : other)) continue;
      const reply = await request(other, url, other === 'PATCH' ? { raw: 'x'.repeat(70_000) } : {});
      assert.equal(reply.status, 405, `${other} ${url}`);
      const allowed = reply.headers.get('allow')?.split(', ') ?? [];
      assert.ok(methods.every((method) => allowed.includes(method)));
    }
  }
  for (const method of ['GET', 'PROPFIND'])
    assert.equal((await request(method, '/api/nowhere')).status, 404, method);
});

test('413, 400: bodies over the limit of 64 KiB or the route’s own, bytes that are no UTF-8, and nesting over 64', async () => {
  for (const route of routes.filter(({ body }) => body !== undefined)) {
    const { method, path, bodyLimit = 64 * 1024 } = route;
    const send = (raw: string | Uint8Array) =>
      request(method, withIds(path), { key: user.key, raw });
    assert.equal((await send(`{"name":"${'x'.repeat(bodyLimit)}"}`)).status, 413);
    for (const raw of [
      new Uint8Array([123, 34, 255, 34, 125]),
      `${'['.repeat(65)}${']'.repeat(65)}`,
      `{"a":${'['.repeat(30_000)}`,
    ]) {
      const reply = await send(raw);
      assert.deepEqual(
        [reply.status, reply.body.detail],
        [400, 'There was an error parsing the body'],
      );
    }
  }
});

test('431: an address over 16 KiB is refused on every route, as declared', async () => {
  for (const { method, path } of routes) {
    const reply = await request(method, `${withIds(path)}?cursor=${'x'.repeat(17 * 1024)}`, {
      key: user.key,
    });
    assert.deepEqual(
      [reply.status, reply.body.code],
      [431, 'headers_too_large'],
      `${method} ${path}`,
    );
  }
});

test('vectors: every recorded FastAPI case answers as FastAPI did', async () => {
  const lines = (await readFile(new URL('../../http/input/vectors.jsonl', import.meta.url), 'utf8'))
    .trim()
    .split('\n');
  for (const line of lines) {
    const vector = JSON.parse(line);
    const headers = { ...vector.headers };
    if (headers.authorization === undefined && vector.authorized)
      headers.authorization = `Bearer ${user.key}`;
    const raw = vector.body_base64 === null ? undefined : Buffer.from(vector.body_base64, 'base64');
    const reply = await send(vector.method, vector.path, headers, raw);
    assert.equal(reply.status, vector.status, `${vector.name}: ${reply.text}`);
    if (vector.allow) assert.equal(reply.headers.get('allow'), vector.allow);
    if (vector.www_authenticate)
      assert.equal(reply.headers.get('www-authenticate'), vector.www_authenticate);
    if (vector.detail === undefined) continue;
    const { detail } = JSON.parse(reply.text);
    if (vector.compare === 'type, loc[0], msg') {
      const brief = (items: { type: string; loc: unknown[]; msg: string }[]) =>
        items.map(({ type, loc, msg }) => [type, loc[0], msg]);
      assert.deepEqual(brief(detail), brief(vector.detail), vector.name);
    } else {
      assert.deepEqual(detail, vector.detail, vector.name);
    }
  }
  assert.ok(lines.length >= 92);
});

// Not through `call`: a vector's content type, or its absence, must go out as recorded.
async function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  raw: Buffer | undefined,
) {
  return new Promise<{ status: number; headers: Headers; text: string }>((resolve, reject) => {
    const sent = raw === undefined ? headers : { ...headers, 'content-length': String(raw.length) };
    const outgoing = httpRequest(
      { port: new URL(serverUrl).port, path, method, headers: sent },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.on('end', () => {
          resolve({
            status: answer.statusCode as number,
            headers: new Headers(answer.headers as never),
            text: Buffer.concat(chunks).toString(),
          });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(raw);
  });
}

test('property: no JSON at any operation ever gets a 5xx, or changes what the caller has no right to', async () => {
  const stranger = await fixtures.user();
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const ids: Record<string, string> = {
    org_id: workspace,
    team_id: await fixtures.team(workspace),
    project_id: project,
    task_id: await fixtures.task(project, owner),
  };
  const fields = routes.flatMap(({ body }) => membersOf(body).map(([name]) => name));
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom(owner.id, stranger.id, '\ud800', '\u0000', -0, 1e308),
  );
  const body = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(
      fc.oneof(fc.constantFrom(...fields, '__proto__', 'constructor'), fc.string()),
      value,
    ),
  );
  // What is the caller's own they may of course change.
  const foreign = routes.filter(({ method, params }) => method === 'GET' || params !== undefined);
  await unchanged(() =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...foreign),
        body,
        fc.boolean(),
        fc.string(),
        async (route, json, real, query) => {
          const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name) =>
            real ? (ids[name] as string) : encodeURIComponent(`x${query.toWellFormed()}`),
          );
          const search = new URLSearchParams({
            limit: query,
            cursor: query,
            status: query,
            transfer_balance_to_user_id: query,
          });
          const raw = route.method === 'GET' ? {} : { raw: JSON.stringify(json) };
          const reply = await request(route.method, `${path}?${search}`, {
            key: stranger.key,
            ...raw,
          });
          assert.ok(reply.status < 500, reply.text);
          if (route.params !== undefined) assert.ok(reply.status >= 400, 'a stranger got in');
        },
      ),
      { numRuns: 600 },
    ),
  );
});

test('logs: one line per request with its ids, and no secret, body or header anywhere', async () => {
  const keys = [user.key, (await fixtures.user()).key];
  const start = log.length;
  for (const { method, path } of routes) {
    for (const key of keys)
      await request(method, withIds(path), {
        key,
        headers: { 'x-request-id': 'trace-me-1', cookie: 'c00kie-value' },
        ...(method === 'GET' ? {} : { body: { name: 'b0dy-value' } }),
      });
  }
  const lines = log
    .slice(start)
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'request');
  assert.equal(lines.length, routes.length * 2);
  for (const line of lines) {
    assert.equal(line.reqId, 'trace-me-1');
    assert.equal(typeof line.ms, 'number');
    assert.ok(line.userId && line.keyId && line.route && line.status, JSON.stringify(line));
  }
  const everything = log.join('');
  for (const secret of [
    ...keys,
    ...keys.map((key) => key.slice(4)),
    'c00kie-value',
    'b0dy-value',
    'a secret for tests',
  ]) {
    assert.ok(!everything.includes(secret), secret);
  }
  assert.ok(!/gld_\w/.test(everything));
});
