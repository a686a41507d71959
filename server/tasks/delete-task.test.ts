import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { hold } from '../billing/ledger/holds.ts';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness();

async function tenant() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance: '10.00' });
  const project = await fixtures.project({ organizationId: workspace });
  const id = await fixtures.task(project, owner);
  const remove = (key = owner.key, headers = {}) =>
    request('DELETE', `/api/tasks/${id}`, { key, headers });
  return { owner, workspace, project, id, remove };
}

/** Holds money of the workspace for a task, as its turn does. */
async function holdFor(workspace: string, taskId: string) {
  const { id } = await db.one<{ id: string }>(sql`
    select id from billing_account where organization_id = ${workspace}`);
  await db.transaction((tx) =>
    hold(tx, {
      accountId: id,
      amount: 500_000n,
      key: `test:${randomUUID()}`,
      reference: { type: 'task', id: taskId },
    }),
  );
  return id;
}

test('200: everything of the task is gone, its money is free again, and the receipt counts', async () => {
  const { workspace, owner, id, remove } = await tenant();
  await fixtures.message(id, owner);
  await fixtures.message(id, owner);
  await fixtures.revision(id);
  await db.many(sql`
    update task_turn set state = 'running', attempt = 1, owner = 'a worker',
           lease_until = now() + interval '1 h' where task_id = ${id} and number = 1`);
  await db.many(sql`insert into pod (task_id, driver, state) values (${id}, 'process', 'running')`);
  const account = await holdFor(workspace, id);
  const { status, body } = await remove();
  const { deleted_at, ...receipt } = body;
  assert.deepEqual(
    [status, receipt],
    [
      200,
      {
        id,
        status: 'deleted',
        messages_deleted: 2,
        turns_stopped: 1,
        turns_cancelled: 1,
        pods_stopped: 1,
        files_deleted: 0,
        bytes_freed: 0,
      },
    ],
  );
  const { held } = await db.one<{ held: bigint }>(sql`
    select held from billing_account where id = ${account}`);
  assert.equal(held, 0n);
  for (const table of [
    sql`select task_id from task_turn where task_id = ${id}`,
    sql`select task_id from task_message where task_id = ${id}`,
    sql`select task_id from plan_revision where task_id = ${id}`,
    sql`select task_id from pod where task_id = ${id}`,
    sql`select id from task where id = ${id}`,
  ])
    assert.deepEqual(await db.many(table), []);
  assert.equal((await remove()).status, 404);
});

test('200: an answer that is repeated under its key, though the task is gone', async () => {
  const { owner, workspace, remove } = await tenant();
  const member = await fixtures.user();
  await fixtures.member(workspace, member, 'admin');
  const headers = { 'idempotency-key': 'once' };
  const first = await remove(member.key, headers);
  const again = await remove(member.key, headers);
  assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [first.text, 'true']);
  await fixtures.removeMember(workspace, member.id);
  assert.equal((await remove(member.key, headers)).status, 403);
  assert.equal((await remove(owner.key, headers)).status, 404);
});

test('403: only whoever created it, as a member, and admins; refusals are recorded', async () => {
  const { workspace, project, id, remove } = await tenant();
  const [member, viewer, guest, stranger] = await Promise.all(
    Array.from({ length: 4 }, () => fixtures.user()),
  );
  assert.ok(member && viewer && guest && stranger);
  await fixtures.member(workspace, member);
  await fixtures.member(workspace, viewer, 'viewer');
  await fixtures.grant(project, guest, 'member');
  for (const { key } of [member, viewer, guest, stranger])
    assert.equal((await unchanged(() => remove(key))).status, 403);
  await db.many(sql`update task set created_by_user_id = ${viewer.id} where id = ${id}`);
  assert.equal((await unchanged(() => remove(viewer.key))).status, 403);
  const refused = await db.many(sql`
    select id from audit_event
     where target_id = ${id} and action = 'task.delete' and outcome = 'refused'`);
  assert.equal(refused.length, 5);
  await db.many(sql`update task set created_by_user_id = ${guest.id} where id = ${id}`);
  assert.equal((await remove(guest.key)).status, 200);
});

test('412: a task that has changed since it was read', async () => {
  const { owner, id, remove } = await tenant();
  const read = await request('GET', `/api/tasks/${id}`, { key: owner.key });
  const ifMatch = { 'if-match': read.headers.get('etag') as string };
  await request('PUT', `/api/tasks/${id}`, { key: owner.key, body: { title: 'Other' } });
  const reply = await unchanged(() => remove(owner.key, ifMatch));
  assert.deepEqual([reply.status, reply.body.code], [412, 'task_changed']);
});

test('race: messages, cancellation and two deletions: one receipt, and nothing of the task is left', async () => {
  for (let round = 0; round < 10; round++) {
    const { owner, id, remove } = await tenant();
    const { key } = owner;
    await fixtures.message(id, owner);
    const send = () => request('POST', `/api/tasks/${id}/messages`, { key, body: { text: 'x' } });
    const replies = await Promise.all([
      send(),
      remove(),
      send(),
      request('POST', `/api/tasks/${id}/cancel`, { key }),
      remove(),
      send(),
    ]);
    const of = (...at: number[]) => at.map((i) => replies[i]?.status);
    assert.deepEqual(of(1, 4).sort(), [200, 404]);
    for (const status of of(0, 2, 5)) assert.ok(status === 201 || status === 404, String(status));
    assert.ok([200, 404].includes(of(3)[0] as number));
    assert.deepEqual(await db.many(sql`select id from task_turn where task_id = ${id}`), []);
  }
});

test('a workspace is not deleted while a turn holds its money; afterwards its tasks stay with their project', async () => {
  const { owner, workspace, project, id, remove } = await tenant();
  await fixtures.turn(id, { state: 'running', attempt: 1 });
  const other = await fixtures.task(project, owner);
  await fixtures.message(other, owner);
  await holdFor(workspace, id);
  const drop = () => request('DELETE', `/api/organizations/${workspace}`, { key: owner.key });
  const refused = await unchanged(drop);
  assert.deepEqual([refused.status, refused.body.code], [409, 'workspace_has_open_money']);
  assert.equal((await remove()).status, 200);
  assert.equal((await drop()).status, 200);
  const left = await db.many(sql`
    select t.status, p.organization_id from task t join project p on p.id = t.project_id
     where t.id = ${other}`);
  assert.deepEqual(left, [{ status: 'queued', organization_id: null }]);
});

test('a project is deleted with its running turns', async () => {
  const { owner, project, id } = await tenant();
  await fixtures.turn(id, { state: 'running', attempt: 1 });
  const reply = await request('DELETE', `/api/projects/${project}`, { key: owner.key });
  assert.deepEqual([reply.status, reply.body.tasks_deleted], [200, 1]);
  assert.deepEqual(await db.many(sql`select id from task_turn where task_id = ${id}`), []);
});
