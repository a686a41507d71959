import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
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

/** Those whose environment contains a text. Systems without /proc have none to show. */
export async function processesWith(text: string): Promise<{ pid: number; command: string }[]> {
  const found: { pid: number; command: string }[] = [];
  for (const name of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const environment = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '');
    if (!environment.includes(text)) continue;
    const command = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    found.push({ pid: Number(name), command: command.replaceAll('\0', ' ').trim() });
  }
  return found;
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
