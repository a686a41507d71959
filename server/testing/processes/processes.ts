import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { identify } from '../../db/embedded/process-identity.ts';

/** Looking at processes that a test did not start itself. */

/** A process that has ended and that its parent has not noticed yet does not count. */
export const isAlive = async (pid: number): Promise<boolean> => (await identify(pid)) !== undefined;

/** By ps, which every system has. */
export async function childrenOf(pid: number): Promise<number[]> {
  const ps = spawn('ps', ['-A', '-o', 'pid=,ppid=']);
  let text = '';
  for await (const chunk of ps.stdout) text += chunk;
  return text
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (parent === pid ? [child as number] : []));
}

/** Waits until a process is gone; throws after `seconds`. */
export async function untilGone(pid: number, seconds = 20): Promise<void> {
  for (let i = 0; await isAlive(pid); i++) {
    if (i >= seconds * 20) throw new Error(`process ${pid} is still running`);
    await pause(50);
  }
}

/** The process id of the PostgreSQL whose files are in `cluster`. */
export const postmasterOf = async (cluster: string): Promise<number> =>
  Number.parseInt(await readFile(join(cluster, 'postmaster.pid'), 'utf8'), 10);
