import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startBuilds } from '../../runner/worker/start-builds.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { PlanUnusable, planFault, storePlanVersion } from './store-plan-version.ts';

const { db, fixtures, request, unchanged } = await startHarness({ own: true });

async function newTask(planApproval: 'required' | 'automatic' = 'required') {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  await db.many(sql`update project set plan_approval = ${planApproval} where id = ${project}`);
  const task = await fixtures.task(project, owner);
  return { owner, workspace, project, task, plan: `/api/tasks/${task}/plan` };
}

const store = (taskId: string, text: string) =>
  db.transaction((tx) => storePlanVersion(tx, { taskId, turnId: 'turn-1', text }));
const starts = (task: string) =>
  db.many(sql`
    select key, payload from outbox where topic = 'agent_start' and key like ${`${task}:%`}`);

test('the plan of the agent becomes the next version, also when its text is the same', async () => {
  const { owner, workspace, project, task, plan } = await newTask();
  assert.deepEqual(await store(task, 'plan'), { version: 1, approved: false });
  assert.deepEqual(await store(task, 'plan'), { version: 2, approved: false });
  const { body } = await request('GET', plan, { key: owner.key });
  assert.deepEqual([body.version, body.text, body.author], [2, 'plan', 'agent']);
  assert.equal(body.approved_version, undefined);
  assert.deepEqual(await starts(task), []);
  const rows = await db.many(sql`
    select action, actor_user_id, organization_id, project_id, after from audit_event
     where target_id = ${task} and request_id = 'turn-1' order by id`);
  const place = { actor_user_id: null, organization_id: workspace, project_id: project };
  assert.deepEqual(rows, [
    { action: 'plan.write', ...place, after: { version: 1 } },
    { action: 'plan.write', ...place, after: { version: 2 } },
  ]);
});

test('a policy approves nothing once someone has asked to cancel: the plan waits for a person', async () => {
  const { task, plan, owner } = await newTask('automatic');
  const turn = await fixtures.turn(task, { state: 'running', attempt: 1 });
  await db.many(sql`update task_turn set cancel_requested_at = now() where id = ${turn}`);
  assert.deepEqual(await store(task, 'plan'), { version: 1, approved: false });
  assert.deepEqual(await starts(task), []);
  const { body } = await request('GET', plan, { key: owner.key });
  assert.deepEqual([body.text, body.approved_version], ['plan', undefined]);
});

test('a policy approves at once: one start, no actor, and every answer says that it was the policy', async () => {
  const { owner, task, plan } = await newTask('automatic');
  assert.deepEqual(await store(task, 'plan'), { version: 1, approved: true });
  assert.deepEqual(await starts(task), [
    { key: `${task}:1`, payload: { task_id: task, version: 1 } },
  ]);
  const [audit] = await db.many(sql`
    select actor_user_id, after from audit_event
     where target_id = ${task} and action = 'plan.approve'`);
  assert.deepEqual(audit, {
    actor_user_id: null,
    after: { approved_version: 1, approval_source: 'policy' },
  });
  const { body } = await request('GET', plan, { key: owner.key });
  assert.deepEqual(
    [body.approved_version, body.approval_source, body.approved_by_user_id],
    [1, 'policy', undefined],
  );
  // A person who approves it once more changes nothing; the answer is complete.
  const again = await unchanged(() => request('POST', `${plan}/approve`, { key: owner.key }));
  assert.equal(again.status, 200);
  assert.deepEqual(again.body, {
    task_id: task,
    version: 1,
    approved_version: 1,
    approved_at: body.approved_at,
    approved_by_user_id: owner.id,
    newly_approved: false,
    approval_source: 'policy',
  });
  const [kept] = await db.many(sql`
    select approval_source, approved_by_user_id from plan_approval where task_id = ${task}`);
  assert.deepEqual(kept, { approval_source: 'policy', approved_by_user_id: owner.id });
});

test('a person’s approval after one by policy is a person’s', async () => {
  const { owner, project, task, plan } = await newTask('automatic');
  await store(task, 'plan');
  await db.many(sql`update project set plan_approval = 'required' where id = ${project}`);
  await store(task, 'another plan');
  const { body } = await request('POST', `${plan}/approve`, { key: owner.key });
  assert.deepEqual([body.approved_version, body.approval_source], [2, undefined]);
  assert.equal((await starts(task)).length, 2);
});

test('controls of a terminal, NUL and half a pair do not break the plan, and a person can send it back', async () => {
  const { owner, task, plan } = await newTask();
  await store(task, '\u001b[1mPlan\u001b[0m\0\ud800\r\n\tstep\n');
  const { body } = await request('GET', plan, { key: owner.key });
  assert.equal(body.text, '\ufffd[1mPlan\ufffd[0m\ufffd\ufffd\r\n\tstep\n');
  const headers = { 'if-match': '"1"' };
  const reply = await request('PUT', plan, {
    key: owner.key,
    headers,
    body: { text: `${body.text}more` },
  });
  assert.equal(reply.body.version, 2);
});

test('no text and a text that is too long are no plan, and nothing is written', async () => {
  const { task } = await newTask('automatic');
  for (const text of ['', ' \n\t', 'x'.repeat(100_001)])
    await unchanged(() => assert.rejects(store(task, text), new PlanUnusable(planFault(text))));
  assert.equal(planFault('😀'.repeat(100_000)), undefined);
});

test('race: versions of the agent and a person’s follow each other without a gap', async () => {
  const { owner, task, plan } = await newTask();
  await store(task, 'first');
  await Promise.all([
    ...Array.from({ length: 8 }, (_, i) => store(task, `agent ${i}`)),
    ...Array.from({ length: 8 }, (_, i) =>
      request('PUT', plan, {
        key: owner.key,
        headers: { 'if-match': '*' },
        body: { text: `person ${i}` },
      }),
    ),
  ]);
  const versions = await db.many<{ version: number }>(sql`
    select version from plan_revision where task_id = ${task} order by version`);
  assert.deepEqual(
    versions.map(({ version }) => version),
    Array.from({ length: 17 }, (_, i) => i + 1),
  );
});

test('a build was requested by the person who approved its plan, and by no one if a policy did', async () => {
  const [byPerson, byPolicy] = [await newTask(), await newTask('automatic')];
  for (const { task } of [byPerson, byPolicy]) await store(task, 'plan');
  await request('POST', `${byPerson.plan}/approve`, { key: byPerson.owner.key });
  await startBuilds(db);
  for (const { task, person } of [
    { task: byPerson.task, person: byPerson.owner.id },
    { task: byPolicy.task, person: null },
  ]) {
    const turns = await db.many(sql`
      select kind, requested_by_user_id from task_turn where task_id = ${task}`);
    assert.deepEqual(turns, [{ kind: 'build', requested_by_user_id: person }]);
  }
});
