import { setTimeout as pause } from 'node:timers/promises';
import { type Cluster, isPostmaster, readPidFile } from './cluster.ts';
import { probe } from './find-running.ts';
import { isRunning, type ProcessIdentity } from './process-identity.ts';
import { programError, runProgram } from './run-program.ts';

/** Stopping the PostgreSQL of a cluster. */

/**
 * Stops PostgreSQL and waits for its end; open transactions are rolled back. Does nothing when it
 * does not run.
 */
export async function halt({ programs, path, password, user }: Cluster): Promise<void> {
  const args = ['stop', '--silent', '--mode=fast', '--wait', '--timeout=600'];
  const done = await runProgram(programs.pg_ctl, args, { user, data: path });
  if (done.code !== 0 && (await probe(path, password)) !== undefined) {
    throw programError('PostgreSQL did not stop', done.output);
  }
}

/**
 * Ends PostgreSQL whatever it is doing, because a start is given up. What was confirmed is safe, and
 * the next start recovers it.
 */
export async function haltNow({ programs, path, user }: Cluster): Promise<void> {
  for (const [mode, seconds] of [
    ['fast', 20],
    ['immediate', 5],
  ] as const) {
    const args = ['stop', '--silent', `--mode=${mode}`, '--wait', `--timeout=${seconds}`];
    const done = await runProgram(programs.pg_ctl, args, { user, data: path }).catch(
      () => undefined,
    );
    const { pid } = await readPidFile(path);
    if (done?.code === 0 || !pid || !(await isPostmaster(pid, path))) return;
    if (mode === 'immediate') process.kill(pid, 'SIGKILL');
  }
}

const GIVE_UP_MS = 30_000;

/** Like `halt`, for a PostgreSQL whose files are gone, or may be: pg_ctl could not find it. */
export async function haltProcess(postmaster: ProcessIdentity): Promise<void> {
  for (const [signal, within] of [
    ['SIGINT', GIVE_UP_MS], // a fast shutdown
    ['SIGQUIT', GIVE_UP_MS], // an immediate one, when its files are gone in the middle of that
  ] as const) {
    if (!(await isRunning(postmaster))) return;
    process.kill(postmaster.pid, signal);
    const deadline = Date.now() + within;
    while ((await isRunning(postmaster)) && Date.now() < deadline) await pause(20);
  }
}
