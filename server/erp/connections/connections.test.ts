import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import type { Probe } from '../probe.ts';
import type { Asked } from './probing.ts';

const SECRET = 'planted-7c1f0e9a-secret';
const GOOD: Probe = {
  reachable: true,
  tls: true,
  server_version: '19.0-20251020',
  edition: 'community',
  database: 'erp',
  login_ok: true,
  uid: 2,
  access: 'write',
  latency_ms: 12,
  message: 'The login works.',
};
const asked: Asked[] = [];
const answer: Probe = GOOD;

const { db, fixtures, log, request, unchanged } = await startHarness({
  askOdoo: async (server) => {
    asked.push(server);
    return answer;
  },
});
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const member = await fixtures.user();
await fixtures.member(workspace, member);
const project = await fixtures.project({ organizationId: workspace });
const path = `/api/projects/${project}/odoo-connections`;
const { key } = owner;
let number = 0;
const body = (more: object = {}) => ({
  name: `Odoo ${number++}`,
  url: 'https://erp.example.com',
  kind: 'api_key',
  environment: 'staging',
  secret: SECRET,
  ...more,
});
const added = async (more: object = {}) => {
  const reply = await request('POST', path, { key, body: body(more) });
  assert.equal(reply.status, 201, reply.text + log.slice(-2));
  return { ...reply.body, etag: reply.headers.get('etag') as string };
};
const put = (id: string, body: object, headers = {}) =>
  request('PUT', `${path}/${id}`, { key, body, headers });

test('201: what was asked of the server is kept, the address in its normal form, and no secret is shown', async () => {
  const { id, ...shown } = await added({
    name: 'Normal',
    url: 'https://ERP.Example.com:443/web/login?db=erp#top',
    database: 'erp',
    login: 'ada',
  });
  assert.deepEqual(asked.at(-1), {
    url: 'https://erp.example.com',
    database: 'erp',
    login: 'ada',
    secret: SECRET,
    kind: 'api_key',
    name: 'Normal',
    environment: 'staging',
    agent_access: 'read',
    agent_exceptions: [],
    userId: owner.id,
  });
  const { last_probe, created_at, updated_at, secret_set_at, etag, ...rest } = shown;
  assert.deepEqual(rest, {
    project_id: project,
    name: 'Normal',
    url: 'https://erp.example.com',
    database: 'erp',
    login: 'ada',
    has_secret: true,
    kind: 'api_key',
    environment: 'staging',
    agent_access: 'read',
    agent_exceptions: [],
    erp_version: '19.0',
    edition: 'community',
    available_actions: [
      'get_odoo_connection',
      'update_odoo_connection',
      'delete_odoo_connection',
      'probe_odoo_connection',
    ],
  });
  assert.deepEqual({ ...last_probe, probed_at: undefined }, { ...GOOD, probed_at: undefined });
  const read = await request('GET', `${path}/${id}`, { key: member.key });
  assert.deepEqual(read.body.available_actions, ['get_odoo_connection', 'probe_odoo_connection']);
  assert.equal(read.headers.get('etag'), etag);
  const list = await request('GET', path, { key: member.key });
  assert.ok(list.body.some((each: { id: string }) => each.id === id));
});

