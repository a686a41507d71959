import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gitDirOf, refOf } from '../../code/repositories/git.ts';
import { WALK } from '../../platform/pods/tree/walk-tree.ts';
import { until } from '../../testing/harness/until.ts';
import { COMMIT_BOUNDS, type CommitBounds, checkRules } from './commit-bounds.ts';
import { openRepositories } from './repository.ts';

/** Work trees that hold more than a commit may. The large files have no content on the disk. */

const directory = await mkdtemp(join(tmpdir(), 'guildhall-commit-bounds-'));
after(() => rm(directory, { recursive: true }));
const MiB = 1024 ** 2;

async function begin(bounds?: CommitBounds) {
  const place = {
    projectId: randomUUID(),
    taskId: randomUUID(),
    workTree: await mkdtemp(join(directory, 'tree-')),
  };
  const repositories = openRepositories(join(directory, 'repositories'), bounds ? { bounds } : {});
  await repositories.checkOut(place);
  const told: string[] = [];
  const commit = () =>
    repositories.commit(place, 'Work', { onLeftOut: (text) => void told.push(text) });
  const write = (path: string, content = 'content') =>
    writeFile(join(place.workTree, path), content);
  const enlarge = async (path: string, bytes: number) => {
    await writeFile(join(place.workTree, path), '', { flag: 'a' });
    await truncate(join(place.workTree, path), bytes);
  };
  const gitDir = gitDirOf(join(directory, 'repositories'), place.projectId);
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', gitDir, ...args], { encoding: 'utf8' }).trim();
  const branch = () => git('for-each-ref', refOf(place.taskId));
  const names = () => git('ls-tree', '-r', '--name-only', refOf(place.taskId)).split('\n');
  const isLocked = () => readdirSync(gitDir).some((name) => /index-.*\.lock$/.test(name));
  return { ...place, gitDir, told, commit, write, enlarge, git, branch, names, isLocked };
}

const AUTHOR = ['-c', 'user.name=A', '-c', 'user.email=a@localhost'];

/** Puts a commit on the branch of the task that gives its file `a` another name, too. */
function push({ gitDir, workTree, taskId }: Awaited<ReturnType<typeof begin>>, path: string) {
  const env = { ...process.env, GIT_INDEX_FILE: join(workTree, '../pushed-index') };
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', gitDir, ...AUTHOR, ...args], { encoding: 'utf8', env }).trim();
  git('read-tree', refOf(taskId));
  const blob = git('rev-parse', `${refOf(taskId)}:a`);
  git('update-index', '--add', '--cacheinfo', `100644,${blob},${path}`);
  const parent = ['-p', refOf(taskId)];
  const commit = git('commit-tree', git('write-tree'), ...parent, '-m', 'Pushed');
  git('update-ref', refOf(taskId), commit);
}

/** Folders in one another, each with a file. */
const DEEP = `
  mkdir "$1" && cd "$1"
  for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22; do
    mkdir "$2" && cd -P "./$2" && echo content > f && echo content > "$2"
  done`.replace('> "$2"', '> "long-$2"');

test('a file that is too large is left out and named; the rest is committed', async () => {
  const one = await begin();
  await one.write('grows', 'first');
  await one.commit();
  assert.deepEqual(one.told, []);

  await one.write('code', 'code');
  await one.enlarge('grows', 6 * 1024 * MiB);
  await mkdir(join(one.workTree, 'data'));
  await one.enlarge('data/änew.bin', COMMIT_BOUNDS.fileBytes + 1);
  await one.enlarge('largest', COMMIT_BOUNDS.fileBytes);
  const commit = await one.commit();
  assert.deepEqual(one.names(), ['code', 'grows', 'largest']);
  assert.equal(one.git('show', `${commit?.id}:grows`), 'first');
  const [said = ''] = one.told;
  assert.match(said, /a file may have at most 100 MiB/);
  assert.match(said, /^- grows: 6 GiB$/m);
  assert.match(said, /^- data\/änew\.bin: 101 MiB$/m);
  assert.match(said, /\.gitignore/);
  assert.ok(one.git('log', '-1', '--format=%B', commit?.id ?? '').includes(said));

  // It is said again for as long as it lasts, also when there is nothing to commit.
  assert.equal(await one.commit(), undefined);
  assert.equal(one.told.length, 2);
  await one.write('.gitignore', 'data\n');
  await rm(join(one.workTree, 'grows'));
  await one.commit();
  assert.equal(one.told.length, 2);
  assert.deepEqual(one.names(), ['.gitignore', 'code', 'largest']);
});

