import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { limitsOf } from '../../testing/fixtures/billing/spend-limits.ts';
import { today, usageOn } from '../../testing/fixtures/billing/usage.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const harness = await startHarness({ env: { ERP_INSTANCES_PER_OWNER: '2' } });
const { db, fixtures, request, unchanged } = harness;
const { use } = usageOn(harness);

/** A task in a workspace with this balance, or none, and its owner. */
async function makeTask(balance: string | null = '10.00') {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, balance === null ? {} : { balance });
  const project = await fixtures.project({ organizationId: workspace });
  return { id: await fixtures.task(project, owner), owner, workspace, project };
}
type Task = { id: string; owner: User };

const call = (method: string, { id, owner }: Task) =>
  request(method, `/api/tasks/${id}/odoo-instance`, { key: owner.key });
const refused = async (method: string, task: Task, status: number, code: string) => {
  const reply = await unchanged(() => call(method, task));
  assert.deepEqual([reply.status, reply.body.code], [status, code]);
};
const to = (task: Task, state: string) =>
  db.many(sql`
    update erp_instance
       set state = ${state}, ready_at = now(),
           reason = case when ${state} = 'failed' then 'No room.' end,
           cleared_at = case when ${state} = 'ended' then now() end
     where task_id = ${task.id} and state <> 'ended'`);

test('202: it is asked for, once; then it is shown and kept longer', async () => {
  const task = await makeTask();
  const { status, body } = await call('POST', task);
  assert.deepEqual([status, body.status, body.task_id], [202, 'starting', task.id]);
  assert.deepEqual([body.erp_version, body.edition, body.url], ['18.0', 'community', undefined]);
  assert.equal(body.database, `guildhall_${body.id.replaceAll('-', '')}`);
  const idle = Date.parse(body.expires_at) - Date.parse(body.created_at);
  assert.equal(idle, 4 * 3_600_000);
  await db.many(sql`update erp_instance set expires_at = now() + interval '1 minute'
                     where id = ${body.id}`);
  const again = await call('POST', task);
  assert.deepEqual([again.status, again.body.id], [200, body.id]);
  assert.ok(Date.parse(again.body.expires_at) >= Date.parse(body.expires_at));
  assert.deepEqual((await call('GET', task)).body, again.body);
  const rows = await db.many(sql`select id from erp_instance where task_id = ${task.id}`);
  assert.equal(rows.length, 1);
});

test('one that no process can start says what it waits for', async () => {
  const task = await makeTask();
  const seen = (time: string) =>
    db.many(sql`update task_worker set seen_at = ${time}::timestamptz`);
  await seen('2026-01-01');
  assert.match(
    (await call('POST', task)).body.reason,
    /^It waits, because no process of this server/,
  );
  assert.match((await call('GET', task)).body.reason, /ask its operator/);
  await seen('infinity');
  assert.equal((await call('GET', task)).body.reason, undefined);
});

test('200: it is stopped, once; what has failed is shown until it is stopped or replaced', async () => {
  const task = await makeTask();
  await call('POST', task);
  for (const _ of [1, 2]) {
    const { status, body } = await call('DELETE', task);
    assert.deepEqual([status, body.status], [200, 'stopping']);
  }
  await refused('POST', task, 409, 'odoo_instance_stopping');
  await to(task, 'ended');
  await refused('GET', task, 404, 'odoo_instance_not_found');
  assert.equal((await call('POST', task)).status, 202);
  await to(task, 'failed');
  const { body } = await call('GET', task);
  assert.deepEqual([body.status, body.reason], ['failed', 'No room.']);
  const next = await call('POST', task);
  assert.deepEqual([next.status, next.body.status, next.body.reason], [202, 'starting', undefined]);
  assert.notEqual(next.body.id, body.id);
  const actions = await db.many<{ action: string }>(sql`
    select action from audit_event where target_id = ${task.id} and action like 'odoo_%'
     order by occurred_at, action`);
  assert.deepEqual(
    actions.map(({ action }) => action.replace('odoo_instance.', '')),
    ['start', 'stop', 'start', 'start'],
  );
});

