import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  addressOf,
  folder,
  git,
  gitIn,
  repositoriesIn,
} from '../../testing/fixtures/code/git-client.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { branchOf, gitDirOf } from '../repositories/git.ts';

/** Real git clones, fetches and pushes over loopback. */

const home = await folder();
const dataDir = join(home, 'data');
const { url, fixtures, request, log, db, databaseUrl } = await startHarness({
  env: { DATA_DIR: dataDir },
});
await repositoriesIn(dataDir, db);
after(() => rm(home, { recursive: true, force: true }));
const ada = await fixtures.user();
const workspace = await fixtures.workspace(ada);
const viewer = await fixtures.user();
await fixtures.member(workspace, viewer, 'viewer');

async function begin() {
  const id = await fixtures.project({ organizationId: workspace });
  const branch = branchOf(await fixtures.task(id, ada));
  const mine = join(home, id);
  await git(home, 'clone', addressOf(url, id, ada.key), mine);
  await git(mine, 'switch', '-c', branch);
  return { id, branch, mine };
}

async function commit(tree: string, file: string, message: string) {
  await writeFile(join(tree, file), `${message}\n`);
  await git(tree, 'add', '.');
  await git(tree, 'commit', '-m', message);
}

const since = (seconds: number): [number, number] => {
  const then = Date.now() / 1_000 - seconds;
  return [then, then];
};

test('a member pushes to the branch of a task, and a viewer clones and fetches it', async () => {
  const { id, branch, mine } = await begin();
  await commit(mine, 'a.txt', 'First');
  await git(mine, 'push', 'origin', branch);
  const theirs = `${mine}-theirs`;
  await git(home, 'clone', '--branch', branch, addressOf(url, id, viewer.key), theirs);
  assert.equal(await git(theirs, 'log', '--format=%s'), 'First\nBegin');
  await commit(mine, 'a.txt', 'Second');
  await git(mine, 'push', 'origin', branch);
  await git(theirs, 'pull', '--ff-only');
  assert.equal(await git(theirs, 'log', '-1', '--format=%s'), 'Second');
  const older = `${mine}-older`;
  const first = ['-c', 'protocol.version=0', 'clone', '--branch', branch, '--depth', '1'];
  await git(home, ...first, addressOf(url, id, viewer.key), older);
  assert.equal(await git(older, 'log', '--format=%s'), 'Second');
});

test('a branch of a task can be rewritten and deleted', async () => {
  const { branch, mine } = await begin();
  await commit(mine, 'a.txt', 'First');
  await git(mine, 'push', 'origin', branch);
  await git(mine, 'commit', '--amend', '--message', 'Rewritten');
  await git(mine, 'push', '--force', 'origin', branch);
  await git(mine, 'push', 'origin', `:${branch}`);
  assert.equal(await git(mine, 'ls-remote', 'origin', `refs/heads/${branch}`), '');
});

test('a branch that a killed git has locked is pushed after two minutes, and not before', async () => {
  const { id, branch, mine } = await begin();
  await commit(mine, 'a.txt', 'First');
  await git(mine, 'push', 'origin', branch);
  await commit(mine, 'a.txt', 'Second');
  const lock = join(gitDirOf(join(dataDir, 'repositories'), id), `refs/heads/${branch}.lock`);
  const age = (seconds: number) => utimes(lock, ...since(seconds));
  await writeFile(lock, '');
  await age(100);
  await assert.rejects(git(mine, 'push', 'origin', branch), /failed to update ref|cannot lock ref/);
  const before = await git(mine, 'rev-parse', 'HEAD^');
  assert.match(await git(mine, 'ls-remote', 'origin', `refs/heads/${branch}`), new RegExp(before));
  await age(121);
  await git(mine, 'push', 'origin', branch);
  const after = await git(mine, 'rev-parse', 'HEAD');
  assert.match(await git(mine, 'ls-remote', 'origin', `refs/heads/${branch}`), new RegExp(after));
  await assert.rejects(stat(lock), /ENOENT/);
});

