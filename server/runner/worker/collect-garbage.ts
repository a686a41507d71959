import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runGit } from '../../code/index.ts';
import { walkTree } from '../../platform/pods/tree/walk-tree.ts';
import { gitDirsIn } from './reap-repositories.ts';

/** Of a large repository on a busy machine. */
export const COLLECTS_WITHIN_MS = 1_800_000;

/** Objects in files of their own. */
const MOST_LOOSE_OBJECTS = 2_000;

/** With these and more packs, git begins. */
const SETTINGS = [
  `gc.auto=${MOST_LOOSE_OBJECTS}`,
  'gc.autoPackLimit=20',
  'gc.autoDetach=false',
  'gc.cruftPacks=true',
  'core.bigFileThreshold=16m',
  'pack.threads=1',
  'pack.windowMemory=64m',
].flatMap((setting) => ['-c', setting]);

/** References in files of their own. To find one of a folder, git reads all that are there. */
const MOST_LOOSE_REFERENCES = 100;

/**
 * Packs the objects and the references of each repository that has many of them, one after the other,
 * and removes objects that nothing has led to for two weeks. Git itself locks a repository meanwhile
 * (`gc.pid`), so of several workers one does it, and a backup waits for it; while one runs, none begins.
 * `onFailure` gets what keeps one from being packed.
 */
export async function collectGarbage(
  directory: string,
  signal: AbortSignal,
  onFailure: (gitDir: string, error: unknown) => void,
  mayRemove: () => Promise<boolean> = async () => true,
): Promise<void> {
  for (const gitDir of await gitDirsIn(directory)) {
    if (signal.aborted) return;
    if (!(await mayRemove())) return;
    const git = (args: string[]) =>
      runGit(args, { GIT_DIR: gitDir }, { within: COLLECTS_WITHIN_MS, signal });
    const pack = async () => {
      if (await hasManyReferences(gitDir)) await git(['pack-refs', '--all']);
      await git([...SETTINGS, 'gc', '--auto', '--quiet']);
      // It leaves what nothing leads to, which would be looked through again each time until it is old.
      if (await hasManyObjects(gitDir)) await git([...SETTINGS, 'gc', '--quiet']);
    };
    await pack().catch(async (error) => {
      const others = (await isLocked(gitDir)) || (await wasBeingLocked(gitDir, error));
      if (!signal.aborted && !others) onFailure(gitDir, error);
    });
  }
}

/** As git itself estimates: names are spread evenly over 256 folders. */
const hasManyObjects = async (gitDir: string): Promise<boolean> =>
  (await readdir(join(gitDir, 'objects/17')).catch(() => [])).length >
  Math.ceil(MOST_LOOSE_OBJECTS / 256);

async function hasManyReferences(gitDir: string): Promise<boolean> {
  let files = 0;
  try {
    for await (const { type } of walkTree(join(gitDir, 'refs'))) {
      if (type === 'file') files += 1;
      if (files > MOST_LOOSE_REFERENCES) return true;
    }
  } catch (error) {
    // In more folders than a walk takes, which a push can leave.
    if ((error as { code?: string }).code === 'too_large') return true;
    throw error;
  }
  return false;
}

const isLocked = (gitDir: string): Promise<boolean> =>
  readFile(join(gitDir, 'gc.pid')).then(
    () => true,
    () => false,
  );

/** Git writes its lock within milliseconds; one that was killed then has left it for ever. */
const LOCKING_MS = 60_000;

/** Whether another git was taking the lock just then. It may have ended since. */
const wasBeingLocked = async (gitDir: string, error: Error): Promise<boolean> => {
  if (!/gc\.pid\.lock'?: File exists/.test(error.message)) return false;
  const lock = await stat(join(gitDir, 'gc.pid.lock')).catch(() => undefined);
  return lock === undefined || Date.now() - lock.mtimeMs < LOCKING_MS;
};
