import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { Compile } from 'typebox/compile';
import { declaredStatuses } from '../../http/declared-errors.ts';
import { EXAMPLES } from '../../http/examples.ts';
import type { Operation, PublicRoute } from '../../http/public-route.ts';
import type { Route } from '../../http/route.ts';
import { signInText } from '../../main/write-openapi.ts';
import { signedIn } from '../clients/browser.ts';
import { startHarness } from '../harness/harness.ts';

/** What holds for every path of sign-in, so also for the next one. */

const harness = await startHarness();
const { fixtures, request, signInRoutes, unchanged } = harness;
const isPublic = (route: Route | PublicRoute): route is PublicRoute => route.credential === 'none';
const closed = signInRoutes.filter((route): route is Route => !isPublic(route));
const open = signInRoutes.filter(isPublic);
const changes = signInRoutes.filter(({ method }) => method !== 'GET');
const user = await fixtures.user();
const account = await fixtures.serviceAccount(await fixtures.workspace(user));
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

const pathOf = ({ path }: Operation) =>
  path.replace('{service_account_id}', account.id).replaceAll(/\{\w+\}/g, () => randomUUID());
const bodyOf = (route: Operation) =>
  route.body === undefined ? {} : { body: route.sample?.(EXAMPLES).body ?? {} };

test('all paths are under /auth, and each one says what opens it', () => {
  for (const { path, credential, area } of signInRoutes) {
    assert.match(path, /^\/auth\//);
    assert.equal(area, 'Sign-in');
    assert.ok(credential !== undefined, `${path} would be open to API keys`);
  }
});

test('401: without a session, before the body is read', async () => {
  for (const route of closed) {
    for (const cookie of ['', `guildhall=${'x'.repeat(43)}`]) {
      const reply = await unchanged(() =>
        request(route.method, pathOf(route), {
          headers: { ...SAME_ORIGIN, cookie },
          ...(route.body === undefined ? {} : { raw: '{"a":' }),
        }),
      );
      assert.deepEqual([reply.status, reply.body.code], [401, 'not_authenticated'], route.path);
    }
  }
});

test('401: a pending session opens only what completes or ends it', async () => {
  for (const route of closed.filter(({ credential }) => credential !== 'pending-session')) {
    const browser = await signedIn(harness, user, { pending: true });
    const reply = await unchanged(() =>
      browser.request(route.method, pathOf(route), bodyOf(route)),
    );
    assert.equal(reply.status, 401, route.path);
  }
});

test('403: an API key opens none of them, whoever it belongs to', async () => {
  for (const route of closed) {
    const reply = await unchanged(() =>
      request(route.method, pathOf(route), { key: user.key, ...bodyOf(route) }),
    );
    assert.deepEqual([reply.status, reply.body.code], [403, 'session_required'], route.path);
  }
});

test('403: what needs a proof refuses a session whose proof is older than ten minutes', async () => {
  for (const route of closed.filter(({ credential }) => credential === 'proven-session')) {
    const browser = await signedIn(harness, user, { provenMinutesAgo: 11 });
    const reply = await unchanged(() =>
      browser.request(route.method, pathOf(route), bodyOf(route)),
    );
    assert.deepEqual([reply.status, reply.body.code], [403, 'proof_required'], route.path);
  }
});

test('403: a change that a page of another site may have sent', async () => {
  for (const route of changes) {
    const { cookie } = await signedIn(harness, user);
    for (const from of [
      {},
      { 'sec-fetch-site': 'cross-site', origin: 'http://127.0.0.1:8080' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ] as Record<string, string>[]) {
      const reply = await unchanged(() =>
        request(route.method, pathOf(route), { headers: { cookie, ...from }, ...bodyOf(route) }),
      );
      assert.deepEqual([reply.status, reply.body.code], [403, 'cross_site_request'], route.path);
    }
  }
});

test('422, 400, 413: malformed ids and bodies', async () => {
  for (const route of signInRoutes) {
    // Some have a limit of their own for each person.
    const browser = await signedIn(harness, await fixtures.user());
    if (route.path.includes('_id}')) {
      const path = route.path.replaceAll(/\{\w+\}/g, 'nope');
      const reply = await browser.request(route.method, path, bodyOf(route));
      assert.deepEqual([reply.status, reply.body.detail[0].loc[0]], [422, 'path'], route.path);
    }
    if (route.body === undefined) continue;
    const send = (raw: string) => browser.request(route.method, pathOf(route), { raw });
    for (const raw of ['{"a":', '[]', '{"no_such_field":1}']) {
      const reply = await unchanged(() => send(raw));
      assert.equal(reply.status, 422, `${route.path} ${raw}`);
    }
    assert.equal((await send('['.repeat(100))).status, 400);
    assert.equal((await send(`"${'x'.repeat(65 * 1024)}"`)).status, 413);
  }
});

test('404, 405: unknown paths and other methods', async () => {
  const known = signInRoutes.map(({ method, path }) => `${method} ${path}`);
  for (const route of signInRoutes) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
      if (known.includes(`${method} ${route.path}`)) continue;
      const reply = await request(method, pathOf(route), { headers: SAME_ORIGIN });
      assert.equal(reply.status, 405, `${method} ${route.path}`);
      assert.ok(reply.headers.get('allow')?.split(', ').includes(route.method));
    }
  }
});

test('no answer is kept by a cache, and each has a request id and limits', async () => {
  for (const route of open.filter(({ method }) => method === 'GET')) {
    const { headers } = await request('GET', pathOf(route));
    assert.equal(headers.get('cache-control'), 'no-store');
    for (const name of ['x-request-id', 'ratelimit', 'ratelimit-policy'])
      assert.ok(headers.has(name), name);
  }
});

test('web/auth-openapi.json shows every status of each path, and examples of their schemas', () => {
  const document = JSON.parse(signInText());
  for (const route of signInRoutes) {
    const operation = document.paths[route.path][route.method.toLowerCase()];
    const statuses = new Set(Object.keys(operation.responses).map(Number));
    assert.deepEqual(statuses, declaredStatuses(route));
    for (const { schema, example } of Object.values(route.responses))
      if (schema !== undefined)
        assert.deepEqual([...Compile(schema).Errors(example)], [], route.path);
    const names = operation.parameters.map(({ name }: { name: string }) => name);
    assert.ok(!names.includes('Idempotency-Key'));
  }
  const ids = signInRoutes.map(({ operationId }) => operationId);
  assert.equal(new Set(ids).size, ids.length);
});
