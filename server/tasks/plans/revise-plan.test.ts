import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { plannedTask } from '../../testing/fixtures/tasks/planned-task.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { db, fixtures, request, unchanged } = await startHarness();

const revise = (plan: string, { key }: User, text: unknown, ifMatch?: string) =>
  request('PUT', plan, {
    key,
    body: { text },
    headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
  });
const setStatus = (task: string, ...statuses: string[]) =>
  statuses.reduce(
    (before, status) =>
      before.then(() => db.many(sql`update task set status = ${status} where id = ${task}`)),
    Promise.resolve([] as unknown[]),
  );
const statusOf = async (task: string) =>
  (await db.one<{ status: string }>(sql`select status from task where id = ${task}`)).status;

test('200: a new version by the caller, to be approved, with who did it in the audit trail', async () => {
  const { owner, task, plan, project, workspace } = await plannedTask(fixtures, 'a\nb\n');
  await request('POST', `${plan}/approve`, { key: owner.key });
  const text = '  a\r\n\tb\ne\u0301 ';
  const { status, body, headers } = await revise(plan, owner, text, '"1"');
  assert.deepEqual([status, headers.get('etag')], [200, '"2"']);
  assert.deepEqual(
    [body.version, body.approved_version, body.text, body.author, body.author_user_id],
    [2, 1, text, 'person', owner.id],
  );
  assert.ok(body.available_actions.includes('approve_plan'));
  const { available_actions: read } = (await request('GET', plan, { key: owner.key })).body;
  assert.deepEqual(body.available_actions, read);
  const [audit] = await db.many(sql`
    select actor_user_id, organization_id, project_id, before, after from audit_event
     where target_id = ${task} and action = 'plan.revise'`);
  assert.deepEqual(audit, {
    actor_user_id: owner.id,
    organization_id: workspace,
    project_id: project,
    before: { version: 1 },
    after: { version: 2 },
  });
});

test('200: the same text and an empty change write nothing; what was read may be sent back', async () => {
  const { owner, plan } = await plannedTask(fixtures, 'same');
  await unchanged(async () => {
    assert.equal((await revise(plan, owner, 'same', '"1"')).body.version, 1);
    assert.equal((await revise(plan, owner, undefined, '*')).body.version, 1);
    const { body } = await request('GET', plan, { key: owner.key });
    const headers = { 'if-match': '"1"' };
    assert.equal((await request('PUT', plan, { key: owner.key, body, headers })).status, 200);
  });
});

test('200: members and collaborators too; 403 for viewers and strangers', async () => {
  const { plan, may, mayNot } = await plannedTask(fixtures);
  for (const person of may)
    assert.equal((await revise(plan, person, `by ${person.id}`, '*')).status, 200);
  for (const person of mayNot)
    for (const ifMatch of ['*', undefined]) {
      const reply = await unchanged(() => revise(plan, person, 'no', ifMatch));
      assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden']);
    }
});

test('200: what is being built goes on; a task that rests waits for approval again', async () => {
  const { owner, task, plan } = await plannedTask(fixtures);
  await setStatus(task, 'building');
  await revise(plan, owner, 'while it builds', '*');
  assert.equal(await statusOf(task), 'building');
  await setStatus(task, 'ready');
  await revise(plan, owner, 'afterwards', '*');
  assert.equal(await statusOf(task), 'awaiting_approval');
});

test('200: a policy does not approve what a person wrote', async () => {
  const { owner, project, task, plan } = await plannedTask(fixtures);
  await db.many(sql`update project set plan_approval = 'automatic' where id = ${project}`);
  const { body } = await revise(plan, owner, 'mine', '*');
  assert.equal(body.approved_version, undefined);
  assert.deepEqual(
    await db.many(sql`
      select 1 from outbox where topic = 'agent_start' and key like ${`${task}:%`}`),
    [],
  );
});

test('404, 409: a task without a plan, and one that was cancelled', async () => {
  const { owner, project, task, plan } = await plannedTask(fixtures);
  const bare = await fixtures.task(project, owner);
  await setStatus(task, 'cancelled');
  await unchanged(async () => {
    const none = await revise(`/api/tasks/${bare}/plan`, owner, 'text', '*');
    assert.deepEqual([none.status, none.body.code], [404, 'plan_not_found']);
    const cancelled = await revise(plan, owner, 'text', '*');
    assert.deepEqual([cancelled.status, cancelled.body.code], [409, 'task_cancelled']);
  });
});

test('412 and 428: If-Match must name the current version', async () => {
  const { owner, plan } = await plannedTask(fixtures, 'one', 'two');
  await unchanged(async () => {
    for (const ifMatch of ['"1"', 'W/"2"', '2', '""']) {
      const { status, body } = await revise(plan, owner, 'text', ifMatch);
      assert.deepEqual([status, body.code, body.version], [412, 'plan_changed', 2], ifMatch);
    }
    const { status, body } = await revise(plan, owner, 'text');
    assert.deepEqual([status, body.code], [428, 'if_match_required']);
  });
});

test('422: no text at all, controls, and more than 100,000 characters; exactly as many are a plan', async () => {
  const { owner, plan } = await plannedTask(fixtures);
  for (const [text, type] of [
    [' \n', 'string_too_short'],
    ['a\0', 'control_characters'],
    [null, 'string_type'],
    ['😀'.repeat(100_001), 'string_too_long'],
  ] as const) {
    const { status, body } = await unchanged(() => revise(plan, owner, text, '*'));
    assert.deepEqual(
      [status, body.detail[0].type, body.detail[0].loc],
      [422, type, ['body', 'text']],
    );
  }
  const { body } = await revise(plan, owner, '😀'.repeat(100_000), '*');
  assert.equal(body.version, 2);
});

test('race: of twenty people who read the same version one revises it', async () => {
  const { plan, may } = await plannedTask(fixtures);
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, i) => revise(plan, may[i % 3] as User, `text ${i}`, '"1"')),
  );
  const statuses = replies.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, ...Array(19).fill(412)]);
  const winner = replies.find(({ status }) => status === 200);
  const { body } = await request('GET', plan, { key: (may[0] as User).key });
  assert.deepEqual([body.version, body.text], [2, winner?.body.text]);
});

test('race: approval against a revision approves exactly the version it answers', async () => {
  for (let round = 0; round < 10; round++) {
    const { owner, task, plan } = await plannedTask(fixtures);
    const [approval, revision] = await Promise.all([
      request('POST', `${plan}/approve`, { key: owner.key }),
      revise(plan, owner, 'new', '"1"'),
    ]);
    assert.deepEqual([approval.status, revision.status], [200, 200]);
    const { body } = await request('GET', plan, { key: owner.key });
    assert.deepEqual([body.version, body.approved_version], [2, approval.body.approved_version]);
    const starts = await db.many<{ key: string }>(sql`
      select key from outbox where topic = 'agent_start' and key like ${`${task}:%`}`);
    assert.deepEqual(
      starts.map(({ key }) => key),
      [`${task}:${approval.body.approved_version}`],
    );
  }
});
