import { readFile } from 'node:fs/promises';

/** Tells a process apart from a later one that was given the same process id. */
export type ProcessIdentity = { pid: number; startedAt: string };

/** Undefined when no such process runs. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  if (!isAlive(pid)) return undefined;
  if (process.platform !== 'linux') return { pid, startedAt: '' };
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field is the name in parentheses, which may contain anything. See proc_pid_stat(5).
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startedAt = fields[18];
  // A zombie has ended; only its parent has not noticed yet.
  if (state === 'Z' || startedAt === undefined) return undefined;
  return { pid, startedAt };
}

export async function isRunning({ pid, startedAt }: ProcessIdentity): Promise<boolean> {
  return (await identify(pid))?.startedAt === startedAt;
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
