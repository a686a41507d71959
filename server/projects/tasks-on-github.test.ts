import assert from 'node:assert/strict';
import { test } from 'node:test';
import { branchOf, gitDirOf } from '../code/repositories/git.ts';
import { sql } from '../db/sql.ts';
import { builtTasks } from '../testing/fixtures/code/built-tasks.ts';
import { noEndedGit, whileGitIsEnded } from '../testing/fixtures/code/ended-git.ts';
import { startGithub } from '../testing/fixtures/code/github.ts';
import { tasksOnGitHub } from '../testing/fixtures/code/tasks-on-github.ts';
import { startHarness } from '../testing/harness/harness.ts';

/** In which repository the tasks of a project work, and that this stays so. */

const fake = await startGithub();
const harness = await startHarness({ github: fake });
const { db, fixtures, request, unchanged } = harness;
const owner = await fixtures.user();
const on = await tasksOnGitHub(harness, fake, owner);
const { shop, workspace } = on;

const attach = (projectId: string) =>
  request('POST', `/api/projects/${projectId}/repositories`, {
    key: owner.key,
    body: { host: 'github', full_name: `acme/${shop.name}` },
  });
/** A task in a project of its own, which a test changes. */
const builtAlone = async () => on.built(undefined, { projectId: await on.project() });
const targets = async (projectId: string) =>
  (await request('GET', `/api/projects/${projectId}/merge-targets`, { key: owner.key })).body;

test('the default branch of the first repository on GitHub is the merge target of a new project', async () => {
  const projectId = await fixtures.project({ organizationId: workspace });
  const attached = await attach(projectId);
  assert.deepEqual([attached.status, attached.body.used_by_tasks], [201, true]);
  const path = `/api/projects/${projectId}/repositories`;
  const listed = (await request('GET', path, { key: owner.key })).body;
  assert.deepEqual(
    listed.map(({ used_by_tasks }: { used_by_tasks: boolean }) => used_by_tasks),
    [false, true],
  );
  assert.deepEqual(await targets(projectId), [{ branch: '18.0', stage: 'production' }]);
});

test('merge targets that were chosen stay', async () => {
  const projectId = await fixtures.project({ organizationId: workspace });
  await db.many(sql`
    insert into merge_target (project_id, branch, stage) values (${projectId}, 'test', 'staging')`);
  const before = await targets(projectId);
  assert.equal((await attach(projectId)).status, 201);
  assert.deepEqual(await targets(projectId), before);
});

test('409 tasks_have_code once a task has built in `main`, and nothing changes', async () => {
  const projectId = await fixtures.project({ organizationId: workspace });
  const taskId = await fixtures.task(projectId, owner);
  await db.many(sql`
    insert into task_turn (task_id, number, kind, mode, state, source, prompt, ended_at)
    values (${taskId}, 1, 'prompt', 'build', 'done', ${`test:${taskId}`}, 'x', now())`);
  const refused = await unchanged(() => attach(projectId));
  assert.deepEqual([refused.status, refused.body.code], [409, 'tasks_have_code']);
});

test('503 git_busy where git is ended before it has said whether there is code, and nothing changes', {
  skip: noEndedGit,
}, async () => {
  const { projectId } = await (await builtTasks(harness, owner, workspace)).built();
  const gitDir = gitDirOf(harness.repositories, projectId);
  const refused = await unchanged(() => whileGitIsEnded(gitDir, () => attach(projectId)));
  assert.deepEqual([refused.status, refused.body.code], [503, 'git_busy']);
});

test('409 tasks_have_code for what people have pushed or merged, also of tasks that are deleted', async () => {
  const { built, gitIn } = await builtTasks(harness, owner, workspace);
  const { projectId, taskId, head } = await built();
  const refused = await unchanged(() => attach(projectId));
  assert.deepEqual([refused.status, refused.body.code], [409, 'tasks_have_code']);
  // As after a merge.
  gitIn(projectId, 'update-ref', 'refs/heads/main', head);
  gitIn(projectId, 'update-ref', '-d', `refs/heads/${branchOf(taskId)}`);
  await db.many(sql`delete from task where id = ${taskId}`);
  assert.equal((await unchanged(() => attach(projectId))).body.code, 'tasks_have_code');
  // It is GitHub's, as after a repository there that was detached.
  gitIn(projectId, 'update-ref', 'refs/guildhall/fetched/default', head);
  assert.equal((await attach(projectId)).status, 201);
});

test('409 repository_in_use: the repository in which tasks have built cannot be detached', async () => {
  const { projectId, taskId } = await builtAlone();
  const list = await request('GET', `/api/projects/${projectId}/repositories`, { key: owner.key });
  const { id } = list.body.find(({ host }: { host: string }) => host === 'github');
  const detach = () =>
    request('DELETE', `/api/projects/${projectId}/repositories/${id}`, { key: owner.key });
  await db.many(sql`
    insert into task_turn (task_id, number, kind, mode, state, source, prompt, ended_at)
    values (${taskId}, 1, 'prompt', 'build', 'done', ${`test:${taskId}`}, 'x', now())`);
  const refused = await unchanged(detach);
  assert.deepEqual([refused.status, refused.body.code], [409, 'repository_in_use']);
  await db.many(sql`delete from task_turn where task_id = ${taskId}`);
  assert.equal((await detach()).status, 204);
});

test('the copy on this server can be fetched and takes no push', async () => {
  const { projectId } = await on.built();
  const ask = (service: string) =>
    request('GET', `/git/${projectId}/main.git/info/refs?service=${service}`, { key: owner.key });
  assert.equal((await ask('git-upload-pack')).status, 200);
  const refused = await ask('git-receive-pack');
  assert.equal(refused.status, 403);
  assert.match(refused.text, /work in its repository on another host, push there/);
});

test('a project whose owner is not connected any more: nothing is asked of GitHub', async () => {
  const { projectId, taskId, head, place } = await builtAlone();
  const open = () => request('POST', `/api/tasks/${taskId}/pull-request`, { key: owner.key });
  const other = await fixtures.workspace(owner);
  const give = (id: string) =>
    db.many(sql`update project set organization_id = ${id} where id = ${projectId}`);
  await give(other);
  const asked = fake.requests.length;
  const refused = await unchanged(open);
  assert.deepEqual([refused.status, refused.body.code], [409, 'github_not_connected']);
  await assert.rejects(on.repositories.isBehind(place), /not connected with the owner/);
  await give(workspace);
  assert.equal(fake.requests.length, asked);
  assert.equal((await open()).status, 201);
  await on.refresh();
  await give(other);
  await on.due(taskId);
  const since = fake.requests.length;
  assert.equal(await on.refresh(), 0);
  const merge = await unchanged(() =>
    request('POST', `/api/tasks/${taskId}/merge`, {
      key: owner.key,
      body: { expected_head_sha: head },
    }),
  );
  assert.deepEqual([merge.status, merge.body.code], [409, 'github_not_connected']);
  assert.equal(fake.requests.length, since);
});
