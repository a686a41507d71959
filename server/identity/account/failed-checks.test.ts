import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { failingChecks } from '../../testing/fixtures/code/failing-checks.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

/** Failed checks in the inbox: of open pull requests, for those who may have them fixed. */

const harness = await startHarness();
const { db, fixtures, request } = harness;
const { owner, workspace, failing, begin, fix, succeed } = await failingChecks(harness);

const inboxOf = async ({ key }: User): Promise<Record<string, string>[]> =>
  (await request('GET', '/api/inbox', { key })).body;
const failedOf = async (user: User) =>
  (await inboxOf(user))
    .filter(({ kind }) => kind === 'failed_checks')
    .map(({ task_id }) => task_id);

test('200: an open pull request whose checks have failed, until they pass or it moves on', async () => {
  const [passing, moving, closing, archived] = [
    await failing(),
    await failing(),
    await failing(),
    await failing(),
  ];
  const [{ since, ...entry } = {}] = await inboxOf(owner);
  assert.deepEqual(entry, {
    kind: 'failed_checks',
    title: 'A task',
    task_id: archived.taskId,
    project_id: archived.projectId,
    organization_id: workspace,
  });
  assert.match(since ?? '', /Z$/);
  assert.equal((await failedOf(owner)).length, 4);
  await succeed(passing.taskId);
  await moving.write('more.txt', 'more\n');
  await moving.commit();
  await begin(moving.taskId);
  await db.many(sql`update pull_request set state = 'closed' where task_id = ${closing.taskId}`);
  assert.deepEqual(await failedOf(owner), [archived.taskId]);
  await db.many(sql`update task set archived_at = now() where id = ${archived.taskId}`);
  assert.deepEqual(await failedOf(owner), []);
});

test('200: not while its agent is at work', async () => {
  const { taskId } = await failing();
  assert.deepEqual(await failedOf(owner), [taskId]);
  await fix(taskId);
  assert.deepEqual(await failedOf(owner), []);
  await fixtures.taskStatus(taskId, 'ready');
  assert.deepEqual(await failedOf(owner), [taskId]);
  await succeed(taskId);
});

test('200: for members, and not for those who may not have them fixed', async () => {
  const { taskId, projectId } = await failing();
  const [admin, member, viewer, collaborator, stranger] = [
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
  ];
  await fixtures.member(workspace, admin, 'admin');
  await fixtures.member(workspace, member);
  await fixtures.member(workspace, viewer, 'viewer');
  await fixtures.grant(projectId, collaborator, 'member');
  for (const person of [owner, admin, member, collaborator])
    assert.deepEqual(await failedOf(person), [taskId]);
  for (const person of [viewer, stranger]) assert.deepEqual(await failedOf(person), []);
});
