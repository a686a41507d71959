import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { capture, hold } from '../billing/ledger/holds.ts';
import { sql } from '../db/sql.ts';
import { usd } from '../testing/fixtures/billing/spender.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, db } = await startHarness();

async function tenant() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance: '10.00' });
  const project = await fixtures.project({ organizationId: workspace });
  const remove = () => request('DELETE', `/api/projects/${project}`, { key: owner.key });
  return { owner, workspace, project, remove };
}

/** Tasks with two plan revisions each; every plan is approved. */
const addTasks = (project: string, creator: { id: string }, many: number) =>
  db.transaction(async (tx) => {
    await tx.many(sql`
      insert into task (project_id, title, created_by_user_id)
      select ${project}, 'Task ' || n, ${creator.id} from generate_series(1, ${many}::int) n`);
    await tx.many(sql`
      insert into plan_revision (task_id, version, body)
      select id, version, repeat('step ', 100) from task, generate_series(1, 2) version
       where project_id = ${project}`);
    await tx.many(sql`
      insert into plan_approval (task_id, version, approved_by_user_id)
      select id, 2, ${creator.id} from task where project_id = ${project}`);
    await tx.many(sql`
      insert into plan (task_id, version, approved_version, approved_by_user_id, approved_at)
      select t.id, 2, 2, a.approved_by_user_id, a.approved_at
        from task t join plan_approval a on a.task_id = t.id where t.project_id = ${project}`);
  });

const deletions = async (project: string) =>
  (
    await db.many(sql`
      select id from audit_event
       where target_id = ${project} and action = 'project.delete' and outcome = 'done'`)
  ).length;

test('200: 5,000 tasks with approved plans take more than one statement, and no time-out', async () => {
  const { owner, project, remove } = await tenant();
  await addTasks(project, owner, 5_000);
  const { status, body } = await remove();
  assert.deepEqual([status, body.tasks_deleted], [200, 5_000]);
  const left = await db.many(sql`select id from task where project_id = ${project}`);
  assert.deepEqual(left, []);
});

test('race: two deletions: one receipt, the other finds nothing', async () => {
  for (let round = 0; round < 10; round++) {
    const { owner, project, remove } = await tenant();
    await addTasks(project, owner, 20);
    const replies = await Promise.all([remove(), remove()]);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 404]);
    assert.equal(await deletions(project), 1);
  }
});

test('race: approvals against the deletion: approved or not found, and nothing is left', async () => {
  for (let round = 0; round < 6; round++) {
    const { owner, project, remove } = await tenant();
    const tasks = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const task = await fixtures.task(project, owner);
        await fixtures.revision(task);
        return task;
      }),
    );
    const approvals = tasks.map((task) =>
      request('POST', `/api/tasks/${task}/plan/approve`, { key: owner.key }),
    );
    const deleted = await pause(round * 3).then(remove);
    assert.equal(deleted.status, 200);
    for (const { status } of await Promise.all(approvals)) assert.ok([200, 404].includes(status));
    const left = await db.many(sql`
      select task_id from plan_revision where task_id = any(${tasks}::uuid[])`);
    assert.deepEqual(left, []);
  }
});

test('race: with its workspace, a role on it and a capture: each is done or refused, and the money adds up', async () => {
  for (let round = 0; round < 8; round++) {
    const { owner, workspace, project, remove } = await tenant();
    const guest = await fixtures.user();
    await fixtures.grant(project, guest, 'viewer');
    const task = await fixtures.task(project, owner);
    const account = await db.one<{ id: string }>(sql`
      select id from billing_account where organization_id = ${workspace}`);
    const request_ = {
      accountId: account.id,
      amount: usd('4.00'),
      key: randomUUID(),
      reference: { type: 'task', id: task },
    };
    const held = await db.transaction((tx) => hold(tx, request_));
    const [deleted, gone, role, captured] = await Promise.all([
      remove(),
      request('DELETE', `/api/organizations/${workspace}`, { key: owner.key }),
      request('PUT', `/api/projects/${project}/people/${guest.id}`, {
        key: owner.key,
        body: { role: 'member' },
      }),
      db
        .transaction((tx) => capture(tx, held.id, usd('1.00')))
        .then(
          () => true,
          (error) => assert.match(error.code, /^hold_ended$/) ?? false,
        ),
    ]);
    // Without its workspace the project has no owner, and the former owner no right to it.
    assert.ok(deleted.status === 200 || (deleted.status === 403 && gone.status === 200));
    assert.ok([200, 409].includes(gone.status), gone.text);
    assert.ok([200, 403, 404].includes(role.status), role.text);
    const { balance, held: stillHeld } = await db.one<{ balance: bigint; held: bigint }>(sql`
      select balance, held from billing_account where id = ${account.id}`);
    assert.equal(stillHeld, 0n);
    const personal = await fixtures.balance({ userId: owner.id });
    assert.equal(balance + personal, usd(captured ? '9.00' : '10.00'));
  }
});