test('200: an update keeps what it leaves out; {} writes nothing; null empties; a stale If-Match is 412', async () => {
  const { id, etag, updated_at } = await added({ database: 'erp', login: 'ada' });
  const before = asked.length;
  const same = await unchanged(() => put(id, {}));
  assert.deepEqual([same.status, same.body.updated_at], [200, updated_at]);
  const renamed = await put(id, { name: 'Renamed' }, { 'if-match': etag });
  assert.deepEqual(
    [renamed.status, renamed.body.name, renamed.body.login],
    [200, 'Renamed', 'ada'],
  );
  assert.equal(asked.length, before, 'a new name asks no server');
  const stale = await unchanged(() => put(id, { name: 'Late' }, { 'if-match': etag }));
  assert.deepEqual([stale.status, stale.body.code], [412, 'odoo_connection_changed']);
  const emptied = await put(id, { login: null });
  assert.deepEqual([emptied.status, 'login' in emptied.body], [200, false]);
  assert.deepEqual(asked.at(-1)?.secret, SECRET, 'tried with the stored secret');
  const without = await put(id, { secret: null });
  assert.deepEqual([without.body.has_secret, 'secret_set_at' in without.body], [false, false]);
  const gone = await request('DELETE', `${path}/${id}`, { key, headers: { 'if-match': etag } });
  assert.equal(gone.status, 412);
  const { headers } = await request('GET', `${path}/${id}`, { key });
  const now = { 'if-match': headers.get('etag') as string };
  assert.equal((await request('DELETE', `${path}/${id}`, { key, headers: now })).status, 204);
  assert.equal((await request('GET', `${path}/${id}`, { key })).status, 404);
});

test('each change is in the audit trail, without the secret', async () => {
  const { id } = await added();
  await put(id, { secret: `${SECRET}-2` });
  await request('POST', `${path}/${id}/probe`, { key: member.key });
  await request('DELETE', `${path}/${id}`, { key });
  const trail = await db.many<{ action: string; text: string }>(sql`
    select action, e::text as text from audit_event e where target_id = ${id} order by id`);
  assert.deepEqual(
    trail.map(({ action }) => action.replace('odoo_connection.', '')),
    ['create', 'update', 'probe', 'delete'],
  );
  assert.ok(trail.every(({ text }) => !text.includes('planted')));
});

test('404: a connection of another project is not in this one', async () => {
  const { id } = await added();
  const other = await fixtures.project({ organizationId: workspace });
  const { status } = await request('GET', `/api/projects/${other}/odoo-connections/${id}`, { key });
  assert.equal(status, 404);
  assert.equal((await put(randomUUID(), { name: 'x' })).status, 404);
});

test('409: a project has at most 20, also when two are added at once', async () => {
  const full = await fixtures.project({ organizationId: workspace });
  for (let i = 0; i < 19; i++) await fixtures.odooConnection(full);
  const at = `/api/projects/${full}/odoo-connections`;
  const both = await Promise.all(
    ['One', 'Two'].map((name) => request('POST', at, { key, body: body({ name }) })),
  );
  assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
  assert.ok(both.some(({ body }) => body.code === 'too_many_odoo_connections'));
});

test('422: a name twice, without regard to case, also when two come at once', async () => {
  const both = await Promise.all(
    ['Twice', 'TWICE'].map((name) => request('POST', path, { key, body: body({ name }) })),
  );
  assert.deepEqual(both.map(({ status }) => status).sort(), [201, 422]);
  const { id } = await added();
  const reply = await unchanged(() => put(id, { name: 'twice' }));
  assert.equal(reply.body.detail[0].type, 'odoo_connection_name_taken');
});

test('422: an address that is more or less than that of a server; no server is asked', async () => {
  const before = asked.length;
  await unchanged(async () => {
    for (const [url, type] of [
      ['http://erp.example.com', 'odoo_url_not_https'],
      ['ftp://erp.example.com', 'odoo_url_invalid'],
      ['erp.example.com', 'odoo_url_invalid'],
      ['https://ada:word@erp.example.com', 'odoo_url_invalid'],
      ['https://@erp.example.com', 'odoo_url_invalid'],
      ['https:erp.example.com', 'odoo_url_invalid'],
      ['https:\\\\erp.example.com', 'odoo_url_invalid'],
      ['https://erp.example.com:0', 'odoo_url_invalid'],
      ['https://erp.example.com:00/web', 'odoo_url_invalid'],
      ['https://erp.example.com:65536', 'odoo_url_invalid'],
      ['https://erp.example.com:-1', 'odoo_url_invalid'],
    ]) {
      const { status, body: refused } = await request('POST', path, { key, body: body({ url }) });
      assert.deepEqual(
        [status, refused.detail[0].type, refused.detail[0].loc],
        [422, type, ['body', 'url']],
      );
      assert.ok(
        !JSON.stringify(refused).includes('word'),
        'what may hold a password is not repeated',
      );
    }
  });
  assert.equal(asked.length, before);
});