test('a push larger than what git sends at once arrives, and so does what it fetches', async () => {
  const { id, branch, mine } = await begin();
  const bytes = Buffer.alloc(3 * 1024 * 1024, randomBytes(999_983));
  await writeFile(join(mine, 'large.bin'), bytes);
  for (let i = 0; i < 200; i++) await writeFile(join(mine, `${i}.txt`), `${i}\n`);
  await git(mine, 'add', '.');
  await git(mine, 'commit', '-m', 'Many');
  await git(mine, 'push', 'origin', branch);
  const again = `${mine}-again`;
  await git(home, 'clone', '--branch', branch, addressOf(url, id, ada.key), again);
  assert.equal(await git(again, 'rev-parse', 'HEAD'), await git(mine, 'rev-parse', 'HEAD'));
});

test('a key is also a bearer token; only a missing one is asked for', async () => {
  const { id } = await begin();
  const path = `/git/${id}/main.git/info/refs?service=git-upload-pack`;
  const asked = await fetch(url + path);
  assert.deepEqual(
    [asked.status, asked.headers.get('www-authenticate'), await asked.text()],
    [401, 'Basic realm="Guildhall"', 'Not authenticated\n'],
  );
  const bearer = await fetch(url + path, { headers: { authorization: `Bearer ${ada.key}` } });
  assert.equal(bearer.status, 200);
  const type = 'application/x-git-upload-pack-advertisement';
  assert.equal(bearer.headers.get('content-type'), type);
  assert.match(await bearer.text(), /# service=git-upload-pack/);
});

test('the log has who, what and how long, and no credential', async () => {
  const { id } = await begin();
  const line = log.findLast((each) => each.includes('/git/:project_id/:folder/git-upload-pack'));
  const { status, userId, keyId, route } = JSON.parse(line ?? '{}');
  assert.deepEqual([status, userId], [200, ada.id]);
  assert.ok(keyId);
  assert.equal(route.includes(id), false);
  assert.equal(log.join('').includes(ada.key), false);
  assert.equal(log.join('').includes(Buffer.from(`ada:${ada.key}`).toString('base64')), false);
});

test('git that asks for a password is no failed attempt, a wrong one is', async () => {
  const limited = await startHarness({
    env: { DATA_DIR: dataDir, RATE_LIMIT_FAILED_AUTH_PER_MINUTE: '2' },
  });
  const path = `${limited.url}/git/${crypto.randomUUID()}/main.git/info/refs?service=git-upload-pack`;
  for (let i = 0; i < 5; i++) assert.equal((await fetch(path)).status, 401);
  const wrong = { headers: { authorization: `Basic ${btoa('ada:wrong')}` } };
  for (const status of [401, 401, 429]) assert.equal((await fetch(path, wrong)).status, status);
});

test('a repository is there after its project was made, whichever way it is asked for first', async () => {
  const id = await fixtures.project({ organizationId: workspace });
  const address = addressOf(url, id, ada.key);
  const listed = await Promise.all(
    Array.from({ length: 4 }, () => git(home, 'ls-remote', address, 'HEAD')),
  );
  assert.equal(new Set(listed).size, 1);
  assert.match(listed[0] ?? '', /^[0-9a-f]{40}\tHEAD$/);
});

test('other methods and other files of a repository are not served', async () => {
  const { id } = await begin();
  const of = `/git/${id}/main.git`;
  const { key } = ada;
  assert.equal((await request('POST', `${of}/info/refs`, { key })).status, 405);
  assert.equal((await request('GET', `${of}/git-upload-pack`, { key })).status, 405);
  for (const path of ['/HEAD', '/objects/info/packs', '/config', '', '/info/refs', '/info/lfs'])
    assert.equal((await request('GET', of + path, { key })).status, 404, path);
});

test('a server that does not share the folder of the workers makes no repository', async () => {
  const id = await fixtures.project({ organizationId: workspace });
  const elsewhere = join(home, 'elsewhere');
  const other = await startHarness({ env: { DATA_DIR: elsewhere }, databaseUrl });
  const { ok, text } = await gitIn(home, 'ls-remote', addressOf(other.url, id, ada.key));
  assert.equal(ok, false);
  assert.match(text, /remote: This server does not have the repository/);
  await assert.rejects(stat(join(elsewhere, 'repositories')));
});
