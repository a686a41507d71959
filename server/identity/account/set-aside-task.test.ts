import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { failingChecks } from '../../testing/fixtures/code/failing-checks.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

/** Tasks that have ended, in the inbox of whoever began them, and what people set aside of it. */

const harness = await startHarness();
const { db, fixtures, request } = harness;
type Entry = Record<'kind' | 'task_id' | 'since' | 'snoozed_until', string>;
const inbox = async ({ key }: User, query = ''): Promise<Entry[]> =>
  (await request('GET', `/api/inbox${query}`, { key })).body;
const kinds = async (user: User, query = ''): Promise<(string | undefined)[][]> =>
  (await inbox(user, query)).map(({ kind, task_id }) => [kind, task_id]);
const setAside = ({ key }: User, task: string, body: object) =>
  request('PUT', `/api/tasks/${task}/inbox`, { key, body });
const bringBack = ({ key }: User, task: string) =>
  request('DELETE', `/api/tasks/${task}/inbox`, { key });

/** A person, the admin of a project whose workspace is somebody else's. */
async function person(): Promise<{ user: User; owner: User; project: string }> {
  const [user, owner] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, user, 'admin');
  return { user, owner, project: await fixtures.project({ organizationId: workspace }) };
}

/** A task of the person whose agent has ended. */
async function ended(project: string, user: User, status: 'ready' | 'failed' = 'ready') {
  const task = await fixtures.task(project, user);
  await fixtures.taskStatus(task, 'planning');
  await fixtures.taskStatus(task, status);
  return task;
}

test('200: a task that is ready or failed, for whoever began it, until it goes on', async () => {
  const { user, owner, project } = await person();
  const [ready, failed] = [await ended(project, user), await ended(project, user, 'failed')];
  assert.deepEqual(await kinds(user), [
    ['failed', failed],
    ['ready', ready],
  ]);
  assert.deepEqual(await inbox(owner), []);
  await fixtures.taskStatus(failed, 'queued');
  await db.many(sql`update task set archived_at = now() where id = ${ready}`);
  assert.deepEqual(await inbox(user), []);
});

test('200: not when its pull request is merged or closed, nor 30 days later', async () => {
  const { user, project } = await person();
  const [merged, closed, open, old] = [
    await ended(project, user),
    await ended(project, user),
    await ended(project, user),
    await ended(project, user),
  ];
  for (const task of [merged, closed, open]) await fixtures.pullRequest(task, user);
  await fixtures.merge(merged, user);
  await db.many(
    sql`update pull_request set state = 'closed', updated_at = now() where task_id = ${closed}`,
  );
  await db.many(
    sql`update task_outcome set since = now() - interval '31 days' where task_id = ${old}`,
  );
  assert.deepEqual(await kinds(user), [['ready', open]]);
});

test('200: a ready task whose checks have failed has one entry, and no longer two', async () => {
  const { owner: person, failing } = await failingChecks(harness);
  const { taskId } = await failing();
  await fixtures.taskStatus(taskId, 'planning');
  await fixtures.taskStatus(taskId, 'ready');
  assert.deepEqual(await kinds(person), [['failed_checks', taskId]]);
});

test('204: what is set aside is left out for that person alone, and comes back when something new happens', async () => {
  const { user, owner: colleague, project } = await person();
  const task = await fixtures.task(project, user);
  await fixtures.revision(task);
  const [{ since: seen } = assert.fail()] = await inbox(user);
  assert.equal((await setAside(user, task, { seen })).status, 204);
  assert.deepEqual(await inbox(user), []);
  assert.deepEqual(await kinds(user, '?set_aside=true'), [['plan_approval', task]]);
  assert.deepEqual(await kinds(colleague), [['plan_approval', task]]);
  await fixtures.revision(task);
  assert.deepEqual(await kinds(user), [['plan_approval', task]]);
  assert.deepEqual(await inbox(user, '?set_aside=true'), []);
});

test('204: what is snoozed is back when its time has come, or when it is brought back', async () => {
  const { user, project } = await person();
  const task = await ended(project, user);
  const [{ since: seen } = assert.fail()] = await inbox(user);
  const snoozed_until = '2100-01-01T00:00:00.000Z';
  await setAside(user, task, { seen, snoozed_until });
  assert.deepEqual(await inbox(user), []);
  assert.equal((await inbox(user, '?set_aside=true'))[0]?.snoozed_until, snoozed_until);
  assert.equal((await bringBack(user, task)).status, 204);
  assert.equal((await bringBack(user, task)).status, 204);
  assert.deepEqual(await kinds(user), [['ready', task]]);
  await setAside(user, task, { seen, snoozed_until: '2026-01-01T00:00:00.000Z' });
  assert.deepEqual(await kinds(user), [['ready', task]]);
});

test('204: a time that is yet to come hides nothing that happens later', async () => {
  const { user, project } = await person();
  const task = await ended(project, user);
  await setAside(user, task, { seen: '2100-01-01T00:00:00.000Z' });
  assert.deepEqual(await inbox(user), []);
  await fixtures.taskStatus(task, 'queued');
  await fixtures.taskStatus(task, 'planning');
  await fixtures.taskStatus(task, 'failed');
  assert.deepEqual(await kinds(user), [['failed', task]]);
});

test('200: pages are full where much is set aside', async () => {
  const { user, project } = await person();
  for (let i = 0; i < 6; i++) await fixtures.revision(await fixtures.task(project, user));
  const entries = await inbox(user);
  for (const { task_id, since } of entries.slice(0, 4))
    await setAside(user, task_id, { seen: since });
  const { body } = await request('GET', '/api/inbox?limit=2', { key: user.key });
  assert.deepEqual(
    body.map(({ task_id }: Entry) => task_id),
    entries.slice(4).map(({ task_id }) => task_id),
  );
});
