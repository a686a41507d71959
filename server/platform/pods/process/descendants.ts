import { readdir, readFile } from 'node:fs/promises';

/**
 * The processes of a pod, found by a variable in their environment. This also finds those that an
 * earlier server left behind and those that left their process group. It is no boundary: a process
 * that is not confined could change its environment.
 */

const POD = 'GUILDHALL_POD';
const COMMAND = 'GUILDHALL_COMMAND';

/** A variable of the environment, as NAME=value. */
type Mark = string;

export const markOfPod = (id: string): Mark => `${POD}=${id}`;
export const markOfCommand = (id: string): Mark => `${COMMAND}=${id}`;

/** What a process is started with so that it can be found again. */
export const marks = (pod: string, command: string): Record<string, string> => ({
  [POD]: pod,
  [COMMAND]: command,
});

/** Process ids. Empty on systems without /proc. */
export async function processesOf(mark: Mark): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map((pid) => carries(pid, mark)));
  return pids.filter((_, i) => found[i]).map(Number);
}

/** A zombie has no environment any more, so it is not counted. */
async function carries(pid: string, mark: Mark): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  return environment.split('\0').includes(mark);
}

/**
 * Kills until none is left, because one that is being killed may still start another. Looks twice
 * before it believes that none is: while a process loads a new program (execve), its environment
 * reads as empty. Rejects when 50 rounds were not enough.
 */
export async function endProcessesOf(mark: Mark): Promise<void> {
  let none = 0;
  for (let round = 0; round < 50; round += 1) {
    const pids = (await processesOf(mark)).filter((pid) => pid !== process.pid);
    none = pids.length === 0 ? none + 1 : 0;
    if (none === 2) return;
    for (const pid of pids) kill(pid);
    await new Promise((resolve) => setTimeout(resolve, Math.min(5 * (round + 1), 200)));
  }
  throw new Error(`processes with ${mark} cannot be ended`);
}

/** A negative number is a process group. */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
