import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { GIT_ENV } from './git.ts';

const SAID = 2_000;

/** Git with as much to read or to print as there is. */
export interface GitStream {
  stdin: Writable;
  stdout: Readable;
  /** Rejects with what Git says when it fails. */
  done: Promise<void>;
  kill(): void;
}

/**
 * Starts git without the settings of this machine and its user, for commands that copy whole
 * repositories: a server would start it through the launcher.
 */
export function startGit(args: string[], gitDir: string): GitStream {
  const child = spawn('git', args, {
    cwd: '/',
    env: { ...GIT_ENV, GIT_DIR: gitDir },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said = (said + chunk).slice(-SAID);
  });
  // What it was to read is lost with it, and `done` says why.
  child.stdin.on('error', () => {});
  const done = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) =>
      code === 0
        ? resolve()
        : reject(new Error(`git ${args[0]} in ${gitDir}: ${said.trim() || (signal ?? code)}`)),
    );
  });
  done.catch(() => {});
  return { stdin: child.stdin, stdout: child.stdout, done, kill: () => child.kill('SIGKILL') };
}
