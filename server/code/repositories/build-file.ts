import { openThread } from '../../platform/threads/thread.ts';
import { runGit } from './git.ts';
import type { BuildFile, BuildFileFault } from './parse-build-file.ts';

/** The file in the root of a repository that says how it is checked and deployed. */
export const BUILD_FILE = '.guildhall.yml';

/** Bytes that it may have. */
export const MOST_BYTES = 65_536;

/** Of a hostile file, 64 KiB can take more than a second. */
const parser = openThread<string, BuildFile | BuildFileFault>(
  new URL('./parse-build-file-thread.ts', import.meta.url),
  { name: 'build-files', timeout: 10_000, memoryMb: 256 },
);

const NOTHING: BuildFile = { checks: [], deploy: {} };

/** Whether a commit has something at the path of its build file. */
export const hasBuildFile = async (
  gitDir: string,
  commit: string,
  signal?: AbortSignal,
): Promise<boolean> => (await entryOf(gitDir, commit, signal)) !== undefined;

/**
 * Reads the build file of a commit: nothing is to be done without one. `fault` is a sentence for
 * people. Throws as `runGit` does.
 */
export async function readBuildFile(
  gitDir: string,
  commit: string,
  signal?: AbortSignal,
): Promise<BuildFile | BuildFileFault> {
  const entry = await entryOf(gitDir, commit, signal);
  if (entry === undefined) return NOTHING;
  const { mode, type, id, size } = entry;
  if (type === 'tree') return fault('a folder');
  if (type === 'commit') return fault('a submodule');
  if (mode === LINK) return fault('a symbolic link');
  if (size > MOST_BYTES)
    return { fault: `${BUILD_FILE} has ${size} bytes: it may have at most ${MOST_BYTES}.` };
  // With an input, each character that is printed stands for a byte.
  const options = { input: '', most: MOST_BYTES + 1, signal };
  const printed = await runGit(['cat-file', 'blob', id], { GIT_DIR: gitDir }, options);
  const text = decoded(Buffer.from(printed, 'latin1'));
  if (text === undefined) return { fault: `${BUILD_FILE} must be text in UTF-8.` };
  const file = await parser.run(text, { signal }).catch((): BuildFileFault => {
    signal?.throwIfAborted();
    return { fault: 'It takes too long to read: make it simpler.' };
  });
  return 'fault' in file ? { fault: `${BUILD_FILE}: ${file.fault}` } : file;
}

const LINK = '120000';

const fault = (what: string): BuildFileFault => ({
  fault: `${BUILD_FILE} is ${what}: it must be a file.`,
});

interface Entry {
  mode: string;
  type: string;
  id: string;
  size: number;
}

async function entryOf(
  gitDir: string,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<Entry | undefined> {
  const args = ['ls-tree', '--full-tree', '--long', '-z', commit, '--', BUILD_FILE];
  const printed = await runGit(args, { GIT_DIR: gitDir }, { signal });
  const [, mode = '', type = '', id = '', size = ''] =
    /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t/.exec(printed) ?? [];
  return mode === '' ? undefined : { mode, type, id, size: Number(size) };
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
