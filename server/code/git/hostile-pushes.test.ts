import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  addressOf,
  contentOf,
  type Entry,
  folder,
  git,
  gitIn,
  gitWith,
  repositoriesIn,
  tree,
} from '../../testing/fixtures/code/git-client.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { branchOf, gitDirOf } from '../repositories/git.ts';

/** Trees, names and bytes that no honest client sends. */

const home = await folder();
const dataDir = join(home, 'data');
const { url, fixtures, db } = await startHarness({ env: { DATA_DIR: dataDir } });
const repositories = await repositoriesIn(dataDir, db);
after(() => rm(home, { recursive: true, force: true }));
const ada = await fixtures.user();
const id = await fixtures.project({ userId: ada.id });
const branch = branchOf(await fixtures.task(id, ada));
const gitDir = gitDirOf(repositories, id);
const mine = join(home, 'mine');
await git(home, 'clone', addressOf(url, id, ada.key), mine);

const blob = (content: string | Uint8Array) =>
  gitWith(mine, content, 'hash-object', '-w', '--stdin');

async function refused(root: string, says: RegExp) {
  const commit = await git(mine, 'commit-tree', root, '-p', 'origin/main', '-m', 'Hostile');
  const before = await contentOf(gitDir);
  const { ok, text } = await gitIn(
    mine,
    'push',
    '--force',
    'origin',
    `${commit}:refs/heads/${branch}`,
  );
  assert.equal(ok, false, text);
  assert.match(text, says);
  assert.deepEqual(await contentOf(gitDir), before);
}

test('folders that git would take for its own, and links in their place', async () => {
  const file = await blob('[core]\n\tfsmonitor = touch /tmp/hit\n');
  const config: Entry[] = [['100644', 'config', file]];
  for (const name of ['.git', '.GIT', '.git ', 'git~1', '.g\u200cit', '..', '.'])
    await refused(await tree(mine, ['40000', name, await tree(mine, ...config)]), /fsck error/);
  const link = await blob('../../../../etc/passwd');
  for (const name of ['.gitmodules', '.git'])
    await refused(await tree(mine, ['120000', name, link]), /fsck error/);
  await refused(await tree(mine, ['100644', 'a/b', file]), /fsck error/);
  await refused(await tree(mine, ['100644', 'a', file], ['100644', 'a', file]), /fsck error/);
});

test('few objects that stand for very many files', async () => {
  const name = (i: number) => String(i).padStart(2, '0');
  const ten = (mode: string, object: string) =>
    tree(mine, ...Array.from({ length: 10 }, (_, i): Entry => [mode, name(i), object]));
  let root = await ten('100644', await blob('bomb'));
  for (let depth = 0; depth < 9; depth++) root = await ten('40000', root);
  await refused(root, /remote: A branch may have at most 100000 files and folders\./);
});

test('paths that are too deep or too long to be checked out', async () => {
  const file = await blob('deep');
  let root = await tree(mine, ['100644', 'a', file]);
  for (let depth = 0; depth < 150; depth++) root = await tree(mine, ['40000', 'a', root]);
  await refused(root, /remote: A path is too long, or its folders too deep\./);
  await refused(
    await tree(mine, ['100644', 'a'.repeat(256), file]),
    /remote: The name of a file may have at most 255 bytes\./,
  );
});

test('a small pack that becomes very large', async () => {
  const file = await blob(Buffer.alloc(101 * 1024 * 1024));
  await refused(
    await tree(mine, ['100644', 'a', file]),
    /remote: A file may have at most \d+ bytes: a/,
  );
  const most = await blob(Buffer.alloc(99 * 1024 * 1024));
  const root = await tree(
    mine,
    ...Array.from({ length: 11 }, (_, i): Entry => ['100644', `${i}`.padStart(2, '0'), most]),
  );
  await refused(root, /remote: The files of a branch may have at most \d+ bytes\./);
});

test('a branch that is no commit', async () => {
  const before = await contentOf(gitDir);
  for (const object of [await blob('x'), await tree(mine)]) {
    const { ok } = await gitIn(mine, 'push', '--force', 'origin', `${object}:refs/heads/${branch}`);
    assert.equal(ok, false);
  }
  assert.deepEqual((await contentOf(gitDir))[0], before[0]);
});

const authorization = `Bearer ${ada.key}`;

async function post(path: string, body: string | Uint8Array, headers: Record<string, string> = {}) {
  const service = path.split('/').at(-1);
  const type = { 'content-type': `application/x-${service}-request` };
  const sent = { authorization, ...type, ...headers };
  const answer = await fetch(url + path, { method: 'POST', headers: sent, body: body as string });
  return { status: answer.status, text: await answer.text() };
}

