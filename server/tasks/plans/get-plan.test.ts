import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { db, fixtures, request } = await startHarness();

async function plannedTask() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const task = await fixtures.task(project, owner);
  const get = (key: string) => request('GET', `/api/tasks/${task}/plan`, { key });
  return { owner, workspace, project, task, get };
}

/** What storing and approving by policy leaves behind. */
async function approvedByPolicy(task: string, version: number, creator: string): Promise<void> {
  await db.many(sql`
    with approval as (
      insert into plan_approval (task_id, version, approved_by_user_id, approval_source)
      values (${task}, ${version}, ${creator}, 'policy') returning *)
    update plan set approved_version = version, policy_version = version,
           approved_by_user_id = ${creator}, approved_at = (select approved_at from approval)
     where task_id = ${task}`);
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('200: the current version, who wrote it, and its ETag', async () => {
  const { owner, task, get } = await plannedTask();
  const text = '# Plan\r\n\r\n\t“quotes” \\ 👩‍💻 \u2028\n';
  await fixtures.revision(task, 'first');
  await fixtures.revision(task, text, owner);
  const { status, body, headers } = await get(owner.key);
  const { created_at, available_actions, ...rest } = body;
  assert.deepEqual(rest, {
    task_id: task,
    version: 2,
    text,
    sha256: sha256(text),
    author: 'person',
    author_user_id: owner.id,
  });
  assert.match(created_at, /Z$/);
  assert.ok(available_actions.includes('approve_plan'));
  assert.deepEqual([status, headers.get('etag')], [200, '"2"']);
});

test('200: an approval stays that of its version when the agent writes a newer one', async () => {
  const { owner, task, get } = await plannedTask();
  await fixtures.revision(task);
  await request('POST', `/api/tasks/${task}/plan/approve`, { key: owner.key });
  const approved = (await get(owner.key)).body;
  assert.deepEqual(
    [approved.version, approved.approved_version, approved.approved_by_user_id],
    [1, 1, owner.id],
  );
  assert.deepEqual([approved.author, approved.approval_source], ['agent', 'person']);
  assert.ok(!approved.available_actions.includes('approve_plan'), 'there is nothing to approve');
  await fixtures.revision(task);
  const newer = (await get(owner.key)).body;
  assert.deepEqual([newer.version, newer.approved_version], [2, 1]);
  assert.equal(newer.approved_at, approved.approved_at);
  assert.ok(newer.available_actions.includes('approve_plan'));
});

test('200: what a policy approved was approved by no person, wherever it is shown', async () => {
  const { owner, task, get } = await plannedTask();
  await fixtures.revision(task);
  await approvedByPolicy(task, 1, owner.id);
  const versions = `/api/tasks/${task}/plan/versions`;
  const [{ body: plan }, { body: list }, { body: version }] = await Promise.all([
    get(owner.key),
    request('GET', versions, { key: owner.key }),
    request('GET', `${versions}/1`, { key: owner.key }),
  ]);
  for (const shown of [plan, list[0], version]) {
    assert.deepEqual([shown.approval_source, shown.approved_by_user_id], ['policy', undefined]);
    assert.match(shown.approved_at, /Z$/);
  }
  // A later approval by a person is theirs.
  await fixtures.revision(task);
  await request('POST', `/api/tasks/${task}/plan/approve`, { key: owner.key });
  const { body } = await get(owner.key);
  assert.deepEqual([body.approval_source, body.approved_by_user_id], ['person', owner.id]);
});

test('200: a viewer reads the plan, and may not approve it', async () => {
  const { workspace, task, get } = await plannedTask();
  await fixtures.revision(task);
  const viewer = await fixtures.user();
  await fixtures.member(workspace, viewer, 'viewer');
  const { body } = await get(viewer.key);
  assert.ok(body.available_actions.includes('get_plan'));
  assert.ok(!body.available_actions.includes('approve_plan'));
});

test('403 and 404: strangers, unknown tasks, and a task without a plan', async () => {
  const { owner, task, get } = await plannedTask();
  const paths = ['', '/diff', '/versions/1'];
  for (const path of paths) {
    const reply = await request('GET', `/api/tasks/${task}/plan${path}`, { key: owner.key });
    const code = path === '/versions/1' ? 'plan_version_not_found' : 'plan_not_found';
    assert.deepEqual([reply.status, reply.body.code], [404, code]);
  }
  const list = await request('GET', `/api/tasks/${task}/plan/versions`, { key: owner.key });
  assert.deepEqual(list.body, []);
  assert.equal((await get((await fixtures.user()).key)).status, 403);
  const unknown = await request('GET', `/api/tasks/${randomUUID()}/plan`, { key: owner.key });
  assert.equal(unknown.body.code, 'not_found');
});

test('versions: newest first, in pages, and each with its own text', async () => {
  const { owner, task } = await plannedTask();
  for (const text of ['one', 'two', 'three']) await fixtures.revision(task, text);
  const path = `/api/tasks/${task}/plan/versions`;
  const all = await request('GET', path, { key: owner.key });
  assert.deepEqual(
    all.body.map(({ version, sha256 }: { version: number; sha256: string }) => [version, sha256]),
    [
      [3, sha256('three')],
      [2, sha256('two')],
      [1, sha256('one')],
    ],
  );
  assert.ok(all.body.every((each: object) => !('text' in each)));
  const page = await request('GET', `${path}?limit=2`, { key: owner.key });
  const next = /<(.*)>/.exec(page.headers.get('link') ?? '')?.[1] as string;
  const rest = await request('GET', next, { key: owner.key });
  assert.deepEqual([...page.body, ...rest.body], all.body);
  assert.equal((await request('GET', `${path}/2`, { key: owner.key })).body.text, 'two');
  for (const [version, status] of [
    ['4', 404],
    ['0', 422],
    ['2147483648', 422],
    ['x', 422],
  ])
    assert.equal((await request('GET', `${path}/${version}`, { key: owner.key })).status, status);
});

test('diff: from the version before the current one, or between the two that are named', async () => {
  const { owner, task } = await plannedTask();
  for (const text of ['a\n', 'a\nb\n', 'a\nb\nc']) await fixtures.revision(task, text);
  const diff = async (query = '') =>
    (await request('GET', `/api/tasks/${task}/plan/diff${query}`, { key: owner.key })).body;
  const { unified, hunks, ...rest } = await diff();
  assert.deepEqual(rest, { task_id: task, from: 2, to: 3, added: 1, removed: 0 });
  assert.equal(
    unified,
    '--- a/plan.md\n+++ b/plan.md\n@@ -1,2 +1,3 @@\n a\n b\n+c\n\\ No newline at end of file\n',
  );
  assert.deepEqual(hunks[0].lines.at(-1), { change: 'added', text: 'c', no_newline: true });
  const backwards = await diff('?from=3&to=1');
  assert.deepEqual([backwards.added, backwards.removed], [0, 2]);
  assert.deepEqual(await diff('?to=1'), await diff('?from=0&to=1'));
  const same = await diff('?from=2&to=2');
  assert.deepEqual([same.unified, same.hunks], ['', []]);
  for (const query of ['?from=4', '?to=4', '?from=9&to=9'])
    assert.equal((await diff(query)).code, 'plan_version_not_found', query);
});
