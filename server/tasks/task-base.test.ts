import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startGithub } from '../testing/fixtures/code/github.ts';
import { mergesOn } from '../testing/fixtures/code/merges.ts';
import { tasksOnGitHub } from '../testing/fixtures/code/tasks-on-github.ts';
import { temporaryFolder } from '../testing/fixtures/tasks/file-stores.ts';
import { startHarness } from '../testing/harness/harness.ts';

/** Tasks that begin with another branch than the default one. */

const fake = await startGithub();
const harness = await startHarness({ github: fake });
const { db, request, unchanged } = harness;
const on = await mergesOn(harness);
const { owner, built, gitIn, repositories } = on;

const create = (project: string, base: string, key = owner.key) =>
  request('POST', `/api/projects/${project}/tasks`, { key, body: { message: 'Do it', base } });
const diffOf = async (taskId: string) =>
  (await request('GET', `/api/tasks/${taskId}/diff`, { key: owner.key })).body;
const pathsOf = async (taskId: string): Promise<string[]> =>
  (await diffOf(taskId)).files.map(({ path }: { path: string }) => path);

/** A project with a branch `develop` that has a file `dev.txt`, and is a merge target. */
async function withDevelop() {
  const { projectId, head } = await built({ 'dev.txt': 'dev\n' });
  gitIn(projectId, 'update-ref', 'refs/heads/develop', head);
  await db.many(sql`
    insert into merge_target (project_id, branch, stage)
    values (${projectId}, 'develop', 'staging')`);
  return { projectId, develop: head };
}

/** A task of it that begins with `develop` and has built something. */
async function begun(projectId: string, files = { 'new.txt': 'new\n' }) {
  const { status, body } = await create(projectId, 'develop');
  assert.equal(status, 201);
  return built(files, projectId, body.id);
}

async function checkedOut(projectId: string, taskId: string) {
  const workTree = await temporaryFolder();
  await repositories.checkOut({ projectId, taskId, workTree });
  return workTree;
}

test('201: the task begins with its base, is compared with it and merged into it', async () => {
  const { projectId, develop } = await withDevelop();
  const { taskId, head } = await begun(projectId);
  assert.equal(gitIn(projectId, 'rev-parse', `${head}^`), develop);
  assert.deepEqual(await pathsOf(taskId), ['new.txt']);
  const opened = await on.openPullRequest(taskId);
  assert.deepEqual([opened.status, opened.body.base], [201, 'develop']);
  const seen = await on.get(taskId, 'pull-request');
  assert.deepEqual([seen.base_sha, seen.mergeable], [develop, true]);
  assert.equal((await on.ask({ taskId, head })).status, 200);
  await on.work();
  assert.equal((await on.get(taskId)).state, 'merged');
  assert.equal(gitIn(projectId, 'show', 'develop:new.txt'), 'new');
  assert.deepEqual(await pathsOf(taskId), ['new.txt']);
  assert.equal(gitIn(projectId, 'rev-list', '--count', 'main'), '1');
  const { body } = await request('GET', `/api/tasks/${taskId}`, { key: owner.key });
  assert.deepEqual([body.base, body.pull_request.base], ['develop', 'develop']);
});

test('201: what reached the base later is not shown as changed by the task', async () => {
  const { projectId } = await withDevelop();
  const { taskId, head } = await begun(projectId);
  const other = await begun(projectId, { 'new.txt': 'other\n' });
  gitIn(projectId, 'update-ref', 'refs/heads/develop', head);
  await on.openPullRequest(other.taskId);
  assert.deepEqual((await on.get(other.taskId, 'pull-request')).conflicts, ['new.txt']);
  assert.deepEqual(await pathsOf(taskId), []);
});

test('201: the default branch may be named, also before anything was built', async () => {
  const project = await harness.fixtures.project({ organizationId: on.workspace });
  const { status, body } = await create(project, 'main');
  assert.deepEqual([status, body.base], [201, 'main']);
  const { taskId } = await built({ 'a.txt': 'one\n' }, project, body.id);
  assert.equal((await on.openPullRequest(taskId)).body.base, 'main');
});

test('403 and 404: a base opens nothing that the caller may not', async () => {
  const { projectId } = await withDevelop();
  const viewer = await harness.fixtures.user();
  await harness.fixtures.member(on.workspace, viewer, 'viewer');
  const stranger = await harness.fixtures.user();
  for (const [who, code] of [
    [viewer, 'forbidden'],
    [stranger, 'forbidden'],
  ] as const)
    for (const base of ['develop', 'none']) {
      const refused = await unchanged(() => create(projectId, base, who.key));
      assert.deepEqual([refused.status, refused.body.code], [403, code]);
    }
  const nowhere = await unchanged(() => create(crypto.randomUUID(), 'develop'));
  assert.equal(nowhere.status, 404);
});

