import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openRepositories } from './repository.ts';

/** Commits of a work tree whose index is kept beside it, each of which must have what is there. */

async function makePlace(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-kept-'));
  t.after(() => rm(directory, { recursive: true }));
  const repositories = openRepositories(join(directory, 'repositories'));
  const beside = join(directory, 'pod');
  const workTree = join(beside, 'work');
  await mkdir(workTree, { recursive: true });
  const place = { projectId: randomUUID(), taskId: randomUUID(), workTree, beside };
  const gitDir = join(repositories.directory, place.projectId, 'main.git');
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', gitDir, ...args], { encoding: 'utf8' });
  await repositories.checkOut(place);
  let commits = 0;
  return {
    beside,
    gitDir,
    git,
    in: (path: string) => join(workTree, path),
    /** The id; what is left out is told to `told`. */
    commit: async (told?: string[]) => {
      commits += 1;
      const onLeftOut = (text: string) => void told?.push(text);
      return (await repositories.commit(place, `Commit ${commits}`, { onLeftOut }))?.id;
    },
    /** As if the index had been written so many seconds later, or earlier. */
    indexWritten: (seconds: number) => {
      const at = Date.now() / 1_000 + seconds;
      return utimes(join(beside, 'index'), at, at);
    },
  };
}

/** A time at which what the other tests do takes place long after the index was written. */
const laterOn = (t: TestContext) => {
  const now = Date.now;
  t.mock.method(Date, 'now', () => now() + 60_000);
};

const LONG_AGO = new Date('2026-11-28T08:00:00Z');

/** Writes a file, which was changed last long ago as far as that can be set. */
async function write(path: string, text: string) {
  await writeFile(path, text);
  await utimes(path, LONG_AGO, LONG_AGO);
}

test('what has not changed since the last commit is not read again', async (t) => {
  const at = await makePlace(t);
  const read = join(at.beside, 'read');
  at.git('config', 'filter.seen.clean', `sh -c 'echo "$1" >> ${read}; cat' - %f`);
  await appendFile(join(at.gitDir, 'info', 'attributes'), '* filter=seen\n');
  for (const name of ['a', 'b', 'c']) await write(at.in(name), `${name}\n`);
  await at.commit();
  await rm(read);
  // So the files are older.
  await at.indexWritten(3);
  laterOn(t);
  await writeFile(at.in('b'), 'changed\n');
  assert.equal(at.git('show', `${await at.commit()}:b`), 'changed\n');
  assert.equal(await readFile(read, 'utf8'), 'b\n');
  assert.deepEqual((await readdir(at.beside)).sort(), ['index', 'read', 'work']);
});

test('a change that keeps the size and the times of its file is committed', async (t) => {
  const at = await makePlace(t);
  laterOn(t);
  // It could be missed in the second of the last commit alone, so several are made.
  for (const text of ['aaaa', 'bbbb', 'cccc', 'dddd', 'eeee', 'ffff']) {
    await write(at.in('a.txt'), text);
    const id = await at.commit();
    assert.equal(id && at.git('show', `${id}:a.txt`), text);
  }
});

test('a file that changes just after git has read it is committed the next time, however long the rest took', async (t) => {
  const at = await makePlace(t);
  const filter = join(at.beside, 'filter');
  const a = at.in('a');
  // All of it in one second, with which git cannot tell one content of `a` from the other.
  await writeFile(
    filter,
    `cat
case "$1" in
  0) printf aaaa > '${a}' ;;
  a) printf bbbb > '${a}' ;;
  b) sleep 3 ;;
esac
`,
  );
  at.git('config', 'filter.slow.clean', `sh ${filter} %f`);
  await appendFile(join(at.gitDir, 'info', 'attributes'), '* filter=slow\n');
  for (const name of ['0', 'a', 'b']) await write(at.in(name), '0000');
  assert.equal(at.git('show', `${await at.commit()}:a`), 'aaaa');
  at.git('config', '--unset', 'filter.slow.clean');
  laterOn(t);
  assert.equal(at.git('show', `${await at.commit()}:a`), 'bbbb');
});

test('folders that take the place of each other are committed, with all that is the same of their files', async (t) => {
  const at = await makePlace(t);
  for (const name of ['a', 'b']) {
    await mkdir(at.in(name));
    await write(at.in(`${name}/file`), name);
  }
  await at.commit();
  await at.indexWritten(3);
  laterOn(t);
  await rename(at.in('a'), at.in('c'));
  await rename(at.in('b'), at.in('a'));
  await rename(at.in('c'), at.in('b'));
  const id = await at.commit();
  assert.deepEqual(
    ['a', 'b'].map((name) => id && at.git('show', `${id}:${name}/file`)),
    ['b', 'a'],
  );
});

test('other attributes are for all files, as if no index were kept', async (t) => {
  const at = await makePlace(t);
  await write(at.in('a.txt'), 'a\r\n');
  const before = await at.commit();
  await at.indexWritten(-10);
  await writeFile(at.in('.gitattributes'), '*.txt text\n');
  const changed = await at.commit();
  await at.indexWritten(-10);
  await rm(at.in('.gitattributes'));
  const removed = await at.commit();
  assert.deepEqual(
    [before, changed, removed].map((id) => at.git('show', `${id}:a.txt`)),
    ['a\r\n', 'a\n', 'a\r\n'],
  );
});

test('a file that cannot be encoded any more stays as it was committed', async (t) => {
  const at = await makePlace(t);
  await write(at.in('.gitattributes'), '*.txt working-tree-encoding=UTF-16LE\n');
  await writeFile(at.in('a.txt'), Buffer.from('aa', 'utf16le'));
  await at.commit();
  // So the attributes are older; what is written now is as old as the index.
  await at.indexWritten(3);
  laterOn(t);
  const told: string[] = [];
  await writeFile(at.in('b.txt'), Buffer.from('b', 'utf16le'));
  await writeFile(at.in('a.txt'), Buffer.from([0x00, 0xd8, 0x00, 0xd8]));
  const id = await at.commit(told);
  assert.equal(at.git('show', `${id}:a.txt`), 'aa');
  assert.equal(at.git('show', `${id}:b.txt`), 'b');
  assert.match(told.join('\n'), /a\.txt/);
});

test('a kept index that a crash has left half written is made anew', async (t) => {
  const at = await makePlace(t);
  for (const left of ['', 'DIRC half']) {
    await writeFile(join(at.beside, 'index'), left);
    await at.indexWritten(-10);
    await writeFile(at.in('a.txt'), `after ${left}`);
    assert.equal(at.git('show', `${await at.commit()}:a.txt`), `after ${left}`);
  }
  assert.deepEqual((await readdir(at.beside)).sort(), ['index', 'work']);
});

test('a commit that was made is told of where its index cannot be kept', async (t) => {
  const at = await makePlace(t);
  await rm(join(at.beside, 'index'));
  await mkdir(join(at.beside, 'index'));
  await writeFile(at.in('a.txt'), 'a');
  assert.equal(at.git('show', `${await at.commit()}:a.txt`), 'a');
  assert.deepEqual((await readdir(at.beside)).sort(), ['index', 'work']);
});

test('a kept index that is a link is not used, and what it leads to stays as it is', async (t) => {
  const at = await makePlace(t);
  const other = join(at.beside, 'other');
  await rename(join(at.beside, 'index'), other);
  await symlink(other, join(at.beside, 'index'));
  const before = await readFile(other);
  laterOn(t);
  await writeFile(at.in('a.txt'), 'a');
  assert.equal(at.git('show', `${await at.commit()}:a.txt`), 'a');
  assert.deepEqual(await readFile(other), before);
});
