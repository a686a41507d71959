import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { branchOf, gitDirOf } from '../../code/repositories/git.ts';
import { folder, git, gitWith } from '../../testing/fixtures/code/git-client.ts';
import { openRepositories } from './repository.ts';
import { savedRefOf, workRefOf } from './task-branch.ts';

/** What people push to the branch of a task between its turns and while one is at work. */

const home = await folder();
const directory = join(home, 'repositories');
const repositories = openRepositories(directory);
after(() => rm(home, { recursive: true, force: true }));

/** A task with one commit, its work tree, and the clone of a person. */
async function begin() {
  const [projectId, taskId] = [randomUUID(), randomUUID()];
  const gitDir = gitDirOf(directory, projectId);
  const place = { projectId, taskId, workTree: join(home, taskId) };
  await mkdir(place.workTree);
  await repositories.checkOut(place);
  await write(place.workTree, { 'a.txt': 'one\ntwo\nthree\nfour\nfive\n', 'b.txt': 'b\n' });
  await repositories.commit(place, 'Turn 1', { turnId: '1' });
  const branch = branchOf(taskId);
  const mine = join(home, `${taskId}-mine`);
  await git(home, 'clone', '--branch', branch, gitDir, mine);
  const notices: string[] = [];
  const commit = (turnId = '2') =>
    repositories.commit(place, 'Turn 2', { turnId, onMerge: (text) => notices.push(text) });
  const push = async (files: Record<string, string | null>, ...options: string[]) => {
    await write(mine, files);
    await git(mine, 'add', '--all');
    await git(mine, 'commit', '--allow-empty', '-m', 'Pushed');
    await git(mine, 'push', ...options, 'origin', `HEAD:${branch}`);
  };
  const show = (what: string) => git(gitDir, 'show', what);
  const refs = (pattern: string) =>
    git(gitDir, 'for-each-ref', '--format=%(refname:short)', pattern);
  return { place, gitDir, branch, mine, notices, commit, push, show, refs };
}

async function write(tree: string, files: Record<string, string | null>) {
  for (const [name, text] of Object.entries(files))
    if (text === null) await rm(join(tree, name));
    else await writeFile(join(tree, name), text);
}

const read = (tree: string, name: string) => readFile(join(tree, name), 'utf8');

test('between turns: the work tree has what was pushed, and what was deleted is gone', async () => {
  const { place, commit, push, show, branch, notices } = await begin();
  assert.equal(await repositories.isBehind(place), false);
  assert.equal(await repositories.refresh(place), undefined);
  await push({ 'a.txt': 'pushed\n', 'b.txt': null, 'c.txt': 'c\n' });
  assert.equal(await repositories.isBehind(place), true);
  assert.match((await repositories.refresh(place)) ?? '', /^Someone has changed the branch task/);
  assert.deepEqual((await readdir(place.workTree)).sort(), ['a.txt', 'c.txt']);
  assert.equal(await read(place.workTree, 'a.txt'), 'pushed\n');
  assert.equal(await repositories.refresh(place), undefined);
  assert.equal(await commit(), undefined);
  await write(place.workTree, { 'd.txt': 'd\n' });
  await commit();
  assert.equal(await show(`${branch}:d.txt`), 'd');
  assert.deepEqual(notices, []);
});

test('between turns: no file is written that was not pushed', async () => {
  const { place, push } = await begin();
  const file = (name: string) => stat(join(place.workTree, name), { bigint: true });
  const [a, b] = [await file('a.txt'), await file('b.txt')];
  await push({ 'b.txt': 'pushed\n' });
  await repositories.refresh(place);
  const after = await file('a.txt');
  assert.deepEqual([after.ino, after.ctimeNs], [a.ino, a.ctimeNs]);
  assert.notEqual((await file('b.txt')).ctimeNs, b.ctimeNs);
});

