import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startOdoo } from '../testing/fixtures/erp/fake-server.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, log, owner, request, unchanged } = await startHarness();
const { key } = await fixtures.user();
const path = '/api/odoo-connections/probe-login';

const probe = (body: object) => unchanged(() => request('POST', path, { key, body }));

test('200: a login that works, what it may do, and when its key expires', async () => {
  const fake = await startOdoo({ edition: 'enterprise' });
  const { status, body } = await probe({ url: fake.url, login: 'totp', secret: fake.key('totp') });
  const { latency_ms, expires_at, ...found } = body;
  assert.equal(status, 200);
  assert.deepEqual(found, {
    reachable: true,
    tls: false,
    server_version: '19.0',
    edition: 'enterprise',
    login_ok: true,
    uid: 7,
    access: 'write',
    message: 'The login works.',
  });
  assert.ok(Number.isInteger(latency_ms) && Date.parse(expires_at) > Date.now());
});

test('200: a password, whose spaces count, and one that is wrong', async () => {
  const fake = await startOdoo({ version: '17.0' });
  const clerk = fake.database.users.find(({ login }) => login === 'clerk');
  assert.ok(clerk);
  clerk.password = '  two spaces ';
  const login = { url: fake.url, login: 'clerk', database: 'main', kind: 'password' };
  assert.equal((await probe({ ...login, secret: clerk.password })).body.login_ok, true);
  const { status, body } = await probe({ ...login, secret: clerk.password.trim() });
  assert.deepEqual([status, body.code, body.login_ok], [200, 'bad_credentials', false]);
});

test('200: a secret that no header can hold is a wrong one', async () => {
  const { url } = await startOdoo();
  for (const secret of ['pass\nword', 'пароль'])
    assert.equal((await probe({ url, secret, kind: 'api_key' })).body.code, 'bad_credentials');
});

const DUMP = sql`
  select string_agg(query_to_xml(format('select * from %I', tablename), true, false, '')::text, '')
         as dump
    from pg_tables where schemaname = 'public'`;

test('the secret is in no answer, no log and no row, with an Idempotency-Key either', async () => {
  const fake = await startOdoo();
  const secret = `secret-${randomUUID()}`;
  for (const [where, body] of [
    [fake.url, { login: 'admin', database: 'main', kind: 'password' }],
    [fake.url, { kind: 'api_key' }],
    ['http://no-such-name.invalid', {}],
    // Refused input is echoed in errors.
    ['', { login: 1 }],
  ] as const) {
    const headers = { 'idempotency-key': randomUUID() };
    const sent = { url: where, ...body, secret };
    const { text } = await request('POST', path, { key, body: sent, headers });
    assert.ok(!text.includes(secret), text);
  }
  assert.ok(
    fake.requests.some(({ body, headers }) => `${body}${headers.authorization}`.includes(secret)),
  );
  assert.ok(log.length > 0 && log.every((line) => !line.includes(secret)));
  const [row] = (await owner(DUMP)) as { dump: string }[];
  assert.ok(row?.dump.includes('<request_hash>') && !row.dump.includes(secret));
});

test('one Idempotency-Key: the login is tried once', async () => {
  const fake = await startOdoo();
  const body = { url: fake.url, login: 'admin', secret: fake.key('admin') };
  const headers = { 'idempotency-key': randomUUID() };
  const first = await request('POST', path, { key, body, headers });
  const sent = fake.requests.length;
  const second = await request('POST', path, { key, body, headers });
  assert.deepEqual([second.text, fake.requests.length], [first.text, sent]);
});
