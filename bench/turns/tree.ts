import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { cpuOf } from '../processes.ts';

/** A process, with what its descendants use. */
export interface Tree {
  pid: number;
  /** The object that it printed first, as JSON. */
  said: string;
  /** Milliseconds of processor time so far. */
  cpu(): Promise<number>;
  stop(): Promise<void>;
}

const INTERVAL_MS = 100;

/**
 * Starts a program and waits until it has printed a JSON object. The agents of a pod are killed with
 * what started them, so that the system adds them up for no one: `perf` counts them, where it is
 * installed.
 */
export async function startTree(
  command: string[],
  env: Record<string, string | undefined>,
): Promise<Tree> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-perf-'));
  const file = join(folder, 'stat');
  const perf = ['perf', 'stat', '-I', `${INTERVAL_MS}`, '-x', ',', '-e', 'task-clock', '-o', file];
  const counts = hasPerf();
  const [program = '', ...args] = counts ? [...perf, '--', ...command] : command;
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  // It is a JSON object of several lines.
  for await (const line of createInterface({ input: child.stdout })) {
    said += line;
    if (line === '}') break;
  }
  child.stdout.resume();
  const own = child.pid as number;
  const pid = counts
    ? Number((await readFile(`/proc/${own}/task/${own}/children`, 'utf8')).trim().split(' ')[0])
    : own;
  return {
    pid,
    said,
    async cpu() {
      if (!counts) return cpuOf(pid) / 1_000;
      await pause(2 * INTERVAL_MS);
      const lines = (await readFile(file, 'utf8')).split('\n');
      return lines.reduce((sum, line) => sum + (Number(line.split(',')[1]) || 0), 0);
    },
    async stop() {
      const ended = once(child, 'exit');
      process.kill(pid, 'SIGTERM');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

function hasPerf(): boolean {
  try {
    execFileSync('perf', ['stat', '-e', 'task-clock', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
