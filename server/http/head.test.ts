import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeTenant, sampleOf } from '../testing/contract/tenant.ts';
import { startHarness } from '../testing/harness/harness.ts';

const harness = await startHarness();
const { routes, url } = harness;

test('HEAD answers every GET with its status and headers, and no body', async () => {
  const tenant = await makeTenant(harness);
  const paths = routes
    .filter(({ method }) => method === 'GET')
    .map((route) => {
      const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name) => tenant.ids[name] ?? '1');
      return `${path}?${new URLSearchParams(sampleOf(route, tenant).query)}`;
    });
  for (const path of [...paths, '/healthz', '/readyz', '/openapi.json', '/docs/']) {
    const ask = (method: string) =>
      fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${tenant.caller.key}`, 'accept-encoding': 'identity' },
      });
    const [get, head] = [await ask('GET'), await ask('HEAD')];
    const body = await get.arrayBuffer();
    assert.deepEqual([head.status, await head.text()], [get.status, ''], path);
    assert.equal(head.headers.get('content-type'), get.headers.get('content-type'), path);
    // The size of a download is not known before it has been sent; of an empty one, Node names it
    // at the end, which HEAD has not.
    const length = get.headers.has('content-length') ? String(body.byteLength) : null;
    const named = head.headers.get('content-length');
    if (length !== '0' || named !== null) assert.equal(named, length, path);
  }
});

test('401: HEAD needs the credential that GET does', async () => {
  const reply = await fetch(`${url}/api/billing/balance`, { method: 'HEAD' });
  assert.deepEqual([reply.status, await reply.text()], [401, '']);
});
