import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import type { Probe, ProbeCode } from '../probe.ts';

// What the server answers decides what is saved, and an admin decides what agents may do.

let answer: Partial<Probe> = {};
let meanwhile: (() => Promise<unknown>) | undefined;
const ASKED: Probe = {
  reachable: true,
  tls: true,
  edition: 'unknown',
  latency_ms: 3,
  message: 'It answers.',
  login_ok: false,
  access: 'none',
};
const {
  db,
  fixtures,
  owner: owning,
  request,
  unchanged,
} = await startHarness({
  askOdoo: async () => {
    await meanwhile?.();
    return { ...ASKED, ...answer };
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
const post = (more: object = {}) =>
  request('POST', path, {
    key,
    body: {
      name: `Odoo ${number++}`,
      url: 'https://erp.example.com',
      kind: 'api_key',
      environment: 'staging',
      secret: 'a secret',
      ...more,
    },
  });
const put = (id: string, body: object) => request('PUT', `${path}/${id}`, { key, body });

for (const [code, field] of Object.entries({
  blocked_address: 'url',
  not_odoo: 'url',
  redirected: 'url',
  tls_untrusted: 'url',
  tls_name: 'url',
  tls_expired: 'url',
  version_mismatch: 'url',
  database_required: 'database',
  database_unknown: 'database',
  bad_credentials: 'secret',
  second_factor: 'secret',
  api_not_allowed: 'secret',
}))
  test(`422: a server that says ${code} is not saved, and an update to it changes nothing`, async () => {
    const id = await fixtures.odooConnection(project);
    answer = { code: code as ProbeCode };
    await unchanged(async () => {
      for (const reply of [await post(), await put(id, { secret: 'another' })]) {
        assert.equal(reply.status, 422, reply.text);
        const [{ type, loc }] = reply.body.detail;
        assert.deepEqual([type, loc], [`odoo_${code}`, ['body', field]]);
      }
    });
    answer = {};
    await db.many(sql`delete from odoo_connection where project_id = ${project}`);
  });

for (const code of ['refused', 'timeout', 'database_down', 'rate_limited'])
  test(`201: a server that is down (${code}) can be saved, and says so`, async () => {
    answer = { code: code as ProbeCode, reachable: false };
    const { status, body } = await post();
    assert.deepEqual([status, body.last_probe.code, body.edition], [201, code, 'unknown']);
    answer = { server_version: '16.0', edition: 'community', expires_at: '2027-01-01T00:00:00Z' };
    const probed = await request('POST', `${path}/${body.id}/probe`, { key: member.key });
    assert.deepEqual([probed.status, probed.body.server_version], [200, '16.0']);
    answer = { code: code as ProbeCode, reachable: false };
    await request('POST', `${path}/${body.id}/probe`, { key: member.key });
    const { body: now } = await request('GET', `${path}/${body.id}`, { key });
    // What was learned stays, and the ETag with it.
    assert.deepEqual(
      [now.erp_version, now.secret_expires_at, now.last_probe.code, now.updated_at],
      ['16.0', '2027-01-01T00:00:00.000Z', code, body.updated_at],
    );
    answer = {};
  });

test('what was asked for a connection that changed meanwhile is neither saved nor noted', async () => {
  const id = await fixtures.odooConnection(project);
  meanwhile = async () => {
    meanwhile = undefined;
    assert.equal((await put(id, { login: 'first' })).status, 200);
  };
  const late = await put(id, { login: 'second' });
  assert.deepEqual([late.status, late.body.code], [412, 'odoo_connection_changed']);
  meanwhile = () => db.many(sql`update odoo_connection set login = 'third' where id = ${id}`);
  answer = { code: 'timeout' };
  await request('POST', `${path}/${id}/probe`, { key });
  [meanwhile, answer] = [undefined, {}];
  const { body } = await request('GET', `${path}/${id}`, { key });
  assert.deepEqual([body.login, body.last_probe.code], ['third', undefined]);
});

test('429: servers are asked ten times a minute by a person', async () => {
  const few = await startHarness({ env: { RATE_LIMIT_PROBES_PER_MINUTE: '10' } });
  const ada = await few.fixtures.user();
  const own = await few.fixtures.project({ userId: ada.id });
  const id = await few.fixtures.odooConnection(own);
  const at = `/api/projects/${own}/odoo-connections/${id}`;
  for (let i = 0; i < 10; i++) {
    const [method, where] = i % 2 === 0 ? ['POST', `${at}/probe`] : ['PUT', at];
    const { status, headers } = await few.request(method as string, where as string, {
      key: ada.key,
      body: { login: `agent ${i}` },
    });
    assert.equal(status, 200);
    assert.match(headers.get('ratelimit') ?? '', new RegExp(`"probes";r=${9 - i};`));
  }
  assert.equal((await few.request('POST', `${at}/probe`, { key: ada.key })).status, 429);
});

test('what asks no server is not counted: refused input, refused rights, and a change of a name', async () => {
  const asked: unknown[] = [];
  const few = await startHarness({
    env: { RATE_LIMIT_PROBES_PER_MINUTE: '1' },
    askOdoo: async (server) => {
      asked.push(server);
      return { ...ASKED };
    },
  });
  const ada = await few.fixtures.user();
  const own = await few.fixtures.project({ userId: ada.id });
  const id = await few.fixtures.odooConnection(own);
  const all = `/api/projects/${own}/odoo-connections`;
  const send = async (method: string, at: string, body: object, key = ada.key) =>
    (await few.request(method, at, { key, body })).status;
  const wanted = { name: 'x', kind: 'api_key', environment: 'staging' };
  const uncounted = async () => [
    await send('POST', all, { ...wanted, url: 'https://erp.example.com:0' }),
    await send('POST', all, {}),
    await send('PUT', `${all}/${id}`, { url: 'https://elsewhere.example.com' }),
    await send('PUT', `${all}/${id}`, {}),
    await send('PUT', `${all}/${id}`, { name: 'Renamed', agent_access: 'none' }),
    await send('POST', '/api/odoo-connections/probe-url', {}),
    await send('POST', '/api/odoo-connections/probe-login', { url: 'https://a.example' }),
    await send('POST', all.replace(own, project), { ...wanted, url: 'https://erp.example.com' }),
  ];
  const statuses = [422, 422, 422, 200, 200, 422, 422, 404];
  assert.deepEqual(await uncounted(), statuses);
  assert.equal(await send('POST', `${all}/${id}/probe`, {}), 200);
  assert.deepEqual(await uncounted(), statuses, 'at the limit, too');
  const login = () => send('PUT', `${all}/${id}`, { login: 'another' });
  assert.equal(await few.unchanged(login), 429);
  assert.equal(asked.length, 1);
});

test('race: of many at once, as many ask a server as may', async () => {
  const few = await startHarness({ env: { RATE_LIMIT_PROBES_PER_MINUTE: '3' } });
  const ada = await few.fixtures.user();
  const own = await few.fixtures.project({ userId: ada.id });
  const id = await few.fixtures.odooConnection(own);
  const path = `/api/projects/${own}/odoo-connections/${id}/probe`;
  const all = await Promise.all(
    Array.from({ length: 8 }, () => few.request('POST', path, { key: ada.key })),
  );
  assert.equal(all.filter(({ status }) => status === 200).length, 3);
  assert.equal(all.filter(({ status }) => status === 429).length, 5);
});

test('agents write to a production database only where a request said so', async () => {
  const { body: staging } = await post({ agent_access: 'write' });
  assert.equal(staging.agent_access, 'write');
  const dropped = await put(staging.id, { environment: 'production' });
  assert.deepEqual([dropped.status, dropped.body.agent_access], [200, 'read']);
  const said = await put(staging.id, { agent_access: 'write' });
  assert.deepEqual([said.status, said.body.agent_access], [200, 'write']);
  const kept = await put(staging.id, { name: 'Still writes' });
  assert.equal(kept.body.agent_access, 'write');
  const back = await put(staging.id, { environment: 'staging' });
  assert.equal(back.body.agent_access, 'write');
  const both = await put(staging.id, { environment: 'production', agent_access: 'write' });
  assert.equal(both.body.agent_access, 'write');
  const { body: fresh } = await post({ environment: 'production' });
  assert.equal(fresh.agent_access, 'read');
});

test('the database refuses a production connection that writes without that act', async () => {
  const id = await fixtures.odooConnection(project, { environment: 'production' });
  await assert.rejects(
    db.many(sql`update odoo_connection set agent_access = 'write' where id = ${id}`),
    /odoo_connection_production_write/,
  );
  const writing = await fixtures.odooConnection(project, { agentAccess: 'write' });
  await assert.rejects(
    owning(sql`update odoo_connection set environment = 'production' where id = ${writing}`),
    /odoo_connection_production_write/,
  );
});

test('a project that is given to another owner keeps its connections, but none that writes to production', async () => {
  const given = await fixtures.project({ organizationId: workspace });
  const id = await fixtures.odooConnection(given, {
    environment: 'production',
    agentAccess: 'write',
  });
  const staging = await fixtures.odooConnection(given, { agentAccess: 'write' });
  await request('POST', `/api/projects/${given}/transfer`, { key, body: {} });
  const { body } = await request('GET', `/api/projects/${given}/odoo-connections`, { key });
  const access = Object.fromEntries(
    body.map((each: { id: string; agent_access: string }) => [each.id, each.agent_access]),
  );
  assert.deepEqual(access, { [id]: 'read', [staging]: 'write' });
});
