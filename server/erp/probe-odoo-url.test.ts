import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startOdoo } from '../testing/fixtures/erp/fake-server.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { db, fixtures, request, unchanged } = await startHarness();
const { key } = await fixtures.user();
const path = '/api/odoo-connections/probe-url';

const probe = (body: object) => unchanged(() => request('POST', path, { key, body }));

test('200: an Odoo that answers, without anything stored', async () => {
  const { url } = await startOdoo({ version: '18.0', databases: ['one', 'two'] });
  const { status, body } = await probe({ url });
  assert.deepEqual(
    [status, body.code, body.server_version, body.databases, body.login_ok],
    [200, undefined, '18.0', ['one', 'two'], false],
  );
});

test('200: what is wrong has a code, and the answer no word of the server', async () => {
  const other = await startOdoo({ instead: { status: 500, body: 'Traceback: secret-host' } });
  const { status, body, text } = await probe({ url: other.url });
  assert.deepEqual([status, body.code, body.reachable], [200, 'not_odoo', true]);
  assert.ok(!text.includes('secret-host') && !text.includes('127.0.0.1'));
  assert.equal((await probe({ url: 'http://no-such-name.invalid' })).body.code, 'blocked_address');
  assert.equal((await probe({ url: 'https://10.0.0.1' })).body.code, 'blocked_address');
  const expected = { url: (await startOdoo()).url, erp_version: '17.0' };
  assert.equal((await probe(expected)).body.code, 'version_mismatch');
});

test('a key of one workspace may probe, and a read-only key may not', async () => {
  const user = await fixtures.user();
  const workspace = await fixtures.workspace(user);
  const { url } = await startOdoo();
  await db.many(sql`
    update api_key set organization_id = ${workspace} where user_id = ${user.id}`);
  const probed = () => request('POST', path, { key: user.key, body: { url } });
  assert.equal((await probed()).status, 200);
  await db.many(sql`update api_key set read_only = true where user_id = ${user.id}`);
  const { status, body } = await unchanged(probed);
  assert.deepEqual([status, body.code], [403, 'key_read_only']);
});

test('429: ten probes of both kinds in a minute for each user', async () => {
  const limited = await startHarness({ env: { RATE_LIMIT_PROBES_PER_MINUTE: '10' } });
  const fake = await startOdoo();
  const user = await limited.fixtures.user();
  const kinds = [
    [path, { url: fake.url }],
    ['/api/odoo-connections/probe-login', { url: fake.url, secret: 'x', login: 'x' }],
  ] as const;
  const send = (i: number, as: string) => {
    const [where, body] = kinds[i % 2] ?? kinds[0];
    return limited.request('POST', where, { key: as, body });
  };
  const all = await Promise.all(Array.from({ length: 14 }, (_, i) => send(i, user.key)));
  assert.equal(all.filter(({ status }) => status === 200).length, 10);
  const refused = all.filter(({ status }) => status === 429);
  assert.deepEqual(new Set(refused.map(({ body }) => body.code)), new Set(['rate_limited']));
  assert.ok(refused.every(({ headers }) => Number(headers.get('retry-after')) > 0));
  const before = fake.requests.length;
  assert.equal((await send(0, user.key)).status, 429);
  assert.equal(fake.requests.length, before, 'a refused probe was sent');
  assert.equal((await send(0, (await limited.fixtures.user()).key)).status, 200);
});
