import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** Runs git with the index and the work tree in question; each character stands for a byte. */
type Git = (args: string[], input: string) => Promise<string>;

const SUBMODULE = '160000';

/**
 * Brings all changes of a work tree into the index, as `git add --all` does. That runs `git status`
 * in each submodule, and so any program that the settings of the submodule name: an agent could run
 * programs outside of its pod. Submodules therefore stay as they are, and a new repository within
 * the work tree is left out. `except` is a folder at the top whose changes are left out, too.
 */
export async function addAll(
  git: Git,
  { workTree, except }: { workTree: string; except: string },
): Promise<void> {
  const paths = ['--', '.', `:(exclude,top)${except}`];
  const list = async (...which: string[]) =>
    (await git(['ls-files', '-z', ...which, ...paths], ''))
      .split('\0')
      .filter((line) => line !== '');
  const others = await list('--others', '--exclude-standard');
  const changed = (await list('--stage', '--modified'))
    .filter((line) => !line.startsWith(SUBMODULE))
    .map((line) => line.slice(line.indexOf('\t') + 1));
  const root = await realpath(workTree);
  const there = await Promise.all(changed.map((path) => isThere(root, path)));
  const update = async (options: string[], names: string[]) => {
    const input = names.map((path) => `${path}\0`).join('');
    if (input !== '') await git(['update-index', '-z', ...options, '--stdin'], input);
  };
  await update(
    ['--force-remove'],
    changed.filter((_, i) => !there[i]),
  );
  await update(
    ['--add', '--remove', '--replace'],
    [...others.filter((path) => !path.endsWith('/')), ...changed.filter((_, i) => there[i])],
  );
}

/** False where a folder has taken its place, or a link that of a folder on its path. */
async function isThere(root: string, path: string): Promise<boolean> {
  const full = Buffer.from(join(Buffer.from(root).toString('latin1'), path), 'latin1');
  const parent = full.subarray(0, full.lastIndexOf('/'));
  const [stats, real] = await Promise.all([
    lstat(full).catch(() => undefined),
    realpath(parent, { encoding: 'buffer' }).catch(() => undefined),
  ]);
  return stats !== undefined && !stats.isDirectory() && real?.equals(parent) === true;
}
