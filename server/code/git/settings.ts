import { join } from 'node:path';
import { TREE_BOUNDS } from '../../platform/pods/tree/bounds.ts';
import { asEnvironment } from '../repositories/git.ts';

const MIB = 1024 * 1024;

/** What people may push, and how much Git may do for it. */
export const LIMITS = {
  /** Bytes of the pack of one push. */
  push: 256 * MIB,
  /** Bytes of what a client has and wants to fetch. */
  fetch: 10 * MIB,
  /** Bytes before a process begins to work: no client keeps one waiting for its first words. */
  head: 64 * 1024,
  /** Bytes of one file. */
  file: 100 * MIB,
  /** KiB of memory that one process may reserve, and seconds that it may compute. */
  process: { memory: 1536 * 1024, seconds: 300 },
  /** Milliseconds of one request. */
  life: 1_800_000,
  /** Processes at once, and of them those of one person. */
  atOnce: { limit: 16, perUser: 6 },
} as const;

/** The folder of Guildhall's own hook. */
export const HOOKS = join(import.meta.dirname, 'hooks');

/** Stronger than the settings in a repository. Nothing in them names a program to run. */
const SETTINGS: Record<string, string> = {
  'safe.directory': '*',
  'core.hooksPath': HOOKS,
  // Larger files are not held in memory, nor compared with others.
  'core.bigFileThreshold': '16m',
  'core.packedGitWindowSize': '32m',
  'core.packedGitLimit': '256m',
  'core.deltaBaseCacheLimit': '64m',
  'pack.threads': '1',
  'pack.windowMemory': '64m',
  'http.receivepack': 'true',
  'http.uploadpack': 'true',
  'http.getanyfile': 'false',
  'receive.fsckObjects': 'true',
  'transfer.fsckObjects': 'true',
  'receive.maxInputSize': String(LIMITS.push),
  // A push is kept as the pack that it is, so what it takes up is what was sent.
  'receive.unpackLimit': '1',
  'transfer.unpackLimit': '1',
  // Where the work trees of tasks are is no one's concern.
  'transfer.hideRefs': 'refs/guildhall',
  'receive.autogc': 'false',
  'receive.advertisePushOptions': 'false',
  'receive.denyDeletes': 'false',
  'receive.denyNonFastForwards': 'false',
  'receive.denyDeleteCurrent': 'refuse',
  'receive.shallowUpdate': 'false',
  'uploadpack.allowFilter': 'false',
  'uploadpack.allowTipSHA1InWant': 'false',
  'uploadpack.allowReachableSHA1InWant': 'false',
  'uploadpack.allowAnySHA1InWant': 'false',
};

/** The settings as environment variables, which every process that Git starts gets, too. */
export const GIT_SETTINGS = asEnvironment(SETTINGS);

/** What the hook needs to know of a push. `size`: bytes that the repository may take up. */
export const forHook = (writable: readonly string[], size: number): Record<string, string> => ({
  GUILDHALL_REFS: writable.join(' '),
  GUILDHALL_FILES: String(TREE_BOUNDS.maxEntries),
  GUILDHALL_FILE_BYTES: String(LIMITS.file),
  GUILDHALL_TREE_BYTES: String(TREE_BOUNDS.maxBytes),
  GUILDHALL_KIB: String(Math.floor(size / 1024)),
});
