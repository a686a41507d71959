import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { branchOf, RepositoryError } from '../../code/repositories/git.ts';
import { checkRepositories } from '../../code/repositories/repository-folder.ts';
import { until } from '../../testing/harness/until.ts';
import { openRepositories } from './repository.ts';

const directory = await mkdtemp(join(tmpdir(), 'guildhall-repositories-'));
after(() => rm(directory, { recursive: true }));
const repositories = openRepositories(join(directory, 'repositories'));

async function place(projectId: string = randomUUID(), taskId: string = randomUUID()) {
  const workTree = await mkdtemp(join(directory, 'tree-'));
  return { projectId, taskId, workTree };
}

const git = (projectId: string, ...args: string[]) =>
  execFileSync('git', ['-C', join(directory, 'repositories', projectId, 'main.git'), ...args], {
    encoding: 'utf8',
  }).trim();

test('work is committed to the branch of its task, and a new work tree begins with it', async () => {
  const first = await place();
  await repositories.checkOut(first);
  assert.deepEqual(await readdir(first.workTree), []);
  assert.equal(await repositories.commit(first, 'Nothing'), undefined);

  await mkdir(join(first.workTree, 'src'));
  await writeFile(join(first.workTree, 'src/a.py'), 'a = 1\n');
  const commit = await repositories.commit(first, 'Add a');
  assert.equal(commit?.branch, branchOf(first.taskId));
  assert.equal(git(first.projectId, 'log', '--format=%s', commit?.branch ?? ''), 'Add a\nBegin');

  const again = await place(first.projectId, first.taskId);
  await repositories.checkOut(again);
  assert.equal(await readFile(join(again.workTree, 'src/a.py'), 'utf8'), 'a = 1\n');
  await rm(join(again.workTree, 'src/a.py'));
  await repositories.commit(again, 'Remove a');
  assert.equal(git(first.projectId, 'ls-tree', '-r', '--name-only', branchOf(first.taskId)), '');

  const other = await place(first.projectId);
  await repositories.checkOut(other);
  assert.deepEqual(await readdir(other.workTree), []);
});

test('a checkout that is stopped ends its git, and is made by the next', async () => {
  const first = await place();
  await repositories.checkOut(first);
  await writeFile(join(first.workTree, '.gitattributes'), '*.py filter=slow\n');
  await writeFile(join(first.workTree, 'a.py'), 'a = 1\n');
  await repositories.commit(first, 'Add a');
  // It takes for as long as git is there.
  const begun = join(directory, 'begun');
  const slow = `touch ${begun}; while kill -0 $PPID; do sleep 0.1; done`;
  git(first.projectId, 'config', 'filter.slow.smudge', slow);
  const stopped = await place(first.projectId, first.taskId);
  const stop = new AbortController();
  const checkout = repositories.checkOut(stopped, stop.signal);
  await until('git writes', () => existsSync(begun));
  stop.abort();
  await assert.rejects(checkout, { name: 'AbortError' });
  git(first.projectId, 'config', '--remove-section', 'filter.slow');
  await repositories.checkOut(stopped);
  assert.equal(await readFile(join(stopped.workTree, 'a.py'), 'utf8'), 'a = 1\n');
});

test('an index that a crash has left half written is made anew', async () => {
  const at = await place();
  await repositories.checkOut(at);
  const index = join(repositories.directory, at.projectId, 'main.git', `index-${at.taskId}`);
  for (const left of ['', 'DIRC half']) {
    await writeFile(index, left);
    await writeFile(join(at.workTree, 'a.txt'), `after ${left}`);
    const commit = await repositories.commit(at, 'Add a');
    assert.equal(git(at.projectId, 'show', `${commit?.id}:a.txt`), `after ${left}`.trim());
    git(at.projectId, 'update-ref', `refs/heads/${commit?.branch}`, (await pushed(at)) ?? '');
    await writeFile(index, left);
    assert.match((await repositories.refresh(at)) ?? '', /has changed the branch/);
  }
});

test('a change that keeps the size and the times of its file is committed', async () => {
  const at = await place();
  await repositories.checkOut(at);
  const file = join(at.workTree, 'a.txt');
  const then = new Date('2026-11-28T08:00:00Z');
  // As it would be missed in the second of the last commit alone, several are made.
  for (const text of ['aaaa', 'bbbb', 'cccc', 'dddd', 'eeee', 'ffff']) {
    await writeFile(file, text);
    await utimes(file, then, then);
    const commit = await repositories.commit(at, 'Change a');
    assert.equal(commit && git(at.projectId, 'show', `${commit.id}:a.txt`), text);
  }
});

