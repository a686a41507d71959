import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { branchOf, gitDirOf } from '../../code/repositories/git.ts';
import { pushBranch, RemoteFailed } from '../../code/repositories/remote.ts';
import { folder, git } from '../../testing/fixtures/code/git-client.ts';
import { seenRefOf } from './remote-branch.ts';
import { openRepositories } from './repository.ts';

/** Tasks whose code is on another host: people push there, and the worker brings both together. */

const home = await folder();
after(() => rm(home, { recursive: true, force: true }));
const LINES = 'one\ntwo\nthree\nfour\nfive\n';

/** A host with a repository whose default branch is `18.0`, the clone of a person, and a task. */
async function begin() {
  const [projectId, taskId] = [randomUUID(), randomUUID()];
  const host = join(home, `${projectId}.git`);
  const mine = join(home, `${projectId}-mine`);
  await git(home, 'init', '--quiet', '--bare', '--initial-branch=18.0', host);
  await git(home, 'clone', '--quiet', host, mine);
  const write = (tree: string, files: Record<string, string>) =>
    Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(tree, name), text)));
  const push = async (files: Record<string, string>, to: string, ...options: string[]) => {
    await write(mine, files);
    await git(mine, 'add', '--all');
    await git(mine, 'commit', '--quiet', '--message', 'Pushed');
    await git(mine, 'push', '--quiet', ...options, 'origin', `HEAD:refs/heads/${to}`);
  };
  await push({ 'a.txt': LINES }, '18.0');
  const directory = join(home, 'repositories');
  const remote = {
    url: pathToFileURL(host).href,
    defaultBranch: '18.0',
    token: async () => 'secret',
  };
  const repositories = openRepositories(directory, { remoteOf: async () => remote });
  const place = { projectId, taskId, workTree: join(home, taskId) };
  await mkdir(place.workTree);
  const branch = branchOf(taskId);
  const notices: string[] = [];
  let turn = 0;
  /** What the agent writes, committed as one turn. */
  const work = async (files: Record<string, string>, turnId = `${++turn}`) => {
    await write(place.workTree, files);
    const onMerge = (text: string) => notices.push(text);
    return repositories.commit(place, `Turn ${turnId}`, { turnId, onMerge });
  };
  /** What the next turn begins with. */
  const update = async () => {
    if (await repositories.isBehind(place)) return repositories.refresh(place);
    return undefined;
  };
  const take = async () => {
    await git(mine, 'fetch', '--quiet', 'origin');
    await git(mine, 'checkout', '--quiet', '-B', 'work', `origin/${branch}`);
  };
  const show = (what: string) => git(host, 'show', what);
  const log = (ref: string) => git(host, 'log', '--format=%s', ref);
  const gitDir = gitDirOf(directory, projectId);
  return {
    repositories,
    place,
    host,
    mine,
    branch,
    notices,
    gitDir,
    push,
    work,
    update,
    take,
    show,
    log,
  };
}

const read = (tree: string, name: string) => readFile(join(tree, name), 'utf8');

test('a task begins with the default branch of the host, and its commits are pushed there', async () => {
  const { repositories, place, work, show, log, branch, host } = await begin();
  await repositories.checkOut(place);
  assert.equal(await read(place.workTree, 'a.txt'), LINES);
  await work({ 'b.txt': 'b\n' });
  assert.equal(await log(branch), 'Turn 1\nPushed');
  assert.equal(await show(`${branch}:b.txt`), 'b');
  const refs = await git(host, 'for-each-ref', '--format=%(refname)');
  assert.deepEqual(refs.split('\n'), ['refs/heads/18.0', `refs/heads/${branch}`]);
});

test('a base that moved is what the next task begins with; the first one keeps its own', async () => {
  const { repositories, place, work, push, log, branch } = await begin();
  await repositories.checkOut(place);
  await work({ 'b.txt': 'b\n' });
  await push({ 'c.txt': 'c\n' }, '18.0');
  const other = { ...place, taskId: randomUUID(), workTree: `${place.workTree}-other` };
  await mkdir(other.workTree);
  await repositories.checkOut(other);
  assert.deepEqual(await readdir(other.workTree), ['a.txt', 'c.txt']);
  assert.equal(await repositories.isBehind(place), false);
  assert.equal(await log(branch), 'Turn 1\nPushed');
});