test('422: another origin needs the secret again, and the stored one is sent to none', async () => {
  const { id } = await added();
  const before = asked.length;
  await unchanged(async () => {
    for (const url of ['https://evil.example.com', 'https://erp.example.com:8443']) {
      const { status, body: refused } = await put(id, { url, name: 'Moved' });
      assert.deepEqual([status, refused.detail[0].type], [422, 'odoo_secret_required']);
    }
  });
  assert.equal(asked.length, before);
  const moved = await put(id, { url: 'https://new.example.com', secret: 'given for this one' });
  assert.deepEqual([moved.status, asked.at(-1)?.secret], [200, 'given for this one']);
  const asks = asked.length;
  const same = await put(id, { url: 'https://new.example.com/odoo' });
  assert.deepEqual([same.status, same.body.url], [200, 'https://new.example.com']);
  assert.equal(asked.length, asks, 'another page of the same server is the same server');
});

test('422: another kind needs the secret again, because it goes over another protocol', async () => {
  const { id } = await added();
  const before = asked.length;
  await unchanged(async () => {
    const { status, body: refused } = await put(id, { kind: 'password', name: 'Other' });
    const [{ type, loc }] = refused.detail;
    assert.deepEqual([status, type, loc], [422, 'odoo_secret_required', ['body', 'secret']]);
  });
  assert.equal(asked.length, before);
  assert.equal((await put(id, { kind: 'api_key' })).status, 200);
  const changed = await put(id, { kind: 'password', secret: 'given as one' });
  assert.deepEqual([changed.status, asked.at(-1)?.secret], [200, 'given as one']);
  const back = await unchanged(() => put(id, { kind: 'api_key' }));
  assert.equal(back.body.detail[0].type, 'odoo_secret_required');
  assert.equal((await put(id, { kind: 'api_key', secret: null })).status, 200);
  assert.equal((await put(id, { kind: 'password' })).status, 200, 'there is none to be sent');
});

test('a secret that was moved to another row or address, past the API, opens for none', async () => {
  const [one, two] = [await added(), await added({ secret: 'of the second' })];
  await db.many(sql`
    update odoo_connection set secret = (select secret from odoo_connection where id = ${two.id})
     where id = ${one.id}`);
  await db.many(sql`
    update odoo_connection set url = 'https://evil.example.com' where id = ${two.id}`);
  const before = asked.length;
  for (const { id } of [one, two]) {
    const probed = await unchanged(() => request('POST', `${path}/${id}/probe`, { key }));
    assert.deepEqual([probed.status, probed.body.code], [409, 'odoo_secret_unreadable']);
  }
  assert.equal(asked.length, before);
});

test('no part of the secret is in a log, a table or an answer', async () => {
  const headers = { 'idempotency-key': 'planted' };
  const sent = { key, headers, body: body({ secret: SECRET, name: 'Planted' }) };
  const first = await request('POST', path, sent);
  const again = await request('POST', path, sent);
  assert.deepEqual([first.status, again.text], [201, first.text]);
  const wrong = await request('POST', path, { key, body: body({ secret: SECRET, kind: 7 }) });
  assert.equal(wrong.status, 422);
  const texts = [first.text, wrong.text, ...log];
  const tables = await db.many<{ name: string }>(sql`
    select relname::text as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r'`);
  for (const { name } of tables) {
    const rows = await db.many<{ text: string }>({
      strings: [`select t::text as text from "${name}" t`],
      values: [],
    } as never);
    texts.push(...rows.map(({ text }) => text));
  }
  const hex = Buffer.from(SECRET).toString('hex');
  assert.ok(texts.length > 50);
  assert.deepEqual(
    texts.filter((text) => text.includes(SECRET) || text.includes(hex)),
    [],
  );
});
