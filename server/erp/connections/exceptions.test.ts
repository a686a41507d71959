import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import type { Probe } from '../probe.ts';

// What an admin of a project lets agents see although they see it nowhere else.

const GOOD: Probe = {
  reachable: true,
  tls: true,
  server_version: '19.0',
  edition: 'community',
  login_ok: true,
  access: 'write',
  message: 'The login works.',
};
const { db, fixtures, request, unchanged } = await startHarness({ askOdoo: async () => GOOD });
const owner = await fixtures.user();
const member = await fixtures.user();
const workspace = await fixtures.workspace(owner);
await fixtures.member(workspace, member);
const project = await fixtures.project({ organizationId: workspace });
const path = `/api/projects/${project}/odoo-connections`;
const { key } = owner;
let number = 0;

async function added(more: object = {}) {
  const { status, body, text } = await request('POST', path, {
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
  assert.equal(status, 201, text);
  return body;
}

test('200: exceptions are empty at first, said by an admin, and kept in the audit trail', async () => {
  const { id, agent_exceptions } = await added();
  assert.deepEqual(agent_exceptions, []);
  const exceptions = ['ir.mail_server', 'res.partner/signup_token'];
  const body = { agent_exceptions: exceptions };
  const changed = await request('PUT', `${path}/${id}`, { key, body });
  assert.deepEqual([changed.status, changed.body.agent_exceptions], [200, exceptions]);
  const [event] = await db.many<{ before: object; after: object }>(sql`
    select before, after from audit_event
     where target_id = ${id} and action = 'odoo_connection.update'`);
  assert.match(JSON.stringify(event), /ir\.mail_server res\.partner\/signup_token/);
});

test('422: what is no name is none', async () => {
  const { id } = await added();
  const many = Array.from({ length: 51 }, (_, i) => `model.${i}`);
  for (const names of [['*'], ['ir.rule '], ["a'b"], ['a/b/c'], many]) {
    const body = { agent_exceptions: names };
    const reply = await unchanged(() => request('PUT', `${path}/${id}`, { key, body }));
    assert.equal(reply.status, 422, reply.text);
  }
});

test('200: another host and production empty them, unless the same request has them', async () => {
  const agent_exceptions = ['ir.rule'];
  const to = { url: 'https://other.example.com', secret: 'another' };
  for (const change of [to, { environment: 'production' }]) {
    const { id } = await added({ agent_exceptions });
    const put = (body: object) => request('PUT', `${path}/${id}`, { key, body });
    assert.deepEqual((await put({ name: `Kept ${id}` })).body.agent_exceptions, agent_exceptions);
    assert.deepEqual((await put(change)).body.agent_exceptions, []);
    const { id: other } = await added({ agent_exceptions });
    const said = { ...change, agent_exceptions };
    const { body } = await request('PUT', `${path}/${other}`, { key, body: said });
    assert.deepEqual(body.agent_exceptions, agent_exceptions);
  }
});

test('a project that is given to another owner keeps its connections without exceptions', async () => {
  const given = await fixtures.project({ organizationId: workspace });
  const id = await fixtures.odooConnection(given, { agentAccess: 'write' });
  await db.many(sql`update odoo_connection set agent_exceptions = '{ir.rule}' where id = ${id}`);
  const { id: other } = await fixtures.user();
  await db.many(sql`
    update project set organization_id = null, owner_user_id = ${other} where id = ${given}`);
  const now = await db.one(sql`
    select agent_exceptions, agent_access from odoo_connection where id = ${id}`);
  assert.deepEqual(now, { agent_exceptions: [], agent_access: 'write' });
});
