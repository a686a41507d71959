import { lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { RepositoryError, runGit } from './git.ts';
import { type GitStream, startGit } from './git-streams.ts';

/**
 * A bare repository as a backup has it: what its references lead to, and one pack of all its
 * objects. Settings, hooks and links are no part of it.
 */

/** Bytes of text; Git prints a line for each reference. */
const MOST_REFERENCES = 64 * 1024 * 1024;
const LISTED_WITHIN_MS = 300_000;
const HEAD = /^ref: (refs\/heads\/\S+)$/;
const REFERENCE = /^([0-9a-f]{40}) (refs\/\S+)$/;

/** Large files are neither held in memory nor compared with others. */
const BOUNDED = [
  'core.bigFileThreshold=16m',
  'core.packedGitWindowSize=32m',
  'core.packedGitLimit=256m',
  'core.deltaBaseCacheLimit=64m',
  'pack.windowMemory=64m',
].flatMap((setting) => ['-c', setting]);

/**
 * Throws RepositoryError where a link takes the place of one of its files or folders: nothing that
 * it leads to is read. So it does for a pipe or a socket, for which a reader would wait for ever.
 */
export async function refuseLinks(gitDir: string): Promise<void> {
  const folders = [gitDir, join(gitDir, 'objects'), join(gitDir, 'refs')];
  for (const folder of folders) {
    if ((await lstat(folder).catch(unlessGone))?.isSymbolicLink()) throw linked(folder);
    const entries = await readdir(folder, { withFileTypes: true }).catch(unlessGone);
    for (const entry of entries ?? []) {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) throw linked(path);
      if (!(entry.isFile() || entry.isDirectory())) throw neither(path);
      if (entry.isDirectory() && folder !== gitDir) folders.push(path);
    }
  }
}

/** Git removes folders of branches and of pushes while they are looked at. */
function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

const linked = (path: string) =>
  new RepositoryError(
    `${path} is a symbolic link, and links in repositories are not followed. Replace it by what it ` +
      'leads to, or remove it.',
  );

const neither = (path: string) =>
  new RepositoryError(`${path} is neither a file nor a folder, and Git needs none: remove it.`);

/**
 * The references as text: a line for HEAD, then one for each. What they lead to stays as long as
 * nothing removes objects.
 */
export async function referencesOf(gitDir: string): Promise<string> {
  const head = (await readFile(join(gitDir, 'HEAD'), 'utf8')).trim();
  if (!HEAD.test(head))
    throw new RepositoryError(`${join(gitDir, 'HEAD')} must name a branch (ref: refs/heads/…).`);
  const all = await runGit(
    ['for-each-ref', '--format=%(objectname) %(refname)'],
    { GIT_DIR: gitDir },
    { input: '', most: MOST_REFERENCES, within: LISTED_WITHIN_MS },
  );
  return `${head}\n${all}`;
}

/**
 * A pack of all objects that are there, reachable or not: rows of the database may name commits to
 * which no branch leads any more. Deltas are taken as they are, and none is looked for. Fails where
 * an object is removed meanwhile.
 */
export async function* packOf(gitDir: string): AsyncGenerator<Buffer> {
  const list = startGit(
    [...BOUNDED, 'cat-file', '--batch-all-objects', '--unordered', '--batch-check=%(objectname)'],
    gitDir,
  );
  const pack = startGit(
    [...BOUNDED, 'pack-objects', '--quiet', '--window=0', '--threads=1', '--stdout'],
    gitDir,
  );
  list.stdin.end();
  const feeding = pipeline(list.stdout, pack.stdin);
  feeding.catch(() => {});
  try {
    for await (const chunk of pack.stdout) yield chunk as Buffer;
    await Promise.all([list.done, pack.done, feeding]);
  } finally {
    list.kill();
    pack.kill();
  }
}

const REFERENCES = 'guildhall-references';

/** Makes an empty repository for these references. Throws RepositoryError for what are none. */
export async function beginCopy(gitDir: string, references: string): Promise<void> {
  const [head = '', ...lines] = references.split('\n').filter((line) => line !== '');
  const [, branch] = HEAD.exec(head) ?? [];
  if (branch === undefined || !lines.every((line) => REFERENCE.test(line)))
    throw new RepositoryError(`The references of ${gitDir} are not valid.`);
  await mkdir(dirname(gitDir), { recursive: true });
  await runGit(['init', '--quiet', '--bare', '--template=', gitDir], {});
  await runGit(['symbolic-ref', 'HEAD', branch], { GIT_DIR: gitDir });
  const updates = lines.map((line) => {
    const [, commit, name] = REFERENCE.exec(line) as RegExpExecArray;
    return `create ${name} ${commit}\n`;
  });
  await writeFile(join(gitDir, REFERENCES), updates.join(''), { mode: 0o600 });
}

/** What receives the pack of a repository, and proves each object of it. */
export const receivePack = (gitDir: string): GitStream =>
  startGit([...BOUNDED, 'index-pack', '--stdin'], gitDir);

/** Sets the references, whose objects must be there. */
export async function endCopy(gitDir: string): Promise<void> {
  const input = await readFile(join(gitDir, REFERENCES), 'latin1');
  await runGit(['update-ref', '--stdin'], { GIT_DIR: gitDir }, { input, within: LISTED_WITHIN_MS });
  await runGit(['pack-refs', '--all'], { GIT_DIR: gitDir }, { within: LISTED_WITHIN_MS });
  await rm(join(gitDir, REFERENCES));
}

const CHECKED_WITHIN_MS = 6 * 3_600_000;

/** What `git fsck` says against a repository; undefined if that is nothing. */
export const faultOf = (gitDir: string): Promise<string | undefined> =>
  runGit(
    [...BOUNDED, 'fsck', '--no-dangling', '--no-progress'],
    { GIT_DIR: gitDir },
    { within: CHECKED_WITHIN_MS },
  ).then(
    () => undefined,
    (error) =>
      String(error.stderr || error.message)
        .trim()
        .slice(0, SAID),
  );

const SAID = 500;
