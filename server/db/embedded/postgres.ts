import * as fs from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Cluster, logOf, type Running, readPidFile, USER } from './cluster.ts';
import { findRunning, START_WITHIN, TIMEOUTS, type Waiting } from './find-running.ts';
import { haltNow } from './halt.ts';
import type { OsUser } from './os-user.ts';
import { isAlive, isRunning, type ProcessIdentity } from './process-identity.ts';
import type { Programs } from './programs.ts';
import { programError, runProgram } from './run-program.ts';

/** How a cluster of PostgreSQL is created and started. */

const DEFAULTS = {
  fsync: 'on',
  synchronous_commit: 'on',
  shared_buffers: '128MB',
  max_connections: '100',
  timezone: 'UTC',
  log_timezone: 'UTC',
};
const LISTEN = { listen_addresses: '127.0.0.1', unix_socket_directories: '' };

/**
 * Fills an empty directory with a new cluster. `volatile`: for tests, nothing is flushed to disk.
 * `signal` ends it with its reason, and leaves the directory to the caller.
 */
export async function initialize(
  programs: Programs,
  user: OsUser | undefined,
  directory: string,
  password: string,
  { volatile, signal }: { volatile: boolean; signal: AbortSignal | undefined },
): Promise<void> {
  const passwordFile = `${directory}.password`;
  await fs.writeFile(passwordFile, password, { mode: 0o600 });
  try {
    if (user) await fs.chown(passwordFile, user.uid, user.gid);
    // The builtin provider sorts alike everywhere; the libc locale is C because not every system
    // has C.UTF-8.
    const args = [
      `--pwfile=${passwordFile}`,
      `--username=${USER}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--locale=C',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      ...(volatile ? ['--no-sync'] : []),
    ];
    const where = { user, data: directory, detached: true, signal };
    const done = await runProgram(programs.initdb, args, where);
    signal?.throwIfAborted();
    if (done.code !== 0) throw programError('initdb failed', done.output);
  } finally {
    await fs.rm(passwordFile, { force: true });
  }
}

/** Failures that may not recur on another port or a moment later. */
const TRANSIENT = /could not bind|could not create any TCP\/IP|pre-existing shared memory/i;

/**
 * Starts PostgreSQL and returns when it accepts connections, after recovery if need be. Only for a
 * cluster that `findRunning` did not find. Throws an Error with the end of PostgreSQL's log. Once
 * `signal` is aborted, it stops PostgreSQL again and throws the reason.
 */
export async function boot(
  cluster: Cluster,
  settings: Record<string, string>,
  waiting: Waiting = {},
): Promise<Running> {
  const { log = () => {}, signal, timeouts = TIMEOUTS } = waiting;
  const { pid: stale } = await readPidFile(cluster.path);
  // PostgreSQL only sees that some process has this pid, as is common when a container restarts,
  // and would refuse to start. findRunning has seen that it is not PostgreSQL.
  if (stale && isAlive(stale)) await fs.rm(join(cluster.path, 'postmaster.pid'));

  const logFile = logOf(cluster);
  const output = await fs.open(logFile, 'a', 0o600).catch((error) => {
    throw new Error(`${logFile} cannot be written (${error.code}): choose another DATA_DIR.`, {
      cause: error,
    });
  });
  const late = setTimeout(
    () => log(`PostgreSQL in ${cluster.path} is still starting: waiting. Its log is ${logFile}.`),
    timeouts.say,
  );
  try {
    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      const { size } = await output.stat();
      const all = { ...DEFAULTS, ...settings, ...LISTEN, port: String(port) };
      const options = Object.entries(all).map(([k, v]) => `-c ${quote(`${k}=${v}`)}`);
      // pg_ctl gives PostgreSQL its own session, so that Ctrl-C reaches only the server, which lets
      // its requests end first.
      const wait = ['--wait', `--timeout=${START_WITHIN}`];
      const args = ['start', '--silent', ...wait, '-o', options.join(' ')];
      const where = { user: cluster.user, data: cluster.path, output: output.fd, detached: true };
      const starting = runProgram(cluster.programs.pg_ctl, args, where);
      if (signal !== undefined) await stopWhenAborted(cluster, starting, signal);
      if ((await starting).code === 0) {
        clearTimeout(late);
        const running = await findRunning(cluster, waiting);
        if (running !== undefined) return running;
      }
      const words = (await fs.readFile(logFile)).subarray(size).toString();
      if (attempt === 5 || !TRANSIENT.test(words))
        throw programError('PostgreSQL did not start', words);
      await pause(200 * attempt);
    }
  } finally {
    clearTimeout(late);
    await output.close();
  }
}

/**
 * Waits for `starting`, which is pg_ctl. PostgreSQL can be stopped from the moment on when it has
 * written its process id; it may then be far from accepting connections, as in a long recovery.
 */
async function stopWhenAborted(
  cluster: Cluster,
  starting: Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  let ended = false;
  const stop = async () => {
    while (!ended) {
      await runProgram(cluster.programs.pg_ctl, ['stop', '--silent', '--mode=fast', '--no-wait'], {
        user: cluster.user,
        data: cluster.path,
      }).catch(() => {});
      await pause(50);
    }
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    await starting;
  } finally {
    ended = true;
    signal.removeEventListener('abort', stop);
  }
  if (!signal.aborted) return;
  await haltNow(cluster);
  signal.throwIfAborted();
}

const POLL_EVERY_MS = 250;

/**
 * Settles when this PostgreSQL has ended, for whatever reason. Does not keep the process running.
 */
export async function untilEnded(postmaster: ProcessIdentity): Promise<void> {
  while (await isRunning(postmaster)) await pause(POLL_EVERY_MS, undefined, { ref: false });
}

/**
 * A port that is free now. Another process may take it before PostgreSQL does; `boot` then tries
 * another one.
 */
function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const server = createServer().on('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => found(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** For the shell with which pg_ctl starts PostgreSQL. */
const quote = (text: string) =>
  process.platform === 'win32' ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;