test('files that are too large together are refused before git reads one', async () => {
  const one = await begin();
  for (let n = 0; n < 10; n++) await one.enlarge(`file-${n}`, 100 * MiB);
  await one.enlarge('small', 25 * MiB);
  await assert.rejects(one.commit(), {
    message: /have 1025 MiB together, and a commit may have 1 GiB\. The largest is file-0: 100 MiB/,
  });
  assert.equal(one.branch(), '');
  assert.match(one.git('count-objects'), /^2 objects,/);
  await one.write('.gitignore', 'file-*\n');
  await one.commit();
  assert.deepEqual(one.names(), ['.gitignore', 'small']);
});

test('files whose names git refuses are named; the rest is committed', async () => {
  const one = await begin();
  for (const folder of ['.GIT', 'git~1', 'ok']) {
    await mkdir(join(one.workTree, folder));
    await one.write(`${folder}/notes`);
  }
  await one.commit();
  assert.deepEqual(one.names(), ['ok/notes']);
  const [said = ''] = one.told;
  assert.match(said, /^Some files were not committed: .*\.git/);
  assert.deepEqual(said.match(/^- .*$/gm), ['- .GIT/notes', '- git~1/notes']);
});

test('files that are not in the encoding of .gitattributes are named; the rest is committed', async () => {
  const one = await begin();
  await one.write('.gitattributes', '*.rc working-tree-encoding=UTF-16\n');
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
  await writeFile(join(one.workTree, 'good.rc'), utf16('good\n'));
  await writeFile(join(one.workTree, 'turns.rc'), utf16('before\n'));
  await one.commit();
  assert.deepEqual(one.told, []);
  assert.equal(one.git('show', `${refOf(one.taskId)}:good.rc`), 'good');

  await one.write('code');
  await one.write('turns.rc', 'not in UTF-16');
  const odd = `it's\n'ä.bin`;
  await one.write(odd);
  await one.write(
    '.gitattributes',
    '*.rc working-tree-encoding=UTF-16\n*.bin working-tree-encoding=none\n',
  );
  const commit = await one.commit();
  assert.equal(one.git('show', `${commit?.id}:good.rc`), 'good');
  assert.equal(one.git('show', `${commit?.id}:turns.rc`), 'before');
  assert.deepEqual(one.names(), ['.gitattributes', 'code', 'good.rc', 'turns.rc']);
  const [said = ''] = one.told;
  assert.match(said, /^Some files were not committed: .*working-tree-encoding\./);
  assert.deepEqual(said.match(/^- .*$/gm), ['- turns.rc', `- it's\u{fffd}'ä.bin`]);
  assert.ok(one.git('log', '-1', '--format=%B', commit?.id ?? '').includes(said));

  // Who begins with it can work.
  const workTree = await mkdtemp(join(directory, 'tree-'));
  await openRepositories(join(directory, 'repositories')).checkOut({ ...one, workTree });
  assert.deepEqual(await readFile(join(workTree, 'turns.rc')).then((found) => found.length), 16);
});

test('a file that was pushed in an encoding that git does not know is told of only once it is changed', async () => {
  const one = await begin();
  await one.write('a', 'as it was pushed\n');
  await one.write('.gitattributes', 'odd-* working-tree-encoding=none\n');
  await one.commit();
  push(one, 'odd-file');
  const workTree = await mkdtemp(join(directory, 'tree-'));
  const repositories = openRepositories(join(directory, 'repositories'));
  const place = { projectId: one.projectId, taskId: one.taskId, workTree };
  await repositories.checkOut(place);
  assert.equal(await readFile(join(workTree, 'odd-file'), 'utf8'), 'as it was pushed\n');
  const told: string[] = [];
  const commit = () =>
    repositories.commit(place, 'Work', { onLeftOut: (text) => void told.push(text) });
  for (const content of ['one', 'two']) {
    await writeFile(join(workTree, 'code'), content);
    const { id = '' } = (await commit()) ?? {};
    assert.equal(one.git('show', `${id}:odd-file`), 'as it was pushed');
    assert.equal(one.git('show', `${id}:code`), content);
  }
  assert.deepEqual(told, []);
  await writeFile(join(workTree, 'odd-file'), 'as it is now\n');
  await writeFile(join(workTree, 'code'), 'three');
  const { id = '' } = (await commit()) ?? {};
  assert.equal(one.git('show', `${id}:odd-file`), 'as it was pushed');
  assert.deepEqual(told.join().match(/^- .*$/gm), ['- odd-file']);
});