test('409 merge_target_gone: a base that is no merge target is offered, and not merged into', async () => {
  const { projectId } = await withDevelop();
  await db.many(sql`
    delete from merge_target where project_id = ${projectId} and branch = 'develop'`);
  const { taskId, head } = await begun(projectId);
  assert.equal((await on.openPullRequest(taskId)).body.base, 'develop');
  const refused = await unchanged(() => on.ask({ taskId, head }));
  assert.deepEqual([refused.status, refused.body.code], [409, 'merge_target_gone']);
});

test('422: a branch that does not exist, that of a task, and what names none', async () => {
  const { projectId } = await withDevelop();
  const { taskId } = await built(undefined, projectId);
  const empty = await harness.fixtures.project({ organizationId: on.workspace });
  for (const [project, base, type] of [
    [projectId, 'nowhere', 'branch_not_found'],
    [empty, 'develop', 'branch_not_found'],
    [projectId, `task/${taskId.slice(0, 8)}`, 'branch_of_task'],
    [projectId, 'refs/heads/develop', 'string_pattern_mismatch'],
    [projectId, '--upload-pack=x', 'string_pattern_mismatch'],
    [projectId, 'a..b', 'string_pattern_mismatch'],
  ] as const) {
    const { status, body } = await unchanged(() => create(project, base));
    assert.deepEqual(
      [status, body.detail[0].loc, body.detail[0].type],
      [422, ['body', 'base'], type],
    );
  }
});

test('a base that was deleted: work that is there goes on, new work says so', async () => {
  const { projectId } = await withDevelop();
  const { taskId, head, write, commit } = await begun(projectId);
  await on.openPullRequest(taskId);
  await on.ask({ taskId, head });
  const idle = (await create(projectId, 'develop')).body.id;
  gitIn(projectId, 'update-ref', '-d', 'refs/heads/develop');
  await assert.rejects(checkedOut(projectId, idle), {
    message:
      'The branch develop, which this task begins with, does not exist any more: push it again, ' +
      'or create another task.',
  });
  await on.work();
  const failed = await on.get(taskId);
  assert.deepEqual([failed.state, failed.failure.code], ['failed', 'base_gone']);
  const { mergeable, not_mergeable_reason } = await on.get(taskId, 'pull-request');
  assert.equal(mergeable, false);
  assert.match(not_mergeable_reason, /^The branch develop, .* choose another merge target\.$/);
  await write('more.txt', 'more\n');
  assert.ok(await commit());
  assert.deepEqual(await pathsOf(taskId), ['more.txt', 'new.txt']);
  assert.ok(existsSync(join(await checkedOut(projectId, taskId), 'dev.txt')));
  assert.equal((await on.retarget(taskId, 'main')).body.base, 'main');
});

test('on GitHub: the task begins with the base there, and its pull request is to be merged into it', async () => {
  const hub = await tasksOnGitHub(harness, fake, owner);
  await fake.commit(hub.shop, { branch: 'dev', files: { 'dev.txt': 'dev\n' } });
  const projectId = await hub.project();
  const unknown = await unchanged(() => create(projectId, 'none'));
  assert.equal(unknown.body.detail[0].type, 'branch_not_found');
  const both = await Promise.all(['dev', 'dev'].map((base) => create(projectId, base)));
  const [first, second] = both.map(({ body }) => body.id);
  const { taskId, head } = await hub.built({ 'new.txt': 'new\n' }, { projectId, taskId: first });
  assert.deepEqual(await pathsOf(taskId), ['new.txt']);
  const opened = await on.openPullRequest(taskId);
  assert.deepEqual([opened.status, opened.body.base, opened.body.head_sha], [201, 'dev', head]);
  const { taskId: other, place } = await hub.built(undefined, { projectId, taskId: second });
  await fake.deleteBranch(hub.shop, 'dev');
  const gone = await unchanged(() => on.openPullRequest(other));
  assert.deepEqual([gone.status, gone.body.code], [409, 'base_branch_gone']);
  // What is there stays usable.
  assert.equal(await hub.repositories.headOf(place), (await diffOf(other)).head);
  const idle = await harness.fixtures.task(projectId, owner);
  await db.many(sql`update task set base = 'dev' where id = ${idle}`);
  await assert.rejects(
    hub.repositories.headOf({ projectId, taskId: idle }),
    /^Error: The branch dev/,
  );
});
