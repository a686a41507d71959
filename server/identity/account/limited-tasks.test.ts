import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { db, fixtures, request } = await startHarness();

const tasks = async ({ key }: User): Promise<string[]> => {
  const { body } = await request('GET', '/api/inbox', { key });
  return body
    .filter(({ kind, task_id }: Record<string, string>) => kind === 'funds' && task_id)
    .map(({ task_id }: Record<string, string>) => task_id);
};

const move = (task: string, status: string, reason: string | null) =>
  db.many(sql`
    update task set status = ${status}, status_reason = ${reason} where id = ${task}`);

/** A task that a spend limit has paused. */
async function limited(whose: { organizationId?: string; userId?: string }, by: User) {
  const project = await fixtures.project(whose as { userId: string });
  const task = await fixtures.task(project, by);
  await move(task, 'queued', null);
  await move(task, 'paused', 'spend_limit');
  return { project, task };
}

test('a task at a spend limit waits for the owner and the admins of its workspace, until it goes on', async () => {
  const [owner, admin, member, helper] = await Promise.all([
    fixtures.user(),
    fixtures.user(),
    fixtures.user(),
    fixtures.user(),
  ] as const);
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, admin, 'admin');
  await fixtures.member(workspace, member, 'member');
  const { project, task } = await limited({ organizationId: workspace }, member);
  await fixtures.grant(project, helper, 'admin');
  const seen = () => Promise.all([owner, admin, member, helper].map(tasks));
  assert.deepEqual(await seen(), [[task], [task], [], []]);
  await move(task, 'queued', null);
  assert.deepEqual(await seen(), [[], [], [], []]);
});

test('of a personal project it waits for its person, and for no one who helps there', async () => {
  const [owner, helper] = [await fixtures.user(), await fixtures.user()];
  const { project, task } = await limited({ userId: owner.id }, owner);
  await fixtures.grant(project, helper, 'admin');
  assert.deepEqual([await tasks(owner), await tasks(helper)], [[task], []]);
});
