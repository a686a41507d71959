import assert from 'node:assert/strict';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { signedIn } from '../testing/clients/browser.ts';
import { startHarness } from '../testing/harness/harness.ts';

/** Which answers are compressed, for whom, and what stays as it is. `fetch` would hide it. */

const harness = await startHarness();
const { fixtures, url } = harness;
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
for (let made = 0; made < 8; made++) await fixtures.invitation(workspace);
const LIST = `/api/organizations/${workspace}/invitations`;
const SAME = { 'sec-fetch-site': 'same-origin' };
const { cookie } = await signedIn(harness, owner);

interface Raw {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

const ask = (
  path: string,
  headers: Record<string, string>,
  { method = 'GET', body }: { method?: string; body?: string } = {},
): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const asked = httpRequest(`${url}${path}`, { method, headers }, async (reply) => {
      const bytes = Buffer.concat(await reply.toArray());
      resolve({ status: reply.statusCode as number, headers: reply.headers, bytes });
    });
    asked.once('error', reject);
    asked.end(body);
  });
const GZIP = { 'accept-encoding': 'gzip, deflate, br' };
const KEY = { authorization: `Bearer ${owner.key}` };

test('JSON of more than 1 KB is compressed for who accepts it, and says on what that depends', async () => {
  const plain = await ask(LIST, KEY);
  assert.equal(plain.headers['content-encoding'], undefined);
  assert.equal(plain.headers.vary, 'accept-encoding');
  for (const credential of [KEY, { cookie, ...SAME }]) {
    const { headers, bytes } = await ask(LIST, { ...credential, ...GZIP });
    assert.equal(headers['content-encoding'], 'gzip');
    assert.equal(headers.vary, 'accept-encoding');
    assert.equal(Number(headers['content-length']), bytes.length);
    assert.deepEqual(gunzipSync(bytes), plain.bytes);
    assert.ok(bytes.length < plain.bytes.length / 2);
  }
  const head = await ask(LIST, { ...KEY, ...GZIP }, { method: 'HEAD' });
  const { headers } = await ask(LIST, { ...KEY, ...GZIP });
  for (const name of ['content-encoding', 'content-length', 'vary'])
    assert.equal(head.headers[name], headers[name], name);
  assert.equal(head.bytes.length, 0);
});

test('nothing is compressed that is short, not accepted, of a strong ETag, or that another site may have asked for', async () => {
  const coding = async (path: string, headers: Record<string, string>) =>
    (await ask(path, headers)).headers['content-encoding'];
  assert.equal(await coding('/api/account', { ...KEY, ...GZIP }), undefined);
  for (const accepted of ['identity', 'br', 'gzip;q=0', 'gzip; q=0.0, *', 'x-gzip-not', ''])
    assert.equal(await coding(LIST, { ...KEY, 'accept-encoding': accepted }), undefined, accepted);
  for (const accepted of ['gzip', 'GZIP;q=0.5', 'br;q=1.0, gzip;q=0.8, *;q=0.1'])
    assert.equal(await coding(LIST, { ...KEY, 'accept-encoding': accepted }), 'gzip', accepted);
  for (const site of [{}, { 'sec-fetch-site': 'none' }, { 'sec-fetch-site': 'cross-site' }])
    assert.equal(await coding(LIST, { cookie, ...site, ...GZIP } as never), undefined);
  const config = await ask('/api/config', { ...KEY, ...GZIP });
  assert.ok(config.bytes.length > 1_024 && config.headers.etag !== undefined);
  assert.equal(config.headers['content-encoding'], undefined);
  assert.equal(await coding('/auth/session', { cookie, ...SAME, ...GZIP }), undefined);
});

test('a replay is the same, byte for byte, whether it is compressed or not', async () => {
  const project = await fixtures.project({ organizationId: workspace });
  const send = (headers: Record<string, string>) =>
    ask(
      `/api/projects/${project}/tasks`,
      {
        ...KEY,
        ...headers,
        'content-type': 'application/json',
        'idempotency-key': 'the same key',
      },
      { method: 'POST', body: JSON.stringify({ message: 'x'.repeat(2_000) }) },
    );
  const first = await send(GZIP);
  const again = await send(GZIP);
  const plain = await send({});
  assert.deepEqual([first.status, again.status, plain.status], [201, 201, 201]);
  const read = ({ headers, bytes }: Raw) =>
    headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
  assert.deepEqual(again.bytes, first.bytes);
  assert.deepEqual(read(first), plain.bytes);
});

test('events are not held back, nor compressed', async () => {
  const project = await fixtures.project({ organizationId: workspace });
  const task = await fixtures.task(project, owner);
  const { headers } = await fetch(`${url}/api/tasks/${task}/events`, {
    method: 'HEAD',
    headers: { ...KEY, ...GZIP, accept: 'text/event-stream' },
  });
  assert.equal(headers.get('content-encoding'), null);
});

test('the description of the API and its reference are compressed', async () => {
  for (const path of [
    '/openapi.json',
    '/docs/static/swagger-ui-bundle.js',
    '/docs/static/swagger-ui.css',
  ]) {
    const plain = await ask(path, {});
    assert.equal(plain.headers['content-encoding'], undefined, path);
    const head = async () => {
      const { headers } = await ask(path, GZIP, { method: 'HEAD' });
      return [headers['content-encoding'], headers['content-length']];
    };
    assert.deepEqual(await head(), ['gzip', undefined], path);
    for (let times = 0; times < 2; times++) {
      const { headers, bytes } = await ask(path, GZIP);
      assert.equal(headers['content-encoding'], 'gzip', path);
      assert.match(headers.vary ?? '', /accept-encoding/i);
      assert.equal(Number(headers['content-length']), bytes.length);
      assert.ok(gunzipSync(bytes).equals(plain.bytes), path);
      assert.deepEqual(await head(), ['gzip', String(bytes.length)], path);
    }
  }
});
