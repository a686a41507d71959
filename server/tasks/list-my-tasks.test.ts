import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';
import type { TaskStatus } from './task-states.ts';

const { fixtures, request, db, owner: asOwner } = await startHarness();

const list = (by: User, query = '') => request('GET', `/api/tasks${query}`, { key: by.key });
const titles = async (by: User, query = ''): Promise<string[]> =>
  (await list(by, query)).body.map(({ title }: { title: string }) => title);

async function add(
  project: string,
  by: User,
  title: string,
  { status = 'ready', model = null }: { status?: TaskStatus; model?: string | null } = {},
): Promise<string> {
  const reason = status === 'paused' ? 'drain' : status === 'failed' ? 'It stopped.' : null;
  const { id } = await db.one<{ id: string }>(sql`
    insert into task (project_id, title, created_by_user_id, status, status_reason, model)
    values (${project}, ${title}, ${by.id}, ${status}, ${reason}, ${model}) returning id`);
  return id;
}

async function tenant() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  return { owner, workspace, project };
}

test('200: of every project that the caller can open, newest first, and of no other', async () => {
  const [mine, other] = [await tenant(), await tenant()];
  const { owner, workspace, project } = mine;
  const [viewer, guest, stranger] = [
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
  ];
  await fixtures.member(workspace, viewer, 'viewer');
  await fixtures.grant(project, guest, 'member');
  const second = await fixtures.project({ organizationId: workspace });
  await fixtures.grant(other.project, owner, 'viewer');
  await add(project, owner, 'One');
  await add(second, owner, 'Two');
  await add(other.project, other.owner, 'Three');
  assert.deepEqual(await titles(owner), ['Three', 'Two', 'One']);
  assert.deepEqual(await titles(viewer), ['Two', 'One']);
  assert.deepEqual(await titles(guest), ['One']);
  assert.deepEqual(await titles(stranger), []);
  const { body } = await list(owner);
  const actions = body.map((task: { available_actions: string[] }) =>
    task.available_actions.includes('create_message'),
  );
  assert.deepEqual(actions, [false, true, true]);
  const alone = await request('GET', `/api/tasks/${body[1].id}`, { key: owner.key });
  assert.deepEqual({ ...body[1], as_of_seq: 0 }, alone.body);
});

test('200: no task of an archived project, of a workspace whose second factor is missing, or outside of what the key is for', async () => {
  const { owner, workspace, project } = await tenant();
  const other = await tenant();
  const member = await fixtures.user();
  for (const place of [workspace, other.workspace]) await fixtures.member(place, member);
  await add(project, owner, 'One');
  await add(other.project, other.owner, 'Two');
  assert.deepEqual(await titles(member), ['Two', 'One']);
  await asOwner(
    sql`update api_key set organization_id = ${workspace} where user_id = ${member.id}`,
  );
  assert.deepEqual(await titles(member), ['One']);
  await asOwner(sql`update api_key set organization_id = null where user_id = ${member.id}`);
  await db.many(sql`update organization set require_2fa = true where id = ${workspace}`);
  assert.deepEqual(await titles(member), ['Two']);
  await db.many(sql`update project set archived_at = now() where id = ${other.project}`);
  assert.deepEqual(await titles(member), []);
});

