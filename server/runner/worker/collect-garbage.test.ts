import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gitDirOf } from '../../code/repositories/git.ts';
import { makeRepository } from '../../code/repositories/make-repository.ts';
import { folder, git, gitWith } from '../../testing/fixtures/code/git-client.ts';
import { collectGarbage } from './collect-garbage.ts';
import { workRefOf } from './task-branch.ts';

const directory = await folder();
after(() => rm(directory, { recursive: true, force: true }));

/** A repository with more loose objects than it should have. */
async function untidy(name: string) {
  const gitDir = gitDirOf(directory, randomUUID(), name);
  await makeRepository(gitDir);
  const texts = Array.from(
    { length: 4_000 },
    (_, i) => `blob\ndata 8\n${String(i).padStart(8, '0')}\n`,
  );
  // As a pack, then in files of their own.
  await gitWith(
    gitDir,
    texts.join(''),
    '-c',
    'fastimport.unpackLimit=5000',
    'fast-import',
    '--quiet',
  );
  const tree = await gitWith(gitDir, '', 'mktree');
  const commit = await git(gitDir, 'commit-tree', tree, '-p', 'main', '-m', 'Work');
  await git(gitDir, 'update-ref', workRefOf(randomUUID()), commit);
  return { gitDir, commit };
}

const loose = async (gitDir: string) =>
  Number(/^count: (\d+)$/m.exec(await git(gitDir, 'count-objects', '-v'))?.[1]);

/** The names of its packs, without their extensions. */
const packsOf = async (gitDir: string) =>
  (await readdir(join(gitDir, 'objects/pack')))
    .filter((name) => name.endsWith('.pack'))
    .map((name) => name.slice(0, -'.pack'.length));

const collect = async () => {
  const failures: unknown[] = [];
  await collectGarbage(directory, new AbortController().signal, (_, error) => failures.push(error));
  assert.deepEqual(failures.map(String), []);
};

test('many objects become a pack, in every repository of a project; what is in use stays', async () => {
  const { gitDir, commit } = await untidy('second');
  assert.ok((await loose(gitDir)) > 3_000);
  await collect();
  assert.equal(await loose(gitDir), 0);
  const packs = await packsOf(gitDir);
  assert.equal(packs.length, 2);
  assert.equal(await git(gitDir, 'cat-file', '-t', commit), 'commit');
  await collect();
  assert.deepEqual(await packsOf(gitDir), packs);
});

test('what nothing leads to stays for two weeks', async () => {
  const { gitDir } = await untidy('third');
  const blob = async (text: string) =>
    (await gitWith(gitDir, text, 'hash-object', '-w', '--stdin')).trim();
  const [old, recent] = [await blob('old'), await blob('recent')];
  const past = new Date(Date.now() - 15 * 86_400_000);
  await utimes(join(gitDir, 'objects', old.slice(0, 2), old.slice(2)), past, past);
  await collect();
  assert.equal(await git(gitDir, 'cat-file', '-t', recent), 'blob');
  await assert.rejects(git(gitDir, 'cat-file', '-t', old), /could not get object info/);
});

test('one that another worker packs, or begins to, is left alone; a lock that is left over is reported', async () => {
  const { gitDir } = await untidy('main');
  await writeFile(join(gitDir, 'gc.pid'), `${process.pid} ${hostname()}\n`);
  await collect();
  assert.deepEqual(await readdir(join(gitDir, 'objects/pack')), []);
  await rm(join(gitDir, 'gc.pid'));
  const lock = join(gitDir, 'gc.pid.lock');
  await writeFile(lock, '');
  await collect();
  await utimes(lock, new Date(0), new Date(0));
  await assert.rejects(collect(), /gc\.pid\.lock': File exists/);
  await rm(lock);
  await Promise.all([collect(), collect()]);
  assert.notDeepEqual(await readdir(join(gitDir, 'objects/pack')), []);
  await assert.rejects(stat(join(gitDir, 'gc.pid')));
});

test('many references become one file, and lead to what they did; few stay as they are', async () => {
  const withReferences = async (count: number) => {
    const gitDir = gitDirOf(directory, randomUUID());
    await makeRepository(gitDir);
    const main = await git(gitDir, 'rev-parse', 'main');
    const lines = Array.from(
      { length: count },
      () => `create ${workRefOf(randomUUID())} ${main}\n`,
    );
    await gitWith(gitDir, lines.join(''), 'update-ref', '--stdin');
    const all = () => git(gitDir, 'for-each-ref');
    const files = async () => (await readdir(join(gitDir, 'refs/guildhall/work'))).length;
    return { gitDir, all, files, before: await all() };
  };
  const [many, few] = [await withReferences(150), await withReferences(50)];
  assert.deepEqual([await many.files(), await few.files()], [150, 50]);
  // Another git is changing references: nothing is packed.
  const lock = join(many.gitDir, 'packed-refs.lock');
  await writeFile(lock, '');
  await assert.rejects(collect(), /packed-refs\.lock': File exists/);
  assert.deepEqual([await many.files(), await many.all()], [150, many.before]);
  await rm(lock);
  await collect();
  assert.deepEqual([await many.all(), await few.all()], [many.before, few.before]);
  await assert.rejects(many.files(), { code: 'ENOENT' });
  assert.equal(await few.files(), 50);
});

test('a reference in more folders than a walk takes is packed', async () => {
  const gitDir = gitDirOf(directory, randomUUID());
  await makeRepository(gitDir);
  const ref = `refs/heads/${'a/'.repeat(300)}b`;
  await git(gitDir, 'update-ref', ref, 'main');
  await collect();
  assert.deepEqual(await readdir(join(gitDir, 'refs/heads')), []);
  assert.equal(await git(gitDir, 'rev-parse', ref), await git(gitDir, 'rev-parse', 'main'));
});

test('a worker that stops does not begin with another repository', async () => {
  const stopped = AbortSignal.abort();
  await collectGarbage(directory, stopped, () => assert.fail());
  await collectGarbage(join(directory, 'missing'), new AbortController().signal, () =>
    assert.fail(),
  );
});