test('between turns: files are written by the attributes that were pushed', async () => {
  const { place, mine, commit, show, branch } = await begin();
  const attributes = async (text: string) => {
    await write(mine, { '.gitattributes': text });
    // Nothing else: the other files of this clone are not as they should be any more.
    await git(mine, 'add', '.gitattributes');
    await git(mine, 'commit', '-m', 'Pushed');
    await git(mine, 'push', 'origin', `HEAD:${branch}`);
  };
  const b = () => readFile(join(place.workTree, 'b.txt'));
  const utf16 = Buffer.from('b\n', 'utf16le');
  for (const [text, bytes] of [
    ['*.txt text eol=crlf\n', Buffer.from('b\r\n')],
    ['*.txt -text\n', Buffer.from('b\n')],
    ['*.txt working-tree-encoding=UTF-16LE\n', utf16],
    // Git does not know this one, and writes what it has.
    ['*.txt working-tree-encoding=unknown\n', Buffer.from('b\n')],
    ['*.txt working-tree-encoding=UTF-16LE\n', utf16],
    ['\n', Buffer.from('b\n')],
  ] as const) {
    await attributes(text);
    await repositories.refresh(place);
    assert.deepEqual(await b(), bytes);
    assert.equal(await commit(), undefined);
  }
  assert.equal(await show(`${branch}:b.txt`), 'b');
});

test('between turns: files that are too large to be committed stay, unless they were pushed', async () => {
  const { place, push, commit } = await begin();
  const sizes = () =>
    Promise.all(LARGE.map(async (name) => (await stat(join(place.workTree, name))).size));
  await write(place.workTree, { 'new.bin': '' });
  for (const name of LARGE) await truncate(join(place.workTree, name), 101 * MiB);
  assert.equal(await commit(), undefined);
  await push({ 'c.txt': 'c\n' });
  await repositories.refresh(place);
  assert.equal(await read(place.workTree, 'c.txt'), 'c\n');
  assert.deepEqual(await sizes(), [101 * MiB, 101 * MiB]);
  await push({ 'a.txt': 'pushed\n' });
  await repositories.refresh(place);
  assert.equal(await read(place.workTree, 'a.txt'), 'pushed\n');
});

const MiB = 1024 ** 2;
/** One that was committed when it was small, and a new one. */
const LARGE = ['a.txt', 'new.bin'];

test('between turns: work that was not committed stays beside what was pushed', async () => {
  const { place, push, commit, show, branch, refs } = await begin();
  await write(place.workTree, { 'a.txt': 'one\ntwo\nthree\nfour\nFIVE\n', 'new.txt': 'new\n' });
  await push({ 'a.txt': 'ONE\ntwo\nthree\nfour\nfive\n' });
  assert.match((await repositories.refresh(place)) ?? '', /^Someone has changed/);
  assert.equal(await read(place.workTree, 'a.txt'), 'ONE\ntwo\nthree\nfour\nFIVE\n');
  assert.equal(await show(`${branch}:a.txt`), 'ONE\ntwo\nthree\nfour\nfive');
  await commit();
  assert.equal(await show(`${branch}:a.txt`), 'ONE\ntwo\nthree\nfour\nFIVE');
  assert.equal(await show(`${branch}:new.txt`), 'new');
  assert.equal(await refs('refs/heads/task/*-conflict-*'), '');
});

test('between turns: work that conflicts with what was pushed gets a branch of its own', async () => {
  const { place, push, show, branch, gitDir } = await begin();
  await write(place.workTree, { 'a.txt': 'agent\n', 'new.txt': 'new\n' });
  await push({ 'a.txt': 'person\n' });
  const notice = await repositories.refresh(place);
  assert.match(notice ?? '', /conflicts with what was done to the branch task\/\w+ \(a\.txt\)/);
  assert.equal(await read(place.workTree, 'a.txt'), 'person\n');
  assert.deepEqual((await readdir(place.workTree)).sort(), ['a.txt', 'b.txt']);
  assert.equal(await show(`${branch}-conflict-1:a.txt`), 'agent');
  assert.equal(await show(`${branch}-conflict-1:new.txt`), 'new');
  assert.equal(await show(`${branch}:a.txt`), 'person');
  await assert.rejects(git(gitDir, 'rev-parse', '--verify', savedRefOf(place.taskId)));
});

