import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { db, fixtures, request, unchanged } = await startHarness();
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const [member, viewer] = [await fixtures.user(), await fixtures.user()];
await fixtures.member(workspace, member);
await fixtures.member(workspace, viewer, 'viewer');
const project = await fixtures.project({ organizationId: workspace });
const { key } = member;

async function taskWith(options: Parameters<typeof fixtures.odooConnection>[1] = {}) {
  const task = await fixtures.task(project, owner);
  const id = await fixtures.odooConnection(project, options);
  return { task, id, path: `/api/tasks/${task}/odoo-connections` };
}

test('200: a member activates a connection, again without effect; 204: ends it, again without effect', async () => {
  const { id, task, path } = await taskWith({ name: 'Shop', version: '19.0' });
  const first = await request('PUT', `${path}/${id}`, { key });
  assert.equal(first.status, 200, first.text);
  const { activated_at, ...rest } = first.body;
  assert.deepEqual(rest, {
    connection_id: id,
    task_id: task,
    name: 'Shop',
    url: 'https://127.0.0.1:9',
    environment: 'staging',
    agent_access: 'read',
    has_secret: true,
    erp_version: '19.0',
    edition: 'unknown',
    activated_by_user_id: member.id,
    available_actions: ['deactivate_odoo_connection'],
  });
  // It writes the row as it is.
  const again = await request('PUT', `${path}/${id}`, { key: owner.key });
  assert.deepEqual(again.body, first.body);
  const { body } = await request('GET', path, { key: viewer.key });
  assert.deepEqual(body, [{ ...first.body, available_actions: [] }]);
  assert.equal((await request('DELETE', `${path}/${id}`, { key })).status, 204);
  const twice = await unchanged(() => request('DELETE', `${path}/${id}`, { key }));
  assert.equal(twice.status, 204);
  const trail = await db.many<{ action: string }>(sql`
    select action from audit_event where target_id = ${id} order by id`);
  assert.deepEqual(
    trail.map(({ action }) => action),
    ['odoo_connection.activate', 'odoo_connection.deactivate'],
  );
});

test('two activate at once: it is active once, and both are told so', async () => {
  const { id, path } = await taskWith();
  const both = await Promise.all([1, 2].map(() => request('PUT', `${path}/${id}`, { key })));
  assert.deepEqual(
    both.map(({ status }) => status),
    [200, 200],
  );
  const { body } = await request('GET', path, { key });
  assert.equal(body.length, 1);
});

test('race: who activates a connection while it is deleted has it before, or finds none', async () => {
  for (let round = 0; round < 10; round++) {
    const { id, path } = await taskWith();
    const [first, second, gone] = await Promise.all([
      request('PUT', `${path}/${id}`, { key }),
      request('PUT', `${path}/${id}`, { key: owner.key }),
      request('DELETE', `/api/projects/${project}/odoo-connections/${id}`, { key: owner.key }),
    ]);
    assert.ok(
      [first, second].every(({ status }) => [200, 404].includes(status)),
      `${first.text} ${second.text}`,
    );
    assert.equal(gone.status, 204);
    assert.deepEqual((await request('GET', path, { key })).body, []);
  }
});

test('404: a connection of another project, even of the same workspace; the database refuses it, too', async () => {
  const { task, path } = await taskWith();
  const other = await fixtures.odooConnection(
    await fixtures.project({ organizationId: workspace }),
  );
  const reply = await unchanged(() => request('PUT', `${path}/${other}`, { key: owner.key }));
  assert.equal(reply.status, 404);
  await assert.rejects(fixtures.odooActive(task, other), /task_odoo_connection_of_connection/);
});

test('409: what agents may not use, and what has no secret', async () => {
  for (const [options, code] of [
    [{ agentAccess: 'none' }, 'odoo_connection_not_for_agents'],
    [{ secret: null }, 'odoo_connection_without_secret'],
  ] as const) {
    const { id, path } = await taskWith(options);
    const reply = await unchanged(() => request('PUT', `${path}/${id}`, { key }));
    assert.deepEqual([reply.status, reply.body.code], [409, code]);
  }
});

test('with its connection, its task or its project, an activation ends', async () => {
  const active = async () => {
    const made = await taskWith();
    await fixtures.odooActive(made.task, made.id);
    return made;
  };
  const [one, two] = [await active(), await active()];
  const at = `/api/projects/${project}/odoo-connections/${one.id}`;
  assert.equal((await request('DELETE', at, { key: owner.key })).status, 204);
  assert.equal((await request('DELETE', `/api/tasks/${two.task}`, { key: owner.key })).status, 200);
  const left = await db.many(sql`
    select from task_odoo_connection where task_id in (${one.task}, ${two.task})`);
  assert.equal(left.length, 0);
  await active();
  assert.equal(
    (await request('DELETE', `/api/projects/${project}`, { key: owner.key })).status,
    200,
  );
  const any = await db.many(sql`select from odoo_connection where project_id = ${project}`);
  assert.equal(any.length, 0);
});