test('more than twenty files without their encoding are refused, and what to do is said', async () => {
  const one = await begin();
  await one.write('a');
  await one.commit();
  const before = one.branch();
  for (let n = 10; n < 31; n++) await one.write(`${n}.rc`);
  await one.write('.gitattributes', '*.rc working-tree-encoding=none\n');
  await assert.rejects(one.commit(), {
    name: 'Error',
    message:
      /^More than 20 files, such as 30\.rc, .*Nothing was committed.*correct \.gitattributes/,
  });
  assert.equal(one.branch(), before);
});

test('an encoding without a name is refused with a reason, also where it was pushed', async () => {
  const one = await begin();
  await one.write('a');
  await one.write('.gitattributes', '*.rc working-tree-encoding\n');
  await one.commit();
  const before = one.branch();
  const refusal = {
    name: 'Error',
    message: /^A file \.gitattributes has working-tree-encoding without .*correct it, or push/,
  };
  await one.write('b.rc');
  await assert.rejects(one.commit(), refusal);
  assert.equal(one.branch(), before);
  push(one, 'b.rc');
  const workTree = await mkdtemp(join(directory, 'tree-'));
  const repositories = openRepositories(join(directory, 'repositories'));
  const { projectId, taskId } = one;
  await assert.rejects(repositories.checkOut({ projectId, taskId, workTree }), refusal);
});

test('files whose paths are too long are named, unless ignored; the rest is committed', async () => {
  const one = await begin();
  const deep = (top: string) =>
    // No single path leads to the last of them.
    execFileSync('sh', ['-c', DEEP, 'sh', top, 'd'.repeat(200)], { cwd: one.workTree });
  deep('a');
  deep('ignored');
  await one.write('.gitignore', 'ignored\n');
  await one.commit();
  const names = one.names();
  assert.equal(names[0], '.gitignore');
  assert.ok(names.includes(`a/${'d'.repeat(200)}/f`), names.join());
  assert.equal(names.filter((name) => name.startsWith('ignored')).length, 0);
  const [said = '', ...others] = one.told;
  assert.deepEqual(others, []);
  assert.match(said, /^Some files were not committed: .*their paths are too long/);
  const lines = said.match(/^- .*$/gm) ?? [];
  assert.ok(lines.length > 0 && lines.every((line) => line.startsWith('- a/ddd')), said);
  const told = one.told.length;
  assert.equal(await one.commit(), undefined, 'what was committed stays');
  assert.equal(one.told.length, told + 1);
  // Node.js cannot remove what is so deep.
  execFileSync('rm', ['-r', 'a', 'ignored'], { cwd: one.workTree });
});

test('a committed file whose path has become too long stays as it was', async () => {
  const one = await begin();
  await one.write('a');
  await one.commit();
  // Git goes by its path in the work tree, which is shorter than that from the root.
  const long = `${`${'d'.repeat(200)}/`.repeat(20)}${'f'.repeat(60)}`;
  push(one, long);
  const workTree = await mkdtemp(join(directory, 'tree-'));
  const repositories = openRepositories(join(directory, 'repositories'));
  const place = { projectId: one.projectId, taskId: one.taskId, workTree };
  await repositories.checkOut(place);
  await writeFile(join(workTree, 'b'), 'b');
  const told: string[] = [];
  await repositories.commit(place, 'Work', { onLeftOut: (text) => void told.push(text) });
  assert.deepEqual(one.names(), ['a', 'b', long]);
  assert.equal(told.length, 1);
  assert.match(told[0] ?? '', /^- ddd.*\nWhat was committed of them before stays as it was/m);
  execFileSync('rm', ['-r', 'd'.repeat(200)], { cwd: workTree });
});

test('too many files are refused, and where most of them are is said', async () => {
  const one = await begin({ ...COMMIT_BOUNDS, files: 6 });
  await mkdir(join(one.workTree, 'many'));
  for (let n = 0; n < 4; n++) await one.write(`many/${n}`);
  await one.write('a');
  await one.commit();
  const before = one.branch();
  await one.write('b');
  await one.write('many/4');
  await assert.rejects(one.commit(), {
    name: 'Error',
    message: /more than the 6 files that a commit may have\. Of them, 5 are in many\/.*\.gitignore/,
  });
  assert.equal(one.branch(), before);
  // One that goes makes room.
  await rm(join(one.workTree, 'a'));
  await one.commit();
  assert.equal(one.names().length, 6);
});