test('work is committed while the default branch is gone', async () => {
  const at = await place();
  await repositories.checkOut(at);
  git(at.projectId, 'update-ref', '-d', 'refs/heads/main');
  assert.equal(await repositories.isBehind(at), false);
  await writeFile(join(at.workTree, 'a.txt'), 'a');
  const told: string[] = [];
  const onMerge = (text: string) => told.push(text);
  const commit = await repositories.commit(at, 'Add a', { onMerge });
  assert.deepEqual([commit?.branch, told], [branchOf(at.taskId), []]);
});

/** A commit that someone adds to the branch of a task. */
async function pushed({ projectId, taskId }: { projectId: string; taskId: string }) {
  const branch = branchOf(taskId);
  const who = ['-c', 'user.name=x', '-c', 'user.email=x@x'];
  return git(projectId, ...who, 'commit-tree', `${branch}^{tree}`, '-p', branch, '-m', 'Pushed');
}

test('only the server reads the folder, also one that an earlier version has made', async () => {
  const old = join(directory, 'old');
  await mkdir(old, { mode: 0o755 });
  for (const folder of [old, join(directory, 'new/repositories')]) {
    await checkRepositories(folder);
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
  }
  // Users of pods pass through the folder above.
  assert.equal((await stat(join(directory, 'new'))).mode & 0o111, 0o111);
});

const notRoot = process.getuid?.() !== 0 && 'only root can give a folder to another user';
test('a folder of another user keeps its mode', { skip: notRoot }, async () => {
  const folder = join(directory, 'of-another-user');
  await mkdir(folder);
  await chmod(folder, 0o2775);
  await chown(folder, 12_345, 12_345);
  await checkRepositories(folder);
  assert.equal((await stat(folder)).mode & 0o7777, 0o2775);
});

test('where the folder is not the one of the tasks any more, no repository is made', async () => {
  const lost = join(directory, 'lost/repositories');
  const gone = new RepositoryError('The folder is gone.');
  const there = openRepositories(lost, { requireFolder: () => Promise.reject(gone) });
  const one = await place();
  for (const work of [
    () => there.checkOut(one),
    () => there.headOf(one),
    () => there.isBehind(one),
    () => there.refresh(one),
    () => there.commit(one, 'Add a'),
  ])
    await assert.rejects(work, gone);
  await assert.rejects(stat(join(directory, 'lost')), { code: 'ENOENT' });
});

test('race: a repository that several tasks need at once is made once', async () => {
  const projectId = randomUUID();
  const places = await Promise.all(Array.from({ length: 6 }, () => place(projectId)));
  await Promise.all(places.map((one) => repositories.checkOut(one)));
  assert.deepEqual(await readdir(join(directory, 'repositories', projectId)), ['main.git']);
});

test('nothing in a work tree makes git run a program or follow a link', async () => {
  const one = await place();
  await repositories.checkOut(one);
  const hit = join(directory, 'hit');
  const script = `#!/bin/sh\ntouch ${hit}\n`;
  await mkdir(join(one.workTree, '.git/hooks'), { recursive: true });
  await writeFile(join(one.workTree, '.git/config'), `[core]\n\tfsmonitor = touch ${hit}\n`);
  await writeFile(join(one.workTree, '.git/hooks/pre-commit'), script, { mode: 0o755 });
  await writeFile(join(one.workTree, '.gitattributes'), '* filter=evil\n');
  await writeFile(join(directory, 'secret'), 'a secret');
  await symlink(join(directory, 'secret'), join(one.workTree, 'link'));
  const commit = await repositories.commit(one, 'Evil');
  await assert.rejects(readFile(hit));
  const names = git(one.projectId, 'ls-tree', '-r', '--name-only', commit?.id ?? '');
  assert.equal(names, '.gitattributes\nlink');
  assert.equal(
    git(one.projectId, 'show', `${commit?.id}:link`),
    join(directory, 'secret'),
    'the link itself, not what it leads to',
  );
});