const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text;
const NONE = '0'.repeat(40);

test('names of every kind in the path', async () => {
  const names = [
    '..',
    '%2e%2e',
    '-o',
    '--upload-pack=touch',
    'main%00',
    'main%0a',
    'main%2f..%2fmain',
    '.',
    '',
    'main.git%2f..%2fmain',
    'MAIN',
    'm\u00e4in',
    '$(id)',
    'a'.repeat(4_096),
    '%ff',
    'main.git/../../../../etc',
    'main.lock',
    'a..b',
  ];
  const ids = [id, randomUUID(), '..', '-o', '%2e%2e', `${id}%2f..`, '', 'x'.repeat(4_096)];
  for (const [project, name] of [
    ...names.map((each) => [id, each]),
    ...ids.slice(1).map((each) => [each, 'main']),
  ]) {
    const path = `/git/${project}/${name}.git/info/refs?service=git-upload-pack`;
    const { status } = await fetch(url + path, { headers: { authorization } });
    assert.equal(status, 404, path.slice(0, 100));
  }
});

test('services and versions that there are not', async () => {
  const of = `${url}/git/${id}/main.git`;
  for (const service of ['git-upload-archive', '-o', 'git-upload-pack;id', ''])
    assert.equal(
      (await fetch(`${of}/info/refs?service=${service}`, { headers: { authorization } })).status,
      404,
    );
  const advertised = async (version: string) => {
    const headers = { authorization, 'git-protocol': version };
    return (await fetch(`${of}/info/refs?service=git-upload-pack`, { headers })).text();
  };
  assert.match(await advertised('version=2'), /version 2/);
  for (const odd of ['version=2:$(id)', 'version=2;id', 'version=9', '-o', 'x'.repeat(4_096)])
    assert.doesNotMatch(await advertised(odd), /version 2/);
});

test('references of every kind, sent by hand', async () => {
  const before = await contentOf(gitDir);
  const path = `/git/${id}/main.git/git-receive-pack`;
  const main = await git(gitDir, 'rev-parse', 'main');
  for (const ref of [
    'refs/heads/../../HEAD',
    'HEAD',
    '../../../x',
    '-o',
    'refs/heads/-o',
    'refs/heads/a b',
    'refs/heads/\x01',
    'refs/heads/$(touch x)',
    'refs/heads/*',
    `refs/heads/${'a'.repeat(4_096)}`,
    ...['.lock', '@{1}', '/../x', '.', '/'].map((end) => `refs/heads/${branch}${end}`),
    `refs/heads/${branch.toUpperCase()}`,
    `refs/guildhall/merged/${id}`,
    'refs/heads/@',
    '@',
    `refs/heads/${branch} refs/heads/main`,
    `refs/heads/${branch}\nrefs/heads/main`,
  ]) {
    const command = line(`${main} ${NONE} ${ref}\0 report-status`);
    const { status, text } = await post(path, `${command}0000`);
    assert.equal(status, 200, ref);
    assert.match(
      text,
      /ng .*(pre-receive hook declined|funny refname|deny \w+ a hidden ref)/s,
      ref,
    );
  }
  assert.deepEqual(await contentOf(gitDir), before);
});

test('bodies that are no push and no fetch', async () => {
  const before = await contentOf(gitDir);
  const push = `/git/${id}/main.git/git-receive-pack`;
  const pull = `/git/${id}/main.git/git-upload-pack`;
  for (const body of ['', 'zzzz', '0003', '0004', '0001', line('hello'), '00', line('push-cert\0')])
    assert.equal((await post(push, body)).status, 400, body);
  assert.deepEqual(await post(push, '0000'), { status: 200, text: '' });
  const many = line(`${NONE} ${'1'.repeat(40)} refs/heads/a`).repeat(1_000);
  assert.equal((await post(push, many)).status, 413);
  assert.equal((await post(push, '0000', { 'content-type': 'text/plain' })).status, 415);
  assert.equal((await post(push, gzipSync('0000'), { 'content-encoding': 'gzip' })).status, 415);
  assert.equal((await post(pull, '0000', { 'content-encoding': 'br' })).status, 415);
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, '0032want '));
  // Git has begun its answer by then, and ends it.
  assert.equal((await post(pull, bomb, { 'content-encoding': 'gzip' })).text, '');
  assert.equal((await post(pull, Buffer.alloc(11 * 1024 * 1024, 48))).status, 413);
  assert.deepEqual(await contentOf(gitDir), before);
});