test('rules that git would read into its memory, or wait for, are refused', async () => {
  const one = await begin();
  await mkdir(join(one.workTree, 'sub'));
  await one.enlarge('sub/.gitignore', 8 * 1024 * MiB);
  await assert.rejects(one.commit(), {
    message:
      /^sub\/\.gitignore must be a file of at most 1 MiB, and has 8 GiB\. .* correct or delete/,
  });
  await rm(join(one.workTree, 'sub/.gitignore'));
  execFileSync('mkfifo', [join(one.workTree, '.gitattributes')]);
  await assert.rejects(one.commit(), {
    message: /^\.gitattributes must be a file of at most 1 MiB/,
  });
  assert.equal(one.branch(), '');
  await rm(join(one.workTree, '.gitattributes'));
  await one.write('.gitignore', 'x\n');
  await one.commit();
  assert.deepEqual(one.names(), ['.gitignore']);
});

test('a pipe in a repository within the work tree, which git would wait for, is refused', async () => {
  const one = await begin();
  await one.write('a');
  await mkdir(join(one.workTree, 'sub/.git'), { recursive: true });
  execFileSync('mkfifo', [join(one.workTree, 'sub/.git/HEAD')]);
  await assert.rejects(one.commit(), {
    message: /^sub\/\.git\/HEAD is a pipe, .*Nothing was committed.* Let the agent delete it\.$/,
  });
  assert.equal(one.branch(), '');
  await rm(join(one.workTree, 'sub/.git/HEAD'));
  await one.commit();
  assert.deepEqual(one.names(), ['a']);
});

test('a tree that has no end is not looked through to its end', async () => {
  const one = await begin();
  for (const name of ['a', 'b', 'c']) await one.write(name);
  await checkRules(one.workTree, { bounds: { ...WALK, maxEntries: 3 } });
  await assert.rejects(checkRules(one.workTree, { bounds: { ...WALK, maxEntries: 2 } }), {
    message: /^The work tree has more than 2 files.*let the agent delete.*Nothing was committed/,
  });
  await assert.rejects(checkRules(one.workTree, { bounds: { ...WALK, within: 0 } }), {
    message: /within 0 s/,
  });
});

test('a pipe in place of a committed file is as if the file were gone', async () => {
  const one = await begin();
  await one.write('a');
  await one.write('b');
  await one.commit();
  await rm(join(one.workTree, 'a'));
  execFileSync('mkfifo', [join(one.workTree, 'a')]);
  await one.commit();
  assert.deepEqual(one.names(), ['b']);
});

test('git that is stopped while it adds files leaves nothing in the way of the next commit', async () => {
  const one = await begin();
  for (let n = 0; n < 10; n++) {
    await one.write(`file-${n}`, `${n}`);
    await one.enlarge(`file-${n}`, 100 * MiB);
  }
  const stop = new AbortController();
  const repositories = openRepositories(join(directory, 'repositories'));
  const { projectId, taskId, workTree } = one;
  const { signal } = stop;
  const stopped = repositories.commit({ projectId, taskId, workTree }, 'Work', { signal });
  const refused = assert.rejects(stopped, { name: 'AbortError' });
  // Those of the repository's first commit are there already.
  const objects = () => Number.parseInt(one.git('count-objects'), 10);
  await until('git adds files', () => one.isLocked() && objects() > 2);
  stop.abort();
  await refused;
  await until('git has ended', () => !one.isLocked());
  assert.equal(one.branch(), '');
  for (let n = 0; n < 10; n++) await rm(join(workTree, `file-${n}`));
  await one.write('a');
  await one.commit();
  assert.deepEqual(one.names(), ['a']);
});

test('a lock that a killed worker has left is in the way of no commit', async (t) => {
  const one = await begin();
  for (let n = 0; n < 10; n++) {
    await one.write(`file-${n}`, `${n}`);
    await one.enlarge(`file-${n}`, 100 * MiB);
  }
  const { projectId, taskId, workTree } = one;
  const script = `
    import { openRepositories } from ${JSON.stringify(join(import.meta.dirname, 'repository.ts'))};
    await openRepositories(${JSON.stringify(join(directory, 'repositories'))})
      .commit(${JSON.stringify({ projectId, taskId, workTree })}, 'Work');`;
  const worker = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    detached: true,
    stdio: 'inherit',
  });
  // With every process that it has started, as where a container is killed.
  const kill = () => worker.pid && process.kill(-worker.pid, 'SIGKILL');
  t.after(() => worker.exitCode ?? worker.signalCode ?? kill());
  const objects = () => Number.parseInt(one.git('count-objects'), 10);
  await until('git adds files', () => one.isLocked() && objects() > 2);
  kill();
  await once(worker, 'exit');
  assert.equal(one.isLocked(), true);
  for (let n = 0; n < 10; n++) await rm(join(workTree, `file-${n}`));
  await one.write('a');
  await one.commit();
  assert.deepEqual(one.names(), ['a']);
});
