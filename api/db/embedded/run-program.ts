import { spawn } from 'node:child_process';
import type { OsUser } from './os-user.ts';

export interface RunOptions {
  user: OsUser | undefined;
  /** The cluster it works on. */
  data: string;
  /** A file descriptor that receives the output instead of the result. */
  output?: number;
}

/**
 * Runs one of PostgreSQL's programs to its end, without the PG* variables that are meant for other
 * servers.
 */
export function runProgram(
  program: string,
  args: string[],
  { user, data, output: descriptor }: RunOptions,
): Promise<{ code: number | null; output: string }> {
  // biome-ignore lint/style/noProcessEnv: it is passed on to PostgreSQL, not read as configuration.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'));
  const sink = descriptor ?? 'pipe';
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: process.platform === 'win32' ? undefined : '/', // a directory that every user may enter
      env: { ...Object.fromEntries(inherited), PGDATA: data, LC_ALL: 'C' },
      stdio: ['ignore', sink, sink],
      ...user,
    });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => reject(programError(`${program} cannot be run`, error.message)));
    child.on('close', (code) => resolve({ code, output }));
  });
}

/** An Error with the last lines of a program's output. */
export const programError = (what: string, output: string) =>
  new Error(
    `${what}. Set DATABASE_URL to use a PostgreSQL of your own. Its output was:\n` +
      `${output.trim().split('\n').slice(-12).join('\n')}`,
  );
