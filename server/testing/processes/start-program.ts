import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/**
 * Starts a program of this folder with Node.js; `env` is its whole environment besides the PATH. It
 * gets the compiled code that the processes of a run share, which halves what its start costs.
 */
export function startProgram(
  name: string,
  args: string[],
  env: Record<string, string>,
): ChildProcessByStdio<Writable, Readable, null> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  const compiled = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
  return spawn(process.execPath, [join(import.meta.dirname, name), ...args], {
    env: { PATH, ...compiled, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

/**
 * Workers that kill themselves, each in a process of its own: the next one loads its programs while
 * the one before works. `kill` ends the one that waits.
 */
export function dyingWorkers(name: string, databaseUrl: string) {
  const start = () => {
    const child = startProgram(name, [], { DATABASE_URL: databaseUrl });
    const exited = once(child, 'exit');
    return { child, exited, loaded: once(child.stdout, 'data') };
  };
  let next = start();
  return {
    /** Gives the one that waits its order. */
    async order(order: object) {
      const { child, exited, loaded } = next;
      await loaded;
      next = start();
      child.stdin.write(`${JSON.stringify(order)}\n`);
      return { child, exited };
    },
    kill: () => next.child.kill('SIGKILL'),
  };
}
