import * as fs from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { connectSingle } from '../database/single-connection.ts';
import type { OsUser } from './os-user.ts';
import { identify, isAlive, isRunning, type ProcessIdentity } from './process-identity.ts';
import type { Programs } from './programs.ts';
import { programError, runProgram } from './run-program.ts';

/** One cluster of PostgreSQL: how it is created, found running, started and stopped. */

export type Cluster = {
  path: string;
  password: string;
  dataDir: string;
  programs: Programs;
  user: OsUser | undefined;
};

const USER = 'guildhall';

const DEFAULTS = {
  fsync: 'on',
  synchronous_commit: 'on',
  shared_buffers: '128MB',
  max_connections: '100',
  timezone: 'UTC',
  log_timezone: 'UTC',
};
const LISTEN = { listen_addresses: '127.0.0.1', unix_socket_directories: '' };

/** The main process of a cluster that runs, and its port. */
export type Running = { port: number; postmaster: ProcessIdentity };

/** The address of a database of the cluster, for its owner. */
export const url = (password: string, port: number, database: string) =>
  `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`;

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

/** The running PostgreSQL; waits while it starts or stops. Undefined when it does not run. */
export async function findRunning(
  cluster: Cluster,
  signal?: AbortSignal,
): Promise<Running | undefined> {
  for (;;) {
    signal?.throwIfAborted();
    const state = await probe(cluster.path, cluster.password, signal);
    if (state !== 'busy') return state;
    await sleep(100);
  }
}

/**
 * The running PostgreSQL, `busy` while it starts or stops, undefined when it does not run. The port
 * in postmaster.pid is believed only when a server there accepts our password and has this cluster.
 * Throws when it refuses our password.
 */
export async function probe(
  path: string,
  password: string,
  signal?: AbortSignal,
): Promise<Running | 'busy' | undefined> {
  const { pid, port } = await readPidFile(path);
  if (!pid) return undefined;
  if (port) {
    let client: pg.Client | undefined;
    try {
      client = await connectSingle(url(password, port, 'postgres'), { ssl: false, signal });
      const { rows } = await client.query("select current_setting('data_directory') as path");
      const postmaster = resolve(rows[0].path) === path ? await identify(pid) : undefined;
      if (postmaster !== undefined) return { port, postmaster };
    } catch (error) {
      signal?.throwIfAborted();
      // Not ready, another server, or gone: the process tells which.
      const refused = (error as { code?: string }).code === '28P01';
      if (refused && (await isPostmaster(pid, path))) {
        throw new Error(
          `The password stored for the cluster ${path} is not the one it was created with.`,
        );
      }
    } finally {
      await client?.end().catch(() => {});
    }
  }
  return (await isPostmaster(pid, path)) ? 'busy' : undefined;
}

async function readPidFile(path: string): Promise<{ pid?: number; port?: number }> {
  const text = await fs.readFile(join(path, 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid, , , port] = text.split('\n').map(Number);
  return { ...(pid ? { pid } : {}), ...(port ? { port } : {}) };
}

async function isPostmaster(pid: number, path: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  const directory = await fs.readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return directory === path;
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
  signal?: AbortSignal,
): Promise<Running> {
  const { pid: stale } = await readPidFile(cluster.path);
  // PostgreSQL only sees that some process has this pid, as is common when a container restarts,
  // and would refuse to start. findRunning has seen that it is not PostgreSQL.
  if (stale && isAlive(stale)) await fs.rm(join(cluster.path, 'postmaster.pid'));

  const logFile = join(cluster.dataDir, 'postgres.log');
  const output = await fs.open(logFile, 'a', 0o600);
  try {
    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      const { size } = await output.stat();
      const all = { ...DEFAULTS, ...settings, ...LISTEN, port: String(port) };
      const options = Object.entries(all).map(([k, v]) => `-c ${quote(`${k}=${v}`)}`);
      // pg_ctl gives PostgreSQL its own session, so that Ctrl-C reaches only the server, which lets
      // its requests end first.
      const args = ['start', '--silent', '--wait', '--timeout=3600', '-o', options.join(' ')];
      const where = { user: cluster.user, data: cluster.path, output: output.fd, detached: true };
      const starting = runProgram(cluster.programs.pg_ctl, args, where);
      if (signal !== undefined) await stopWhenAborted(cluster, starting, signal);
      if ((await starting).code === 0) {
        const running = await findRunning(cluster, signal);
        if (running !== undefined) return running;
      }
      const words = (await fs.readFile(logFile)).subarray(size).toString();
      if (attempt === 5 || !TRANSIENT.test(words))
        throw programError('PostgreSQL did not start', words);
      await sleep(200 * attempt);
    }
  } finally {
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
      await sleep(50);
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
  await halt(cluster);
  signal.throwIfAborted();
}

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
    while ((await isRunning(postmaster)) && Date.now() < deadline) await sleep(20);
  }
}

const LOOK_EVERY_MS = 250;

/**
 * Settles when this PostgreSQL has ended, for whatever reason. Does not keep the process running.
 */
export async function untilEnded(postmaster: ProcessIdentity): Promise<void> {
  while (await isRunning(postmaster)) await sleep(LOOK_EVERY_MS, undefined, { ref: false });
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