test('between turns: what people push to the host is in the next one', async () => {
  const { repositories, place, work, push, take, update, branch, show } = await begin();
  await repositories.checkOut(place);
  await work({ 'b.txt': 'b\n' });
  await take();
  await push({ 'c.txt': 'c\n' }, branch);
  assert.match((await update()) ?? '', /^Someone has changed the branch/);
  assert.equal(await read(place.workTree, 'c.txt'), 'c\n');
  await work({ 'd.txt': 'd\n' });
  assert.equal(await show(`${branch}:c.txt`), 'c');
  assert.equal(await show(`${branch}:d.txt`), 'd');
});

test('during a turn: what people push to the host is merged with the commit', async () => {
  const { repositories, place, work, push, take, branch, show, log, notices } = await begin();
  await repositories.checkOut(place);
  await work({ 'b.txt': 'b\n' });
  await take();
  await push({ 'a.txt': LINES.replace('one', 'ONE') }, branch);
  await work({ 'a.txt': LINES.replace('five', 'FIVE') });
  assert.equal(await show(`${branch}:a.txt`), 'ONE\ntwo\nthree\nfour\nFIVE');
  assert.match(await log(branch), /^Merge what was pushed/);
  assert.match(notices.join(), /it has their changes and the agent's\.$/);
});

test('a conflict: the branch stays as it was pushed, the commit gets one of its own on the host', async () => {
  const { repositories, place, work, push, take, update, branch, show, notices } = await begin();
  await repositories.checkOut(place);
  await work({ 'b.txt': 'b\n' });
  for (const n of [1, 2]) {
    await take();
    await push({ 'a.txt': `person ${n}\n` }, branch);
    await work({ 'a.txt': `agent ${n}\n` });
    assert.equal(await show(`${branch}:a.txt`), `person ${n}`);
    assert.equal(await show(`${branch}-conflict-${n}:a.txt`), `agent ${n}`);
    assert.match(notices.at(-1) ?? '', new RegExp(`-conflict-${n} into task`));
    await update();
    assert.equal(await read(place.workTree, 'a.txt'), `person ${n}\n`);
  }
});

test('race: tasks of one repository that begin and end at once, while the base moves', async () => {
  const { repositories, place, push, host } = await begin();
  const places = Array.from({ length: 6 }, () => {
    const taskId = randomUUID();
    return { ...place, taskId, workTree: join(home, taskId) };
  });
  await Promise.all(places.map(({ workTree }) => mkdir(workTree)));
  await Promise.all([
    push({ 'moved.txt': 'm\n' }, '18.0'),
    ...places.map((each) => repositories.checkOut(each)),
  ]);
  for (const { workTree } of places) await writeFile(join(workTree, 'b.txt'), 'b\n');
  const notices: string[] = [];
  await Promise.all([
    push({ 'again.txt': 'a\n' }, '18.0'),
    ...places.map((each) =>
      repositories.commit(each, 'Turn 1', {
        turnId: '1',
        onMerge: (text) => void notices.push(text),
      }),
    ),
  ]);
  assert.deepEqual(notices, []);
  const refs = await git(host, 'for-each-ref', '--format=%(refname)', 'refs/heads/task');
  assert.equal(refs.split('\n').length, 6);
});

test('what another process has locked in the repository is waited for', async () => {
  const { repositories, place, gitDir } = await begin();
  assert.equal(await repositories.isUnpushed(place), false);
  const lock = join(gitDir, 'shallow.lock');
  await writeFile(lock, '');
  const checkedOut = repositories.checkOut(place);
  setTimeout(() => rm(lock), 500);
  await checkedOut;
  assert.equal(await read(place.workTree, 'a.txt'), LINES);
});

test('a branch that was rewritten on the host keeps what it was rewritten to', async () => {
  const { repositories, place, work, mine, take, branch, log } = await begin();
  await repositories.checkOut(place);
  await work({ 'b.txt': 'b\n' });
  await take();
  await git(mine, 'commit', '--quiet', '--amend', '--message', 'Rewritten');
  await git(mine, 'push', '--quiet', '--force', 'origin', `HEAD:${branch}`);
  await work({ 'c.txt': 'c\n' });
  assert.equal(await log(branch), 'Turn 2\nRewritten\nPushed');
});

test('a branch that was deleted on the host begins again, or is there again after a turn', async () => {
  const { repositories, place, work, update, host, branch, log, notices } = await begin();
  await repositories.checkOut(place);
  await work({ 'b.txt': 'b\n' });
  await git(host, 'update-ref', '-d', `refs/heads/${branch}`);
  assert.match((await update()) ?? '', /begins again from the branch that/);
  assert.deepEqual(await readdir(place.workTree), ['a.txt']);
  await work({ 'c.txt': 'c\n' });
  assert.equal(await log(branch), 'Turn 2\nPushed');
  await git(host, 'update-ref', '-d', `refs/heads/${branch}`);
  await work({ 'd.txt': 'd\n' });
  assert.equal(await log(branch), 'Turn 3\nTurn 2\nPushed');
  assert.match(notices.join(), /deleted the branch .* while the agent worked/);
});

test('a host that is away at the end of a turn gets the commit later', async () => {
  const { repositories, place, work, host, branch, log, notices } = await begin();
  await repositories.checkOut(place);
  await rename(host, `${host}-away`);
  const made = await work({ 'b.txt': 'b\n' });
  assert.equal(made?.branch, branch);
  assert.match(notices.join(), /is kept on this server until the host has it\.$/);
  await rename(`${host}-away`, host);
  assert.equal(await repositories.isBehind(place), false);
  assert.equal(await log(branch), 'Turn 1\nPushed');
});

test('a worker that dies before it has pushed or has remembered it: the next one goes on', async () => {
  const { repositories, place, work, push, take, host, gitDir, branch, log } = await begin();
  await repositories.checkOut(place);
  const made = await work({ 'b.txt': 'b\n' });
  // Pushed and not remembered; then someone else pushed on top of it.
  await git(gitDir, 'update-ref', '-d', seenRefOf(place.taskId));
  assert.equal(await repositories.isBehind(place), false);
  await git(gitDir, 'update-ref', '-d', seenRefOf(place.taskId));
  await take();
  await push({ 'c.txt': 'c\n' }, branch);
  assert.equal(await repositories.isBehind(place), true);
  await repositories.refresh(place);
  // Committed and not pushed: the turn is the next worker's, which finds nothing to commit.
  const last = await work({ 'd.txt': 'd\n' }, 'again');
  await git(host, 'update-ref', `refs/heads/${branch}`, `${made?.id}`);
  await git(gitDir, 'update-ref', seenRefOf(place.taskId), `${made?.id}`);
  assert.deepEqual(await work({}, 'again'), last);
  assert.equal(await log(branch), 'Turn again\nPushed\nTurn 1\nPushed');
});

test('a host that refuses says so in a sentence, and the commit is kept', async () => {
  const { repositories, place, work, host, gitDir, branch, notices } = await begin();
  await repositories.checkOut(place);
  const hook = join(host, 'hooks/pre-receive');
  await mkdir(join(host, 'hooks'), { recursive: true });
  await writeFile(hook, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const made = await work({ 'b.txt': 'b\n' });
  assert.match(notices.join(), /refused the branch \(pre-receive hook declined\)/);
  assert.equal(await git(gitDir, 'rev-parse', branch), made?.id);
});

test('a token that ends between a fetch and a push is said as what it is', async () => {
  const { repositories, place, gitDir, host } = await begin();
  await repositories.checkOut(place);
  const refused = new RemoteFailed('The account is not connected any more.', false);
  const remote = {
    url: pathToFileURL(host).href,
    defaultBranch: '18.0',
    token: () => Promise.reject(refused),
  };
  const push = { commit: 'main', branch: 'task/1', expected: undefined };
  await assert.rejects(pushBranch(gitDir, remote, push), refused);
});

test('an empty repository is told from one that cannot be reached', async () => {
  const { repositories, place, host } = await begin();
  await git(host, 'update-ref', '-d', 'refs/heads/18.0');
  await assert.rejects(
    repositories.checkOut(place),
    /has no branch 18\.0 yet: push a first commit/,
  );
  await rm(host, { recursive: true });
  await assert.rejects(repositories.checkOut(place), { name: 'Error', message: /code host/ });
});

test('whatever people do on the host, no line of the agent is lost', async () => {
  for (let run = 0; run < 4; run++) {
    const { repositories, place, work, push, take, update, host, branch } = await begin();
    await repositories.checkOut(place);
    const lines: string[] = [];
    const acts = Array.from({ length: 6 }, () => Math.floor(Math.random() * 8));
    for (const [step, chosen] of acts.entries()) {
      const line = `agent ${run}.${step}`;
      lines.push(line);
      await work({ [`${step}.txt`]: `${line}\n`, 'a.txt': `${line}\n` });
      const act = chosen % 4;
      if (act > 0) await take();
      if (act === 1) await push({ 'a.txt': `person ${step}\n` }, branch);
      if (act === 2) await push({ [`p${step}.txt`]: 'p\n' }, branch);
      if (act === 3) await push({ 'a.txt': `person ${step}\n` }, branch, '--force');
      if (chosen < 4) await update();
    }
    const kept = await git(host, 'log', '--all', '--patch', '--format=');
    for (const line of lines) assert.ok(kept.includes(`+${line}`), `${line} after ${acts}`);
  }
});
