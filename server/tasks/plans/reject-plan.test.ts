import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { plannedTask } from '../../testing/fixtures/tasks/planned-task.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { db, fixtures, request, unchanged } = await startHarness();

const reject = (plan: string, { key }: User, body: object = {}, headers = {}) =>
  request('POST', `${plan}/reject`, { key, body, headers });
const inboxOf = async ({ key }: User) =>
  (await request('GET', '/api/inbox', { key })).body.map(
    ({ task_id }: { task_id: string }) => task_id,
  );
const actionsOf = async (plan: string, { key }: User): Promise<string[]> =>
  (await request('GET', plan, { key })).body.available_actions;

test('200: the task is cancelled, its plan waits for no approval, and the reason is in the conversation', async () => {
  const { owner, task, plan } = await plannedTask(fixtures);
  assert.deepEqual(await inboxOf(owner), [task]);
  const { status, body } = await reject(plan, owner, { reason: 'Too\nlarge' });
  const { rejected_at, ...rest } = body;
  assert.deepEqual([status, rest], [200, { task_id: task, version: 1, status: 'cancelled' }]);
  assert.match(rejected_at, /Z$/);
  assert.deepEqual(await inboxOf(owner), []);
  const [state] = await db.many(sql`
    select t.status, t.last_message, m.number, m.role, m.author_user_id, m.content
      from task t join task_message m on m.task_id = t.id where t.id = ${task}`);
  assert.deepEqual(state, {
    status: 'cancelled',
    last_message: 1,
    number: 1,
    role: 'user',
    author_user_id: owner.id,
    content: 'Too\nlarge',
  });
  const [audit] = await db.many(sql`
    select actor_user_id, before, after from audit_event
     where target_id = ${task} and action = 'plan.reject'`);
  assert.deepEqual(audit, {
    actor_user_id: owner.id,
    before: { version: 1, status: 'awaiting_approval' },
    after: { status: 'cancelled', reason: 'Too\nlarge' },
  });
});

test('200: without a reason nothing is said; members and collaborators may, viewers and strangers not', async () => {
  const { mayNot, plan } = await plannedTask(fixtures);
  for (const person of mayNot)
    assert.equal((await unchanged(() => reject(plan, person))).status, 403);
  for (const i of [0, 1, 2]) {
    const { may, task, plan } = await plannedTask(fixtures);
    assert.equal((await reject(plan, may[i] as User)).status, 200);
    assert.deepEqual(await db.many(sql`select 1 from task_message where task_id = ${task}`), []);
  }
});

test('409: cancelled before, approved, at work or about to be: as available_actions says', async () => {
  for (const [statuses, code] of [
    [['cancelled'], 'task_cancelled'],
    [['queued'], 'task_busy'],
    [['planning'], 'task_busy'],
    [['building'], 'task_busy'],
    [['planning', 'awaiting_answer'], 'task_busy'],
  ] as const) {
    const { owner, task, plan } = await plannedTask(fixtures);
    for (const status of statuses)
      await db.many(sql`update task set status = ${status} where id = ${task}`);
    const reply = await unchanged(() => reject(plan, owner));
    assert.deepEqual([reply.status, reply.body.code], [409, code], statuses.join());
    assert.ok(!(await actionsOf(plan, owner)).includes('reject_plan'));
  }
  const { owner, task, plan } = await plannedTask(fixtures);
  assert.ok((await actionsOf(plan, owner)).includes('reject_plan'));
  await request('POST', `${plan}/approve`, { key: owner.key });
  const approved = await unchanged(() => reject(plan, owner));
  assert.deepEqual([approved.status, approved.body.code], [409, 'plan_approved']);
  // A newer version cannot be rejected either while the start of the approved one is open.
  await fixtures.revision(task);
  const starting = await unchanged(() => reject(plan, owner));
  assert.deepEqual([starting.status, starting.body.code], [409, 'task_busy']);
  assert.ok(!(await actionsOf(plan, owner)).includes('reject_plan'));
});

test('404 and 412: no plan, and another version than the one that was read', async () => {
  const { owner, project, plan } = await plannedTask(fixtures, 'one', 'two');
  const bare = await fixtures.task(project, owner);
  await unchanged(async () => {
    const none = await reject(`/api/tasks/${bare}/plan`, owner);
    assert.deepEqual([none.status, none.body.code], [404, 'plan_not_found']);
    const { status, body } = await reject(plan, owner, {}, { 'if-match': '"1"' });
    assert.deepEqual([status, body.code, body.version], [412, 'plan_changed', 2]);
  });
  assert.equal((await reject(plan, owner, {}, { 'if-match': '"2"' })).status, 200);
});

test('race: of twenty rejections one cancels; of an approval and a rejection the later sees the earlier', async () => {
  const { owner, plan } = await plannedTask(fixtures);
  const replies = await Promise.all(Array.from({ length: 20 }, () => reject(plan, owner)));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array(19).fill(409)]);
  for (let round = 0; round < 10; round++) {
    const { owner, task, plan } = await plannedTask(fixtures);
    const [approval, rejection] = await Promise.all([
      request('POST', `${plan}/approve`, { key: owner.key }),
      reject(plan, owner),
    ]);
    assert.equal(approval.status, 200);
    const { status } = await db.one<{ status: string }>(
      sql`select status from task where id = ${task}`,
    );
    if (rejection.status === 200) assert.equal(status, 'cancelled');
    else assert.deepEqual([rejection.body.code, status], ['plan_approved', 'awaiting_approval']);
  }
});