test('a repository within the work tree makes git run nothing; its files are committed, and its history is not', async () => {
  const one = await place();
  await repositories.checkOut(one);
  const hit = join(directory, 'hit-by-nested');
  const nested = join(one.workTree, 'nested');
  const inNested = (...args: string[]) =>
    execFileSync('git', ['-C', nested, '-c', 'user.name=a', '-c', 'user.email=a@a', ...args]);
  await mkdir(nested);
  inNested('init', '--quiet');
  inNested('commit', '--quiet', '--allow-empty', '--message', 'Nested');
  inNested('config', 'core.fsmonitor', `touch ${hit}; false`);
  await mkdir(join(nested, 'ä/deep'), { recursive: true });
  inNested('init', '--quiet', 'ä/deep');
  await writeFile(join(nested, '.gitignore'), 'ignored\n');
  await writeFile(join(nested, 'ignored'), '');
  const told: string[] = [];
  for (const round of ['first', 'second', 'third']) {
    await writeFile(join(one.workTree, round), round);
    await writeFile(join(nested, round), round);
    await writeFile(join(nested, 'ä/deep', round), round);
    await repositories.commit(one, round, { onLeftOut: (text) => void told.push(text) });
    await assert.rejects(readFile(hit), { code: 'ENOENT' });
  }
  assert.equal(
    git(
      one.projectId,
      '-c',
      'core.quotePath=false',
      'ls-tree',
      '-r',
      '--name-only',
      branchOf(one.taskId),
    ),
    [
      'first',
      'nested/.gitignore',
      'nested/first',
      'nested/second',
      'nested/third',
      'nested/ä/deep/first',
      'nested/ä/deep/second',
      'nested/ä/deep/third',
      'second',
      'third',
    ].join('\n'),
  );
  assert.deepEqual(told, [
    'Some folders have a Git repository of their own. Their files are committed; the history in ' +
      'their folder .git is only in the pod, and is lost with it.\n- nested/\n- nested/ä/deep/',
  ]);
  // A branch that has such a link already, as one that git itself has committed.
  const commit = inNested('rev-parse', 'HEAD').toString().trim();
  const branch = branchOf(one.taskId);
  const index = { ...process.env, GIT_INDEX_FILE: join(directory, 'index-by-hand') };
  const bare = join(directory, 'repositories', one.projectId, 'main.git');
  const byHand = (...args: string[]) =>
    execFileSync('git', ['-C', bare, '-c', 'user.name=a', '-c', 'user.email=a@a', ...args], {
      env: index,
      encoding: 'utf8',
    }).trim();
  byHand('read-tree', branch);
  byHand('update-index', '--add', '--replace', '--cacheinfo', `160000,${commit},nested`);
  const tree = byHand('write-tree');
  byHand(
    'update-ref',
    `refs/heads/${branch}`,
    byHand('commit-tree', tree, '-p', branch, '-m', 'Link'),
  );
  await writeFile(join(one.workTree, 'fourth'), 'fourth');
  await repositories.commit(one, 'fourth');
  await assert.rejects(readFile(hit), { code: 'ENOENT' });
  assert.equal(
    git(one.projectId, 'ls-tree', '-r', '--name-only', branch),
    'first\nfourth\nnested\nsecond\nthird',
  );
});

test('changes of every kind are committed', async () => {
  const one = await place();
  await repositories.checkOut(one);
  await writeFile(join(one.workTree, 'file'), '1');
  await mkdir(join(one.workTree, 'folder'));
  await writeFile(join(one.workTree, 'folder/inside'), '1');
  await mkdir(join(one.workTree, 'moved'));
  await writeFile(join(one.workTree, 'moved/same'), '1');
  await writeFile(join(one.workTree, 'mode'), '1');
  await writeFile(join(one.workTree, '.gitignore'), 'ignored\n');
  const odd = Buffer.concat([Buffer.from(`${one.workTree}/ä\n`), Buffer.from([0xff])]);
  await writeFile(odd, '1');
  await writeFile(join(one.workTree, 'ignored'), '1');
  await repositories.commit(one, 'One');
  await rm(join(one.workTree, 'file'));
  await mkdir(join(one.workTree, 'file'));
  await writeFile(join(one.workTree, 'file/now'), '2');
  await rm(join(one.workTree, 'folder'), { recursive: true });
  await symlink('file', join(one.workTree, 'folder'));
  await chmod(join(one.workTree, 'mode'), 0o755);
  await rm(odd);
  // A link to a folder with the same names has replaced a folder.
  await rename(join(one.workTree, 'moved'), join(one.workTree, 'elsewhere'));
  await symlink('elsewhere', join(one.workTree, 'moved'));
  const commit = await repositories.commit(one, 'Two');
  const listed = git(
    one.projectId,
    'ls-tree',
    '-r',
    '--format=%(objectmode) %(path)',
    commit?.id ?? '',
  );
  assert.equal(
    listed,
    [
      '100644 .gitignore',
      '100644 elsewhere/same',
      '100644 file/now',
      '120000 folder',
      '100755 mode',
      '120000 moved',
    ].join('\n'),
  );
});
