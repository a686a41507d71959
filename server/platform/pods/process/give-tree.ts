import { runProgram } from '../../launcher/launcher.ts';
import { PodError } from '../pod.ts';
import type { PodUser } from './pod-user.ts';
import { SYSTEM_PATH } from './sandbox.ts';

/** As a walk, for as many files as a tree may have on a slow disk. */
const WITHIN_MS = 600_000;

/**
 * Gives a tree to a user in which nobody but the server has ever written, so that none of its files
 * has a name elsewhere. No link is followed, in a path or at its end. Throws PodError, and the reason
 * of `signal` once that is aborted.
 */
export async function giveTree(
  root: string,
  { uid, gid }: PodUser,
  signal?: AbortSignal,
): Promise<void> {
  const chown = {
    file: 'chown',
    args: ['-R', '-P', '-h', `${uid}:${gid}`, root],
    cwd: '/',
    env: { PATH: SYSTEM_PATH, LC_ALL: 'C' },
    input: new Uint8Array(),
    timeout: WITHIN_MS,
    maxBuffer: 1_000_000,
  };
  await runProgram(chown, signal).catch((cause) => {
    signal?.throwIfAborted();
    const message = 'the files of the work tree could not be given to the user of the pod';
    throw new PodError('failed', message, { cause });
  });
}
