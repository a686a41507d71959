import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness();

async function plannedTask(revisions = 1) {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const task = await fixtures.task(project, owner);
  for (let i = 0; i < revisions; i++) await fixtures.revision(task);
  return { owner, workspace, project, task, path: `/api/tasks/${task}/plan/approve` };
}

const starts = (task: string) =>
  db.many(
    sql`select key from outbox where topic = 'agent_start' and payload->>'task_id' = ${task}`,
  );

test('200: the current version is approved, one agent start is queued and the approver is kept', async () => {
  const { owner, task, path } = await plannedTask(2);
  const reply = await request('POST', path, { key: owner.key });
  assert.equal(reply.status, 200);
  const { approved_at, ...rest } = reply.body;
  assert.deepEqual(rest, {
    task_id: task,
    version: 2,
    approved_version: 2,
    approved_by_user_id: owner.id,
    newly_approved: true,
  });
  assert.match(approved_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(reply.headers.get('etag'), '"2"');
  assert.deepEqual(await starts(task), [{ key: `${task}:2` }]);
  const [audit] = await db.many<{
    action: string;
    actor_user_id: string;
    before: object;
    after: object;
  }>(sql`select action, actor_user_id, before, after from audit_event where target_id = ${task}`);
  assert.deepEqual(audit, {
    action: 'plan.approve',
    actor_user_id: owner.id,
    before: { approved_version: null },
    after: { approved_version: 2 },
  });
});

test('200: a second approval by another person changes nothing and keeps the first approver and time', async () => {
  const { owner, workspace, path } = await plannedTask();
  const other = await fixtures.user();
  await fixtures.member(workspace, other);
  const first = await request('POST', path, { key: owner.key });
  const again = await unchanged(() => request('POST', path, { key: other.key }));
  assert.deepEqual(again.body, { ...first.body, newly_approved: false });
});

test('200: a newer revision makes the approval available again', async () => {
  const { owner, task, path } = await plannedTask();
  await request('POST', path, { key: owner.key });
  await fixtures.revision(task);
  const reply = await request('POST', path, { key: owner.key });
  assert.equal(reply.body.approved_version, 2);
  assert.equal(reply.body.newly_approved, true);
  assert.equal((await starts(task)).length, 2);
});

test('200: If-Match with the current version, among others, or * approves it', async () => {
  for (const ifMatch of ['"1"', '"7", "1"', '*', '"1"'.padStart(8192, '"7", ')]) {
    const { owner, path } = await plannedTask();
    const reply = await request('POST', path, { key: owner.key, headers: { 'if-match': ifMatch } });
    assert.equal(reply.status, 200, ifMatch);
  }
});

test('200: a body is ignored, even a malformed one', async () => {
  const { owner, path } = await plannedTask();
  assert.equal((await request('POST', path, { key: owner.key, raw: '{"a":' })).status, 200);
});

test('200: admins, members and collaborators with the role admin or member may approve', async () => {
  const { workspace, project, path } = await plannedTask();
  for (const role of ['admin', 'member'] as const) {
    const [inside, outside] = [await fixtures.user(), await fixtures.user()];
    await fixtures.member(workspace, inside, role);
    await fixtures.grant(project, outside, role);
    assert.equal((await request('POST', path, { key: inside.key })).status, 200);
    assert.equal((await request('POST', path, { key: outside.key })).status, 200);
  }
});

test('403: viewers, strangers and members without a required second factor may not approve', async () => {
  const { workspace, project, path } = await plannedTask();
  const [viewer, guest, lowered, stranger] = [
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
  ];
  await fixtures.member(workspace, viewer, 'viewer');
  await fixtures.grant(project, guest, 'viewer');
  await fixtures.member(workspace, lowered, 'member');
  await fixtures.grant(project, lowered, 'viewer');
  for (const { key } of [viewer, guest, lowered, stranger]) {
    const reply = await unchanged(() => request('POST', path, { key }));
    assert.equal(reply.status, 403);
    assert.equal(reply.body.code, 'forbidden');
  }
  const careless = await fixtures.user();
  await fixtures.member(workspace, careless, 'admin');
  await db.many(sql`update organization set require_2fa = true where id = ${workspace}`);
  const reply = await unchanged(() => request('POST', path, { key: careless.key }));
  assert.equal(reply.body.code, 'two_factor_required');
});

test('404: no such task, and a task without a plan', async () => {
  const { owner, project } = await plannedTask();
  const missing = await request('POST', `/api/tasks/${randomUUID()}/plan/approve`, {
    key: owner.key,
  });
  assert.deepEqual([missing.status, missing.body.code], [404, 'not_found']);
  const bare = await fixtures.task(project, owner);
  const reply = await unchanged(() =>
    request('POST', `/api/tasks/${bare}/plan/approve`, { key: owner.key }),
  );
  assert.deepEqual([reply.status, reply.body.code], [404, 'plan_not_found']);
});

test('412: a version that is not the current one is not approved, and the answer names both versions', async () => {
  const { owner, path } = await plannedTask(2);
  for (const ifMatch of ['"1"', 'W/"2"', '2', '""', '"2"'.padEnd(8193, ', "1"')]) {
    const reply = await unchanged(() =>
      request('POST', path, { key: owner.key, headers: { 'if-match': ifMatch } }),
    );
    assert.equal(reply.status, 412, ifMatch);
    assert.equal(reply.body.code, 'plan_changed');
    assert.equal(reply.body.version, 2);
    assert.ok(!('approved_version' in reply.body), 'nothing is approved yet');
  }
});

test('race: forty callers approve at once: all get 200, one approved it, one start is queued', async () => {
  const { owner, workspace, task, path } = await plannedTask();
  const keys = [owner.key];
  for (let i = 0; i < 3; i++) {
    const member = await fixtures.user();
    await fixtures.member(workspace, member);
    keys.push(member.key);
  }
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, i) => request('POST', path, { key: keys[i % 4] })),
  );
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  assert.equal(replies.filter(({ body }) => body.newly_approved).length, 1);
  assert.equal(
    new Set(replies.map(({ body }) => `${body.approved_at} ${body.approved_by_user_id}`)).size,
    1,
  );
  assert.equal((await starts(task)).length, 1);
});

test('race: approval against a new revision approves exactly the version it answers', async () => {
  for (let round = 0; round < 10; round++) {
    const { owner, task, path } = await plannedTask();
    const [reply, version] = await Promise.all([
      request('POST', path, { key: owner.key }),
      fixtures.revision(task),
    ]);
    assert.equal(reply.status, 200);
    assert.equal(version, 2);
    const plan = await db.one<{ version: number; approved_version: number }>(
      sql`select version, approved_version from plan where task_id = ${task}`,
    );
    assert.deepEqual(plan, { version: 2, approved_version: reply.body.approved_version });
    assert.deepEqual(await starts(task), [{ key: `${task}:${reply.body.approved_version}` }]);
  }
});

test('database: a revision, an approval or a start can be neither changed nor doubled', async () => {
  const { owner, task, path } = await plannedTask();
  await request('POST', path, { key: owner.key });
  for (const change of [
    sql`update plan_revision set body = 'other' where task_id = ${task}`,
    sql`delete from plan_approval where task_id = ${task}`,
    sql`insert into outbox (topic, key, payload) values ('agent_start', ${`${task}:1`}, '{}')`,
    sql`update plan set version = 3 where task_id = ${task}`,
  ]) {
    await assert.rejects(db.many(change));
  }
});
