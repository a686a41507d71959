import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { mergedTree } from './commits.ts';
import { asEnvironment, DEFAULT_BRANCH, runGit } from './git.ts';
import { makeRepository } from './make-repository.ts';

/** What is in a repository has no say in what git does for this server. */

const folder = await mkdtemp(join(tmpdir(), 'guildhall-git-'));
const gitDir = join(folder, 'main.git');
const cwd = process.cwd();
before(() => makeRepository(gitDir));
after(async () => {
  process.chdir(cwd);
  await rm(folder, { recursive: true });
});

const git = (args: string[], env: Record<string, string> = {}) =>
  runGit(args, { GIT_DIR: gitDir, ...env });

/** A commit with these files, which follows the default branch. */
async function commit(files: Record<string, string>, parent = DEFAULT_BRANCH): Promise<string> {
  const index = { GIT_INDEX_FILE: join(folder, 'index') };
  await git(['read-tree', parent], index);
  for (const [path, content] of Object.entries(files)) {
    const source = join(folder, 'content');
    await writeFile(source, content);
    const blob = await git(['hash-object', '-w', '--no-filters', source]);
    await git(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`], index);
  }
  const tree = await git(['write-tree'], index);
  return git(['commit-tree', tree, '-p', parent, '-m', 'Files']);
}

test('no hook of a repository runs, with settings of their own or without', async () => {
  const run = join(folder, 'run');
  const hook = join(gitDir, 'hooks/reference-transaction');
  await mkdir(join(gitDir, 'hooks'), { recursive: true });
  await writeFile(hook, `#!/bin/sh\ntouch '${run}'\n`);
  await chmod(hook, 0o755);
  await git(['update-ref', 'refs/heads/one', DEFAULT_BRANCH]);
  await git(['update-ref', 'refs/heads/two', DEFAULT_BRANCH], asEnvironment({ 'gc.auto': '0' }));
  await rm(hook);
  assert.ok(!(await readdir(folder)).includes('run'));
});

test('attributes choose no way to merge: neither those of a branch nor those of a folder', async () => {
  const attributes = '* merge=union\n';
  const begin = await commit({ '.gitattributes': attributes, 'a.txt': 'a\n' });
  await git(['update-ref', DEFAULT_BRANCH, begin]);
  const ours = await commit({ 'a.txt': 'ours\n' }, begin);
  const theirs = await commit({ 'a.txt': 'theirs\n' }, begin);
  assert.deepEqual(await mergedTree(git, ours, theirs), { conflicts: ['a.txt'] });

  // A work tree, as where the work of agents is merged with what was pushed.
  await writeFile(join(folder, '.gitattributes'), attributes);
  process.chdir(folder);
  const inTree = (args: string[]) =>
    git(['-c', 'core.bare=false', ...args], { GIT_WORK_TREE: folder });
  assert.deepEqual(await mergedTree(inTree, ours, theirs), { conflicts: ['a.txt'] });
});
