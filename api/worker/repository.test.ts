import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { branchOf, openRepositories } from './repository.ts';

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
