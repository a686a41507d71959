import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sql } from '../../db/sql.ts';
import {
  addressOf,
  contentOf,
  folder,
  git,
  gitIn,
  repositoriesIn,
} from '../../testing/fixtures/code/git-client.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { branchOf, gitDirOf } from '../repositories/git.ts';

/** What may not be pushed, by whom: each refusal leaves every reference and object as it was. */

const home = await folder();
const dataDir = join(home, 'data');
const { url, db, fixtures, unchanged } = await startHarness({ env: { DATA_DIR: dataDir } });
const repositories = await repositoriesIn(dataDir, db);
after(() => rm(home, { recursive: true, force: true }));
const ada = await fixtures.user();
const workspace = await fixtures.workspace(ada);

async function project() {
  const id = await fixtures.project({ organizationId: workspace });
  const taskId = await fixtures.task(id, ada);
  return { id, taskId, branch: branchOf(taskId) };
}

const { id, taskId, branch } = await project();
const gitDir = gitDirOf(repositories, id);
const mine = join(home, 'mine');
await git(home, 'clone', addressOf(url, id, ada.key), mine);
await git(mine, 'switch', '-c', branch);
await writeFile(join(mine, 'a.txt'), 'a\n');
await git(mine, 'add', '.');
await git(mine, 'commit', '-m', 'First');
await git(mine, 'push', 'origin', branch);
await writeFile(join(mine, 'a.txt'), 'b\n');
await git(mine, 'commit', '-a', '-m', 'Second');
await git(mine, 'tag', 'v1');

async function refused(says: RegExp, ...push: string[]) {
  const before = await contentOf(gitDir);
  const { ok, text } = await unchanged(() => gitIn(mine, 'push', ...push));
  assert.equal(ok, false, text);
  assert.match(text, says);
  assert.deepEqual(await contentOf(gitDir), before);
}

const ONLY_TASKS = /remote: Only branches of tasks of this project can be pushed/;

test('only branches of tasks that the project has', async () => {
  const other = await project();
  const gone = await fixtures.task(id, ada);
  await db.many(sql`delete from task where id = ${gone}`);
  const refs = [
    'refs/heads/main',
    'refs/heads/feature',
    'refs/tags/v1',
    'refs/notes/commits',
    'refs/pull/1/head',
    'refs/heads/task',
    'refs/heads/task/',
    'refs/heads/task/zzzzzzzz',
    `refs/heads/task/${taskId}`,
    `refs/heads/${branch}/x`,
    `refs/heads/${branch}-conflict-1`,
    `refs/heads/${branch.toUpperCase()}`,
    `refs/tags/${branch}`,
    `refs/heads/${other.branch}`,
    `refs/heads/${branchOf(gone)}`,
    `refs/heads/${branchOf(randomUUID())}`,
  ];
  for (const ref of refs.filter((name) => !name.endsWith('/')))
    await refused(ONLY_TASKS, 'origin', `HEAD:${ref}`);
});

test('nothing of a push is taken if a part of it is refused', async () => {
  await refused(ONLY_TASKS, 'origin', branch, 'HEAD:refs/heads/main');
  await refused(ONLY_TASKS, 'origin', '--tags', branch);
  await refused(ONLY_TASKS, 'origin', ':main', branch);
  await refused(ONLY_TASKS, '--force', 'origin', `${branch}~1:main`);
});

test('a branch of a conflict can only be deleted', async () => {
  await git(gitDir, 'update-ref', `refs/heads/${branch}-conflict-1`, 'main');
  await refused(ONLY_TASKS, '--force', 'origin', `HEAD:${branch}-conflict-1`);
  await git(mine, 'push', 'origin', `:${branch}-conflict-1`);
  assert.equal(await git(gitDir, 'for-each-ref', 'refs/heads/task/*-conflict-*'), '');
});

test('a viewer, on the workspace or on the project', async () => {
  const viewer = await fixtures.user();
  await fixtures.member(workspace, viewer, 'viewer');
  const guest = await fixtures.user();
  await fixtures.grant(id, guest, 'viewer');
  for (const { key } of [viewer, guest])
    await refused(/remote: Your role on this project lets you/, addressOf(url, id, key), branch);
});

test('a stranger learns as little as of a repository that is not there', async () => {
  const stranger = await fixtures.user();
  const member = await fixtures.user();
  const elsewhere = await fixtures.workspace(member);
  const said: string[] = [];
  const sayings = async (address: string) => {
    for (const args of [
      ['push', address, branch],
      ['ls-remote', address],
    ]) {
      const { ok, text } = await gitIn(mine, ...args);
      assert.equal(ok, false);
      said.push(text.replaceAll(/[0-9a-f-]{36}\/\S+/g, '…'));
    }
  };
  await sayings(addressOf(url, id, stranger.key));
  await sayings(addressOf(url, randomUUID(), stranger.key));
  await sayings(addressOf(url, id, ada.key, 'other'));
  await db.many(sql`update api_key set read_only = true where user_id = ${stranger.id}`);
  await sayings(addressOf(url, id, stranger.key));
  await db.many(sql`
    update api_key set organization_id = ${elsewhere} where user_id = ${member.id}`);
  await fixtures.member(workspace, member, 'member');
  await sayings(addressOf(url, id, member.key));
  assert.equal(new Set(said).size, 1, said.join('\n'));
  assert.match(said[0] ?? '', /There is no such repository, or you may not open its project/);
});

test('a key that may only read', async () => {
  const reader = await fixtures.user();
  await fixtures.member(workspace, reader, 'member');
  await db.many(sql`update api_key set read_only = true where user_id = ${reader.id}`);
  const address = addressOf(url, id, reader.key);
  await refused(/remote: This API key is read-only: use a key with full access/, address, branch);
  assert.match(await git(mine, 'ls-remote', address), /refs\/heads\/main/);
});

test('keys that open nothing any more, and people who may not act', async () => {
  const revoked = await fixtures.user();
  await fixtures.member(workspace, revoked, 'member');
  await db.many(sql`update api_key set revoked_at = now() where user_id = ${revoked.id}`);
  const left = await fixtures.user({ active: false });
  for (const key of [revoked.key, left.key, 'gld_nothing', 'x'.repeat(4_096)])
    await refused(/remote: Invalid API key/, addressOf(url, id, key), branch);
  await refused(/could not read Username/, `${url}/git/${id}/main.git`, branch);
});

test('a member without the second factor that the workspace requires', async () => {
  const strict = await fixtures.workspace(await fixtures.user({ twoFactor: true }), {
    require2fa: true,
  });
  const member = await fixtures.user();
  await fixtures.member(strict, member, 'member');
  const within = await fixtures.project({ organizationId: strict });
  const { ok, text } = await gitIn(mine, 'ls-remote', addressOf(url, within, member.key));
  assert.equal(ok, false);
  assert.match(text, /remote: This workspace requires two-factor authentication/);
});

test('an archived project, which can still be cloned', async () => {
  await db.many(sql`update project set archived_at = now() where id = ${id}`);
  await refused(/remote: This project is archived and takes no pushes/, 'origin', branch);
  assert.match(await git(mine, 'ls-remote', 'origin'), /refs\/heads\/main/);
  await db.many(sql`update project set archived_at = null where id = ${id}`);
  await git(mine, 'push', 'origin', branch);
});
