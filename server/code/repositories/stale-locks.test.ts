import assert from 'node:assert/strict';
import {
  lstat,
  lutimes,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { EMPTY_TREE, runGit } from './git.ts';
import { makeRepository } from './make-repository.ts';
import { isReferenceLock, removeStaleLock } from './stale-locks.ts';

let gitDir: string;
let commit: string;
const git = (...args: string[]) => runGit(args, { GIT_DIR: gitDir });

before(async () => {
  gitDir = join(await mkdtemp(join(tmpdir(), 'guildhall-locks-')), 'main.git');
  await makeRepository(gitDir);
  await runGit(['hash-object', '-t', 'tree', '-w', '--stdin'], { GIT_DIR: gitDir }, { input: '' });
  commit = await git('commit-tree', EMPTY_TREE, '-m', 'A commit');
});
after(() => rm(join(gitDir, '..'), { recursive: true }));

/** A lock that a git has left so many seconds ago. */
async function locked(name: string, seconds: number): Promise<string> {
  const path = join(gitDir, name);
  await writeFile(path, '');
  const then = Date.now() / 1_000 - seconds;
  await utimes(path, then, then);
  return path;
}
const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

for (const name of ['refs/heads/work.lock', 'packed-refs.lock', 'HEAD.lock'])
  test(`a reference that a killed git has locked two minutes ago can be changed: ${name}`, async () => {
    await git('update-ref', 'refs/heads/work', commit);
    await git('pack-refs', '--all');
    const path = await locked(name, 121);
    if (name === 'HEAD.lock') await git('symbolic-ref', 'HEAD', 'refs/heads/work');
    else await git('update-ref', '-d', 'refs/heads/work');
    assert.equal(await isThere(path), false);
    assert.deepEqual(
      (await readdir(gitDir, { recursive: true })).filter((each) => each.endsWith('.lock')),
      [],
    );
  });

test('a lock that is younger stays, and so does the reference', async () => {
  await git('update-ref', 'refs/heads/kept', commit);
  const path = await locked('refs/heads/kept.lock', 100);
  await assert.rejects(git('update-ref', '-d', 'refs/heads/kept'), /File exists/);
  assert.equal(await isThere(path), true);
  assert.equal(await git('rev-parse', 'refs/heads/kept'), commit);
  await rm(path);
});

test('only locks of references are taken for such', () => {
  for (const name of ['HEAD.lock', 'packed-refs.lock', 'refs/heads/a/b.lock'])
    assert.equal(isReferenceLock(name), true, name);
  for (const name of [
    'index.lock',
    'config.lock',
    'shallow.lock',
    'gc.pid.lock',
    'refs/heads/a',
    'refs/heads/a.lock.lock',
    'refs/../../other/HEAD.lock',
    '../other.git/HEAD.lock',
  ])
    assert.equal(isReferenceLock(name), false, name);
});

test('a link in the place of a lock goes, and not what it leads to', async () => {
  const other = await locked('kept-file', 600);
  const link = join(gitDir, 'refs/heads/linked.lock');
  await symlink(other, link);
  assert.equal(await removeStaleLock(link), false, 'the link itself is new');
  const then = Date.now() / 1_000 - 121;
  await lutimes(link, then, then);
  assert.equal(await removeStaleLock(link), true);
  assert.deepEqual([await isThere(link), await isThere(other)], [false, true]);
});

test('race: of many who remove one lock, one does, and none removes the lock that follows it', async () => {
  for (let round = 0; round < 20; round++) {
    const path = await locked('refs/heads/raced.lock', 300);
    let removed = 0;
    const remove = async () => {
      if (!(await removeStaleLock(path))) return;
      removed += 1;
      // The next git takes the reference at once.
      await writeFile(path, 'taken', { flag: 'wx' });
    };
    await Promise.all(Array.from({ length: 20 }, remove));
    assert.equal(removed, 1);
    assert.equal(await readFile(path, 'utf8'), 'taken');
    await rm(path);
  }
});

test('race: of ten who meet one stale lock at once, some succeed, the others may try again, and no reference breaks', async () => {
  const names = Array.from({ length: 10 }, (_, i) => `refs/heads/many-${i}`);
  for (const name of names) await git('update-ref', name, commit);
  await git('pack-refs', '--all');
  await locked('packed-refs.lock', 300);
  const results = await Promise.allSettled(names.map((name) => git('update-ref', '-d', name)));
  // Whoever came while another one removed the lock is told that it is locked, as ever.
  for (const result of results)
    if (result.status === 'rejected') assert.match(String(result.reason), /File exists/);
  assert.ok(results.some(({ status }) => status === 'fulfilled'));
  for (const name of names) await git('update-ref', '-d', name);
  assert.equal(await git('for-each-ref', 'refs/heads/many-*'), '');
});