test('200: the filters narrow it, each by itself and together', async () => {
  const { owner, workspace, project } = await tenant();
  const second = await fixtures.project({ organizationId: workspace });
  const other = await fixtures.user();
  await fixtures.member(workspace, other);
  await add(project, owner, 'Planned', { status: 'planning' });
  await add(project, other, 'Failed', { status: 'failed', model: 'sandbox' });
  const merged = await add(second, other, 'Merged');
  await add(second, owner, 'Ready', { model: 'someone/else' });
  const archived = await add(second, owner, 'Old');
  await db.many(sql`update task set archived_at = now() where id = ${archived}`);
  await fixtures.pullRequest(merged, owner);
  await fixtures.merge(merged, owner);
  assert.deepEqual(await titles(owner, '?status=failed&status=planning'), ['Failed', 'Planned']);
  assert.deepEqual(await titles(owner, '?status=ready'), ['Ready', 'Merged']);
  assert.deepEqual(await titles(owner, '?merged=true'), ['Merged']);
  assert.deepEqual(await titles(owner, '?status=ready&merged=false'), ['Ready']);
  assert.deepEqual(await titles(owner, `?created_by=${owner.id}`), ['Ready', 'Planned']);
  assert.deepEqual(await titles(owner, `?project_id=${project}`), ['Failed', 'Planned']);
  assert.deepEqual(await titles(owner, '?model=someone/else'), ['Ready']);
  assert.deepEqual(await titles(owner, '?archived=true'), ['Old']);
  assert.deepEqual(await titles(owner, '?q=PLAN'), ['Planned']);
  assert.deepEqual(await titles(owner, `?project_id=${project}&created_by=${other.id}&q=f`), [
    'Failed',
  ]);
  assert.deepEqual(await titles(owner, `?project_id=${(await tenant()).project}`), []);
  // The default of the server, which the others have by their project.
  const { model } = (await list(owner, '?q=planned')).body[0];
  assert.deepEqual(await titles(owner, `?model=${model}`), ['Merged', 'Failed', 'Planned']);
  assert.equal((await list(owner, '?status=done')).status, 422);
  assert.equal((await list(owner, '?sort=title')).status, 422);
});

test('200: by the time of the merge, page after page, and only what was merged', async () => {
  const { owner, workspace, project } = await tenant();
  const second = await fixtures.project({ organizationId: workspace });
  const ids: string[] = [];
  for (let i = 1; i <= 4; i++) ids.push(await add(i % 2 ? project : second, owner, `Task ${i}`));
  for (const i of [1, 3, 0]) {
    const id = ids[i] as string;
    await fixtures.pullRequest(id, owner);
    await fixtures.merge(id, owner);
    await db.many(sql`
      update pull_request set state = 'merged', updated_at = clock_timestamp() where task_id = ${id}`);
  }
  await fixtures.pullRequest(ids[2] as string, owner);
  // What is changed afterwards was not merged later.
  const renamed = { key: owner.key, body: { title: 'First' } };
  assert.equal((await request('PUT', `/api/tasks/${ids[1]}`, renamed)).status, 200);
  assert.deepEqual(await titles(owner, '?sort=merged'), ['Task 1', 'Task 4', 'First']);
  assert.deepEqual(await titles(owner, `?sort=merged&project_id=${second}`), ['Task 4', 'First']);
  assert.deepEqual(await titles(await fixtures.user(), '?sort=merged'), []);
  const { body, headers } = await list(owner, '?sort=merged&limit=2');
  const times = body.map((task: { pull_request: { merged_at: string } }) =>
    Date.parse(task.pull_request.merged_at),
  );
  assert.ok(times[0] > times[1], JSON.stringify(body));
  const next = /<[^?]+(\?[^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  assert.deepEqual(await titles(owner, next), ['First']);
});

test('200: by the last change, page after page, each task once', async () => {
  const { owner, workspace, project } = await tenant();
  const second = await fixtures.project({ organizationId: workspace });
  for (let i = 1; i <= 7; i++) await add(i % 2 ? project : second, owner, `Task ${i}`);
  const [first] = (await list(owner, '?q=task+2')).body;
  const renamed = { key: owner.key, body: { title: 'Changed' } };
  assert.equal((await request('PUT', `/api/tasks/${first.id}`, renamed)).status, 200);
  const seen: string[] = [];
  let next: string | undefined = '?sort=updated&limit=3';
  while (next !== undefined) {
    const { body, headers } = await list(owner, next);
    seen.push(...body.map(({ title }: { title: string }) => title));
    next = /<[^?]+(\?[^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  }
  assert.deepEqual(seen, ['Changed', 'Task 7', 'Task 6', 'Task 5', 'Task 4', 'Task 3', 'Task 1']);
  assert.equal((await list(owner, '?cursor=AAAA')).status, 422);
});