test('during a turn: what was pushed is merged with the commit of the turn', async () => {
  const { place, push, commit, show, branch, gitDir, notices } = await begin();
  await write(place.workTree, { 'a.txt': 'one\ntwo\nthree\nfour\nFIVE\n' });
  await push({ 'a.txt': 'ONE\ntwo\nthree\nfour\nfive\n', 'c.txt': 'c\n' });
  const made = await commit();
  assert.equal(await show(`${branch}:a.txt`), 'ONE\ntwo\nthree\nfour\nFIVE');
  const subjects = (await git(gitDir, 'log', '--format=%s', branch)).split('\n').sort();
  assert.deepEqual(subjects, ['Begin', 'Merge what was pushed', 'Pushed', 'Turn 1', 'Turn 2']);
  assert.match(notices.join(), /it has their changes and the agent's\.$/);
  // Another worker, if this one has died before it could say so.
  assert.deepEqual(await commit(), made);
  await repositories.refresh(place);
  assert.equal(await read(place.workTree, 'c.txt'), 'c\n');
});

test('during a turn: a commit that conflicts gets a branch of its own, and the next one another', async () => {
  const { place, push, commit, show, branch, notices } = await begin();
  for (const n of [1, 2]) {
    await write(place.workTree, { 'a.txt': `agent ${n}\n` });
    await push({ 'a.txt': `person ${n}\n` });
    const made = await commit(`${n}0`);
    assert.equal(await show(`${branch}:a.txt`), `person ${n}`);
    assert.equal(await show(`${branch}-conflict-${n}:a.txt`), `agent ${n}`);
    assert.match(notices.at(-1) ?? '', new RegExp(`merge task/\\w+-conflict-${n} into task`));
    // Said again by a worker that takes the turn over.
    assert.deepEqual(await commit(`${n}0`), made);
    assert.equal(notices.length, 2 * n);
    await repositories.refresh(place);
    assert.equal(await read(place.workTree, 'a.txt'), `person ${n}\n`);
  }
});

test('a branch that was rewritten keeps what it was rewritten to', async () => {
  const { place, mine, branch, gitDir, commit } = await begin();
  await write(mine, { 'b.txt': 'rewritten\n' });
  await git(mine, 'commit', '--all', '--amend', '-m', 'Rewritten');
  await git(mine, 'push', '--force', 'origin', `HEAD:${branch}`);
  await write(place.workTree, { 'a.txt': 'agent\n' });
  await commit();
  const subjects = await git(gitDir, 'log', '--format=%s', branch);
  assert.equal(subjects, 'Turn 2\nRewritten\nBegin');
  assert.equal(await git(gitDir, 'show', `${branch}:b.txt`), 'rewritten');
  assert.equal(await git(gitDir, 'show', `${branch}:a.txt`), 'agent');
});

test('a branch that was deleted between turns begins again; what was not committed is kept', async () => {
  const { place, mine, branch, show, commit, gitDir } = await begin();
  await write(place.workTree, { 'new.txt': 'new\n' });
  await git(mine, 'push', 'origin', `:${branch}`);
  const notice = (await repositories.refresh(place)) ?? '';
  assert.match(notice, /^Someone has deleted the branch .* begins again from the branch that/);
  assert.deepEqual(await readdir(place.workTree), []);
  assert.equal(await show(`${branch}-conflict-1:new.txt`), 'new');
  await write(place.workTree, { 'again.txt': 'again\n' });
  await commit();
  assert.equal(await git(gitDir, 'log', '--format=%s', branch), 'Turn 2\nBegin');
});

test('a branch that was deleted during a turn is there again with its work', async () => {
  const { place, mine, branch, notices, commit, gitDir } = await begin();
  await write(place.workTree, { 'new.txt': 'new\n' });
  await git(mine, 'push', 'origin', `:${branch}`);
  await commit();
  assert.equal(await git(gitDir, 'log', '--format=%s', branch), 'Turn 2\nTurn 1\nBegin');
  assert.match(notices.join(), /deleted the branch .* while the agent worked/);
});

test('a refresh that was interrupted loses nothing', async () => {
  const { place, gitDir, push } = await begin();
  await write(place.workTree, { 'new.txt': 'new\n' });
  await push({ 'c.txt': 'c\n' });
  const before = await git(gitDir, 'rev-parse', workRefOf(place.taskId));
  await repositories.refresh(place);
  // As if the worker had died when it had removed files and not yet written others.
  const held = await git(
    gitDir,
    'commit-tree',
    await treeWith(gitDir, before),
    '-p',
    before,
    '-m',
    'x',
  );
  await git(gitDir, 'update-ref', savedRefOf(place.taskId), held);
  await git(gitDir, 'update-ref', workRefOf(place.taskId), before);
  await write(place.workTree, { 'new.txt': null, 'a.txt': 'half' });
  await truncate(join(place.workTree, 'b.txt'), 101 * MiB);
  await repositories.refresh(place);
  assert.equal((await stat(join(place.workTree, 'b.txt'))).size, 101 * MiB);
  assert.equal(await read(place.workTree, 'new.txt'), 'new\n');
  assert.equal(await read(place.workTree, 'c.txt'), 'c\n');
  assert.equal(await read(place.workTree, 'a.txt'), 'one\ntwo\nthree\nfour\nfive\n');
  assert.equal(await repositories.refresh(place), undefined);
});

/** The tree of a commit with the file new.txt. */
async function treeWith(gitDir: string, commit: string): Promise<string> {
  const blob = await gitWith(gitDir, 'new\n', 'hash-object', '-w', '--stdin');
  const listed = await git(gitDir, 'ls-tree', commit);
  return gitWith(gitDir, `${listed}\n100644 blob ${blob}\tnew.txt\n`, 'mktree');
}

test('a link that the agent hides leads nothing that was pushed out of the work tree', async () => {
  const { place, mine, push } = await begin();
  const outside = join(home, `${place.taskId}-outside`);
  await mkdir(outside);
  await write(outside, { 'b.txt': 'outside\n' });
  await write(place.workTree, { '.gitignore': 'out\n' });
  await symlink(outside, join(place.workTree, 'out'));
  await mkdir(join(mine, 'out'));
  await push({ 'out/b.txt': 'pushed\n' });
  await repositories.refresh(place);
  assert.equal(await read(outside, 'b.txt'), 'outside\n');
  assert.equal(await read(place.workTree, 'out/b.txt'), 'pushed\n');
});

test('submodules are empty folders, and pointers of LFS stay pointers', async () => {
  const { place, mine, branch, show, commit, gitDir } = await begin();
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n';
  await write(mine, { 'large.bin': pointer, '.gitattributes': '*.bin filter=lfs -text\n' });
  await git(mine, 'add', '.');
  await git(mine, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},module`);
  await git(mine, 'commit', '-m', 'Pushed');
  await git(mine, 'push', 'origin', `HEAD:${branch}`);
  await repositories.refresh(place);
  assert.equal(await read(place.workTree, 'large.bin'), pointer);
  assert.deepEqual(await readdir(join(place.workTree, 'module')), []);
  await write(place.workTree, { 'a.txt': 'agent\n' });
  await commit();
  assert.match(await git(gitDir, 'ls-tree', branch, 'module'), /^160000 commit 1{40}/);
  assert.equal(`${await show(`${branch}:large.bin`)}\n`, pointer);
});
