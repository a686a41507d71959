import { spawn } from 'node:child_process';
import { GIT_ENV } from '../../../code/index.ts';

/** A git of an import has failed; `stderr` is the end of what it has printed. */
export class GitFailed extends Error {
  readonly stderr: string;

  constructor(stderr: string) {
    super(`git has failed: ${stderr}`);
    this.stderr = stderr;
  }
}

/** KiB of memory that one process may reserve, and seconds that it may compute. */
const PROCESS = { memory: 2 * 1024 * 1024, seconds: 1_800 };
const MOST_ERRORS = 4_000;

// Limits are the shell's, because Node has none for its children. Not every system has each.
const START = `
ulimit -c 0
ulimit -v ${PROCESS.memory} 2>/dev/null
ulimit -t ${PROCESS.seconds} 2>/dev/null
exec git "$@"`;

/**
 * Runs git on what a stranger has sent, in a process group of its own, which ends as a whole when the
 * signal says so. Returns what it prints, of which at most `most` bytes. Errors: GitFailed, and the
 * reason of the signal.
 */
export async function runBounded(
  args: readonly string[],
  env: Record<string, string>,
  { most, signal }: { most: number; signal: AbortSignal },
): Promise<string> {
  signal.throwIfAborted();
  const child = spawn('/bin/sh', ['-c', START, 'sh', ...args], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...GIT_ENV, ...env },
  });
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ESRCH' && code !== 'EPERM') throw error;
    }
  };
  signal.addEventListener('abort', kill, { once: true });
  const printed: Buffer[] = [];
  let bytes = 0;
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > most) kill();
    else printed.push(chunk);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-MOST_ERRORS);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  }).finally(() => signal.removeEventListener('abort', kill));
  signal.throwIfAborted();
  if (bytes > most) throw new TooMuchPrinted();
  if (code !== 0) throw new GitFailed(stderr);
  return Buffer.concat(printed).toString('utf8');
}

/** Git has printed more than it may. */
export class TooMuchPrinted extends Error {}
