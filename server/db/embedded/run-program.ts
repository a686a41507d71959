import { type ChildProcess, spawn } from 'node:child_process';
import type { OsUser } from './os-user.ts';

interface RunOptions {
  user: OsUser | undefined;
  /** The cluster it works on. */
  data: string;
  /** A file descriptor that receives the output instead of the result. */
  output?: number;
  /** Its own group of processes, so that Ctrl-C does not reach it. */
  detached?: boolean;
  /** Ends it, and what it has started; it must be detached. */
  signal?: AbortSignal | undefined;
}

/** Milliseconds for a program to end by itself. */
const GRACE = 5_000;

/**
 * Runs one of PostgreSQL's programs to its end, without the PG* variables that are meant for other
 * servers.
 */
export function runProgram(
  program: string,
  args: string[],
  { user, data, output: descriptor, detached = false, signal }: RunOptions,
): Promise<{ code: number | null; output: string }> {
  // biome-ignore lint/style/noProcessEnv: it is passed on to PostgreSQL, not read as configuration.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'));
  const sink = descriptor ?? 'pipe';
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: process.platform === 'win32' ? undefined : '/', // a directory that every user may enter
      env: { ...Object.fromEntries(inherited), PGDATA: data, LC_ALL: 'C' },
      stdio: ['ignore', sink, sink],
      detached: detached && process.platform !== 'win32', // there it would open a console
      ...user,
    });
    const end = () => endGroup(child);
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end, { once: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.on('error', (error) => reject(programError(`${program} cannot be run`, error.message)));
    child.on('close', (code) => {
      signal?.removeEventListener('abort', end);
      resolve({ code, output });
    });
  });
}

function endGroup(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  const kill = (signal: NodeJS.Signals) => {
    try {
      if (process.platform === 'win32') child.kill(signal);
      else process.kill(-pid, signal);
    } catch {
      // It has just ended.
    }
  };
  kill('SIGTERM');
  const late = setTimeout(() => kill('SIGKILL'), GRACE);
  child.once('close', () => clearTimeout(late));
}

/** An Error with the last lines of a program's output. */
export const programError = (what: string, output: string) =>
  new Error(
    `${what}. Set DATABASE_URL to use a PostgreSQL of your own. Its output was:\n` +
      `${output.trim().split('\n').slice(-12).join('\n')}`,
  );
