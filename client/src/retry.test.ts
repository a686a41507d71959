import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { beforeEach, test } from 'node:test';
import { startHarness } from '../../server/testing/harness/harness.ts';
import { until } from '../../server/testing/harness/until.ts';
import { faultyProxy } from '../testing/faulty-proxy.ts';
import { createClient } from './index.ts';

const { fixtures, url, request } = await startHarness({ own: true });
const owner = await fixtures.user();
const org_id = await fixtures.workspace(owner);
const proxy = await faultyProxy(url);
const guildhall = createClient({ baseUrl: proxy.url, key: owner.key });
const teams = '/api/organizations/{org_id}/teams';

beforeEach(() => {
  proxy.faults.length = 0;
  proxy.seen.length = 0;
});

const named = async (name: string) => {
  const { body } = await request('GET', `/api/organizations/${org_id}/teams`, { key: owner.key });
  return body.filter((team: { name: string }) => team.name === name).length;
};

for (const fault of [
  'lost',
  'answer lost',
  'cut short',
  { status: 502, body: '<html>Bad Gateway</html>' },
  { status: 504 },
] as const) {
  const what = typeof fault === 'string' ? fault : fault.status;
  test(`a read is repeated: ${what}`, async () => {
    proxy.faults.push(fault);
    assert.equal((await guildhall.get('/api/account')).id, owner.id);
    assert.equal(proxy.seen.length, 2);
  });

  test(`a write is repeated with the same key, and has one effect: ${what}`, async () => {
    const name = `Team ${what}`;
    proxy.faults.push(fault);
    const team = await guildhall.post(teams, { org_id, body: { name } });
    assert.equal(team.name, name);
    const [first, second] = proxy.seen;
    assert.match(first?.key ?? '', /^[0-9a-f]{32}$/);
    assert.equal(second?.key, first?.key);
    assert.deepEqual([proxy.seen.length, await named(name)], [2, 1]);
  });
}

test('each write has a key of its own', async () => {
  for (const name of ['One', 'Two']) await guildhall.post(teams, { org_id, body: { name } });
  assert.notEqual(proxy.seen[0]?.key, proxy.seen[1]?.key);
});

test('a key of the caller is sent, and makes a write of later the same write', async () => {
  const options = { idempotencyKey: 'mine' };
  const args = { org_id, body: { name: 'Once' } };
  const first = await guildhall.post(teams, args, options);
  assert.equal((await guildhall.post(teams, args, options)).id, first.id);
  assert.deepEqual([proxy.seen[0]?.key, await named('Once')], ['mine', 1]);
});

for (const [what, client, options] of [
  ['that is called so', guildhall, { idempotencyKey: false }],
  [
    'of a client without keys',
    createClient({ baseUrl: proxy.url, key: owner.key, idempotencyKeys: false }),
    {},
  ],
] as const) {
  test(`a write without a key is never repeated: one ${what}`, async () => {
    for (const fault of ['lost', { status: 503, headers: { 'retry-after': '0' } }] as const) {
      proxy.faults.push(fault);
      const name = 'Never';
      const { error } = await client.post(teams, { org_id, body: { name } }, options).result();
      assert.equal(error?.code, fault === 'lost' ? 'network_error' : 'unexpected_answer');
    }
    assert.deepEqual(
      proxy.seen.map(({ key }) => key),
      [undefined, undefined],
    );
    assert.equal(await named('Never'), 0);
  });
}

test('Retry-After is waited for', async () => {
  proxy.faults.push({ status: 429, headers: { 'retry-after': '1' } });
  const began = performance.now();
  await guildhall.get('/api/account');
  assert.ok(performance.now() - began > 990);
});

test('a longer Retry-After than a minute is for the caller to decide', async () => {
  proxy.faults.push({ status: 503, headers: { 'retry-after': '3600' } });
  const { error } = await guildhall.get('/api/account').result();
  assert.deepEqual([error?.status, error?.retryAfter, proxy.seen.length], [503, 3_600_000, 1]);
});

test('after two repetitions, the last failure is thrown', async () => {
  proxy.faults.push('lost', 'lost', { status: 502, body: '<html>Bad Gateway</html>' });
  const { error } = await guildhall.get('/api/account').result();
  assert.deepEqual([error?.status, error?.code, proxy.seen.length], [502, 'unexpected_answer', 3]);
});

test('what the server refuses for good is not repeated', async () => {
  const { error } = await guildhall.get('/api/organizations/{org_id}', { org_id: 'x' }).result();
  assert.deepEqual([error?.status, proxy.seen.length], [422, 1]);
});

test('a page that is not of Guildhall is an error, also with 200', async () => {
  proxy.faults.push({ status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' });
  const { error } = await guildhall.get('/api/account').result();
  assert.deepEqual([error?.status, error?.code], [200, 'unexpected_answer']);
});

test('an attempt that takes too long is repeated, and then an error', async () => {
  proxy.faults.push('never');
  assert.equal((await guildhall.get('/api/account', {}, { timeout: 2_000 })).id, owner.id);
  proxy.faults.push('never', 'never');
  const { error } = await guildhall.get('/api/account', {}, { timeout: 50, retries: 1 }).result();
  assert.deepEqual([error?.status, error?.code], [0, 'timeout']);
  assert.match(error?.detail ?? '', /within 0\.05 s/);
});

test('a signal ends a call with its reason, whatever it waits for, and leaves nothing', async () => {
  const aborted = guildhall.get('/api/account', {}, { signal: AbortSignal.abort('over') });
  await assert.rejects(aborted, (reason) => reason === 'over');
  assert.equal(proxy.seen.length, 0);
  const waiting = { status: 503, headers: { 'retry-after': '30' } };
  for (const fault of ['never', waiting] as const) {
    proxy.faults.push(fault);
    proxy.seen.length = 0;
    const stop = new AbortController();
    const call = guildhall.get('/api/account', {}, { signal: stop.signal });
    const ended = assert.rejects(call, { name: 'AbortError' });
    await until('it is asked', () => proxy.seen.length === 1);
    stop.abort();
    await ended;
    assert.equal(getEventListeners(stop.signal, 'abort').length, 0);
  }
});

test('a signal that lives on keeps nothing of the calls that had it', async () => {
  const stop = new AbortController();
  for (let i = 0; i < 20; i++) {
    if (i % 5 === 0) proxy.faults.push({ status: 503, headers: { 'retry-after': '0' } });
    await guildhall.get('/api/account', {}, { signal: stop.signal });
  }
  assert.equal(getEventListeners(stop.signal, 'abort').length, 0);
});

test('what is wrong with a call before it is sent is a TypeError at once', async () => {
  for (const options of [
    { baseUrl: '', key: owner.key },
    { baseUrl: url, key: 'a key\nof two lines' },
  ])
    await assert.rejects(createClient(options).get('/api/account'), TypeError);
});
