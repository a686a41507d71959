import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { COLLECTS_WITHIN_MS } from '../../runner/worker/collect-garbage.ts';

/** A repository of a project, in the folder of all repositories. */
export interface Repository {
  project: string;
  name: string;
  gitDir: string;
}

const GIT = /^([a-z0-9][a-z0-9._-]{0,99})\.git$/;

const PROJECT = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The repositories of projects. What is under way there has other names, and copies from which
 * submodules are filled are fetched again when they are needed.
 */
export async function repositoriesOf(
  directory: string,
  wanted: (project: string) => boolean = () => true,
): Promise<Repository[]> {
  const found: Repository[] = [];
  for (const project of (await namesIn(directory)).sort()) {
    const folder = join(directory, project);
    if (!PROJECT.test(project) || !wanted(project) || !(await isRealFolder(folder))) continue;
    for (const entry of (await namesIn(folder)).sort()) {
      const name = GIT.exec(entry)?.[1];
      const gitDir = join(folder, entry);
      if (name !== undefined && !name.includes('..') && (await isRealFolder(gitDir)))
        found.push({ project, name, gitDir });
    }
  }
  return found;
}

/** A link is none, wherever it leads. */
const isRealFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );

const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    return [];
  });

const AGAIN_MS = 200;

/**
 * Waits until no worker packs a repository any more, which could remove objects: workers begin with
 * none while a backup runs. `onWait` is called while it waits.
 */
export async function untilPacked(
  repositories: readonly Repository[],
  onWait: (gitDir: string) => void,
): Promise<void> {
  for (const { gitDir } of repositories)
    while (await isBeingPacked(gitDir)) {
      onWait(gitDir);
      await pause(AGAIN_MS);
    }
}

/** A lock that a killed git has left says which process it was; on another machine, its age counts. */
async function isBeingPacked(gitDir: string): Promise<boolean> {
  const file = join(gitDir, 'gc.pid');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  const stats = await stat(file).catch(() => undefined);
  if (text === undefined || stats === undefined) return false;
  const [pid = '', host = ''] = text.trim().split(' ');
  if (Date.now() - stats.mtimeMs > COLLECTS_WITHIN_MS) return false;
  return host !== hostname() || isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