test('402: nothing is started that no one can pay', async () => {
  await refused('POST', await makeTask(null), 402, 'insufficient_funds');
  const frozen = await makeTask();
  await db.many(sql`update billing_account set status = 'frozen'
                     where organization_id = ${frozen.workspace}`);
  await refused('POST', frozen, 402, 'account_not_active');
});

test('402 spend_limit: nothing is started whose time a spent limit would count, until it is raised', async () => {
  for (const subject of ['balance', 'project', 'member', 'task']) {
    const { id, owner, workspace, project } = await makeTask();
    const put = limitsOf(harness, workspace, owner);
    const subject_id = { project, member: owner.id, task: id, balance: undefined }[subject];
    await put({ subject, subject_id, amount: '0.50' });
    await use(id, owner, { nano: 500_000_000, day: today() });
    await refused('POST', { id, owner }, 402, 'spend_limit');
    await put({ subject, subject_id, amount: '0.51' });
    assert.equal((await call('POST', { id, owner })).status, 202, subject);
  }
});

test('404: a task without one has none to show or stop', async () => {
  const task = await makeTask();
  for (const method of ['GET', 'DELETE'])
    await refused(method, task, 404, 'odoo_instance_not_found');
});

test('409 erp_instance_limit: of a workspace in all its projects, and only there', async () => {
  const task = await makeTask();
  const other = await fixtures.project({ organizationId: task.workspace });
  const tasks = await Promise.all(
    [task.project, other, other].map(async (project) => ({
      id: await fixtures.task(project, task.owner),
      owner: task.owner,
    })),
  );
  assert.equal((await call('POST', tasks[0] as Task)).status, 202);
  assert.equal((await call('POST', tasks[1] as Task)).status, 202);
  const third = tasks[2] as Task;
  await refused('POST', third, 409, 'erp_instance_limit');
  assert.equal((await call('POST', await makeTask())).status, 202);
  await to(tasks[0] as Task, 'failed');
  assert.equal((await call('POST', third)).status, 202);
});

test('race: of many that are started at once, as many as may run', async () => {
  const { owner, project } = await makeTask();
  const ids = await Promise.all(Array.from({ length: 8 }, () => fixtures.task(project, owner)));
  const replies = await Promise.all(ids.map((id) => call('POST', { id, owner })));
  const statuses = replies.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [202, 202, 409, 409, 409, 409, 409, 409]);
});

test('race: one task gets one instance', async () => {
  const task = await makeTask();
  const replies = await Promise.all([1, 2, 3, 4, 5].map(() => call('POST', task)));
  const statuses = replies.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, 200, 200, 200, 202]);
  assert.equal(new Set(replies.map(({ body }) => body.id)).size, 1);
});

test('409: not for an archived task, nor for a version that is not run here', async () => {
  const task = await makeTask();
  await db.many(sql`update project set erp_version = '15.0' where id = ${task.project}`);
  await refused('POST', task, 409, 'erp_version_not_runnable');
  await db.many(sql`update task set archived_at = now() where id = ${task.id}`);
  await refused('POST', task, 409, 'task_archived');
});

test('409 erp_instances_not_configured: without a driver none is started, and it is no action', async () => {
  const off = await startHarness({ env: { ERP_INSTANCES: 'off' } });
  const owner = await off.fixtures.user();
  const project = await off.fixtures.project({
    organizationId: await off.fixtures.workspace(owner, { balance: '5.00' }),
  });
  const id = await off.fixtures.task(project, owner);
  const path = `/api/tasks/${id}/odoo-instance`;
  const { key } = owner;
  const { status, body } = await off.unchanged(() => off.request('POST', path, { key }));
  assert.deepEqual([status, body.code], [409, 'erp_instances_not_configured']);
  const task = await off.request('GET', `/api/tasks/${id}`, { key });
  assert.ok(!task.body.available_actions.some((name: string) => name.includes('odoo_instance')));
});
