import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raw } from '../../testing/clients/raw.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { answerHeaders } from './headers.ts';

const { url, fixtures, request, routes } = await startHarness();
const always = answerHeaders(url);

test('every answer carries the same headers for browsers: of operations, errors, services, and what is not HTTP', async () => {
  const user = await fixtures.user();
  const asked: [string, string, Parameters<typeof request>[2]?][] = [
    ['GET', '/healthz'],
    ['GET', '/readyz'],
    ['GET', '/openapi.json'],
    ['GET', '/nowhere'],
    ['GET', '/%zz'],
    ['POST', '/healthz'],
    ['GET', '/api/billing/balance', { key: user.key }],
    ['POST', '/api/billing/add-funds', { key: user.key, raw: 'x'.repeat(70_000) }],
    ['POST', '/api/billing/add-funds', { key: user.key, raw: new Uint8Array([34, 255]) }],
    ...routes.map(({ method, path }) => [method, path] as [string, string]),
    ...routes.map(({ path }) => ['PATCH', path] as [string, string]),
  ];
  const statuses = new Set<number>();
  for (const [method, path, options] of asked) {
    const { status, headers } = await request(method, path, options);
    statuses.add(status);
    const carried = Object.fromEntries(
      Object.keys(always).map((name) => [name, headers.get(name)]),
    );
    assert.deepEqual(carried, always, `${method} ${path} ${status}`);
    assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
  }
  assert.deepEqual([...statuses].sort(), [200, 400, 401, 404, 405, 413]);
  for (const bytes of ['nonsense\r\n\r\n', `GET / HTTP/1.1\r\na: ${'x'.repeat(17_000)}\r\n\r\n`]) {
    const answer = await raw(url, bytes);
    for (const [name, value] of Object.entries(always))
      assert.ok(answer.includes(`\r\n${name}: ${value}\r\n`));
  }
});

test('the page at /docs runs what this server serves, and nothing else, and cannot be framed', async () => {
  for (const path of [
    '/docs/',
    '/docs/static/swagger-ui-bundle.js',
    '/docs/static/swagger-ui.css',
  ]) {
    const { status, headers } = await request('GET', path);
    assert.equal(status, 200, path);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'self'.*frame-ancestors 'none'.*script-src 'self';/);
    assert.doesNotMatch(policy, /https?:|unsafe|upgrade/);
    for (const name of Object.keys(always)) assert.ok(headers.get(name), `${path} ${name}`);
    assert.equal(headers.get('x-frame-options'), 'DENY');
  }
  // With scripts from this server alone, one within the page would be refused.
  const { text } = await request('GET', '/docs/');
  assert.doesNotMatch(text, /<script>|<script(?![^>]*src=)|<style|style=|onload=/);
});

test('HTTPS is demanded only where the public address is HTTPS', () => {
  assert.equal(answerHeaders('http://127.0.0.1:8080')['strict-transport-security'], undefined);
  assert.equal(
    answerHeaders('https://guildhall.example.com')['strict-transport-security'],
    'max-age=31536000',
  );
});

test('an address that browsers do not trust gets no header that they would complain of', () => {
  const isolated = (address: string) => 'cross-origin-opener-policy' in answerHeaders(address);
  for (const trusted of [
    'https://guildhall.example.com',
    'http://localhost:8080',
    'http://dev.localhost',
    'http://127.0.0.1:8080',
    'http://[::1]:8080',
  ])
    assert.equal(isolated(trusted), true, trusted);
  for (const other of ['http://nas:8080', 'http://192.168.1.5', 'http://127.example.com.evil.test'])
    assert.equal(isolated(other), false, other);
});

test('no other site may read an answer: nothing speaks of CORS, not even to a preflight', async () => {
  const headers = { origin: 'https://evil.example', 'access-control-request-method': 'DELETE' };
  for (const { method, path } of routes) {
    for (const asked of ['OPTIONS', method]) {
      const reply = await request(asked, path, { headers });
      assert.equal(reply.status, asked === 'OPTIONS' ? 405 : 401);
      for (const [name] of reply.headers) assert.ok(!name.startsWith('access-control-'), name);
    }
  }
});
