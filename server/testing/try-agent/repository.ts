import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { addressOf, git } from '../fixtures/code/git-client.ts';

/** The repository of a trial, as its person has it: by Git over HTTP, in folders of this machine. */
interface Place {
  /** Of the server. */
  url: string;
  key: string;
  /** An existing folder. */
  directory: string;
}

/** Makes a repository of these files, and pushes it as the first push of a project. */
export async function pushFirst(
  { url, key, directory }: Place,
  projectId: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const tree = join(directory, 'pushed');
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(tree, path)), { recursive: true });
    await writeFile(join(tree, path), content);
  }
  await git(tree, 'init', '--quiet', '--initial-branch=main');
  await git(tree, 'add', '--all');
  await git(tree, 'commit', '--quiet', '--message', 'A package with a test that fails');
  await git(tree, 'push', '--quiet', '--force', addressOf(url, projectId, key), 'HEAD:main');
  return `${Object.keys(files).length} files`;
}

/** What the default branch has under these paths; undefined where there is nothing. */
export async function readMerged(
  { url, key, directory }: Place,
  projectId: string,
  paths: readonly string[],
): Promise<Record<string, string | undefined>> {
  const tree = join(directory, 'merged');
  await git(directory, 'clone', '--quiet', addressOf(url, projectId, key), tree);
  const read = (path: string) => readFile(join(tree, path), 'utf8').catch(() => undefined);
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await read(path)] as const)),
  );
}
