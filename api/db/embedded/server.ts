import { spawn } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Binaries, OsUser } from './files.ts';

/** PostgreSQL's programs at work on one cluster: create it, find it running, start it, stop it. */

export type Cluster = {
  path: string;
  password: string;
  dataDir: string;
  programs: Binaries;
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
const DOOR = { listen_addresses: '127.0.0.1', unix_socket_directories: '' };

/** The address of a database of the cluster, for its owner. */
export const url = (password: string, port: number, database: string) =>
  `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`;

/** Fills an empty directory with a new cluster. `volatile`: for tests, nothing is flushed to the disk. */
export async function initialize(
  programs: Binaries,
  user: OsUser | undefined,
  directory: string,
  password: string,
  volatile: boolean,
): Promise<void> {
  const passwordFile = `${directory}.password`;
  await fs.writeFile(passwordFile, password, { mode: 0o600 });
  try {
    if (user) await fs.chown(passwordFile, user.uid, user.gid);
    // The builtin provider sorts alike everywhere; the libc locale is C because not every system has C.UTF-8.
    const args = `--username=${USER} --auth=scram-sha-256 --encoding=UTF8 --locale-provider=builtin --locale=C`;
    const more = [
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      ...(volatile ? ['--no-sync'] : []),
    ];
    const done = await run(
      programs.initdb,
      [`--pwfile=${passwordFile}`, ...args.split(' '), ...more],
      {
        user,
        data: directory,
      },
    );
    if (done.code !== 0) throw new Error(fault('initdb failed', done.output));
  } finally {
    await fs.rm(passwordFile, { force: true });
  }
}

/** The port of the running PostgreSQL; waits while it starts or stops. Undefined when it does not run. */
export async function findPort(cluster: Cluster): Promise<number | undefined> {
  for (;;) {
    const state = await probe(cluster.path, cluster.password);
    if (state !== 'busy') return state;
    await sleep(100);
  }
}

/**
 * The port, `busy` while it starts or stops, undefined when it does not run. postmaster.pid tells the port, which is believed
 * when a server answers there that knows us and has this cluster. Throws when it refuses our password.
 */
export async function probe(path: string, password: string): Promise<number | 'busy' | undefined> {
  const lines = await fs.readFile(join(path, 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid, , , port] = lines.split('\n').map(Number);
  if (!pid) return undefined;
  if (port) {
    const client = new pg.Client({
      connectionString: url(password, port, 'postgres'),
      ssl: false,
      connectionTimeoutMillis: 5000,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query("select current_setting('data_directory') as path");
      if (resolve(rows[0].path) === path) return port;
    } catch (error) {
      // Not ready, not ours, or gone: the process tells which.
      const refused = (error as { code?: string }).code === '28P01';
      if (refused && (await isPostmaster(pid, path))) {
        throw new Error(
          `The password kept for the cluster ${path} is not the one it was created with.`,
        );
      }
    } finally {
      await client.end().catch(() => {});
    }
  }
  return (await isPostmaster(pid, path)) ? 'busy' : undefined;
}

async function isPostmaster(pid: number, path: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  const directory = await fs.readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return directory === path;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Failures that another try, on another port or a moment later, may mend. */
const PASSING = /could not bind|could not create any TCP\/IP|pre-existing shared memory/i;

/**
 * Starts PostgreSQL and returns its port when it takes connections, after recovery if need be. Only for a cluster on
 * which `findPort` found nobody. Throws an Error with the end of PostgreSQL's log.
 */
export async function boot(cluster: Cluster, settings: Record<string, string>): Promise<number> {
  const pidFile = join(cluster.path, 'postmaster.pid');
  const stale = Number.parseInt(await fs.readFile(pidFile, 'utf8').catch(() => ''), 10);
  // findPort has seen that this is not PostgreSQL. Its own check sees only that a process has the pid, as happens
  // whenever a container starts again, and would refuse.
  if (stale && isAlive(stale)) await fs.rm(pidFile);

  const logFile = join(cluster.dataDir, 'postgres.log');
  const output = await fs.open(logFile, 'a', 0o600);
  try {
    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      const { size } = await output.stat();
      const options = Object.entries({ ...DEFAULTS, ...settings, ...DOOR, port: String(port) }).map(
        ([k, v]) => `-c ${quote(`${k}=${v}`)}`,
      );
      // pg_ctl gives PostgreSQL a session of its own: Ctrl-C reaches the server, which first lets its requests end.
      const args = ['start', '--silent', '--wait', '--timeout=3600', '-o', options.join(' ')];
      const where = { user: cluster.user, data: cluster.path, output: output.fd };
      if ((await run(cluster.programs.pg_ctl, args, where)).code === 0) return port;
      const words = (await fs.readFile(logFile)).subarray(size).toString();
      if (attempt === 5 || !PASSING.test(words))
        throw new Error(fault('PostgreSQL did not start', words));
      await sleep(200 * attempt);
    }
  } finally {
    await output.close();
  }
}

/** Stops PostgreSQL and waits for its end; transactions that are open are rolled back. Fine when it does not run. */
export async function halt({ programs, path, password, user }: Cluster): Promise<void> {
  const args = ['stop', '--silent', '--mode=fast', '--wait', '--timeout=600'];
  const done = await run(programs.pg_ctl, args, { user, data: path });
  if (done.code !== 0 && (await probe(path, password)) !== undefined) {
    throw new Error(fault('PostgreSQL did not stop', done.output));
  }
}

/** A port free now. Another process may take it before PostgreSQL does; `boot` then asks for another. */
function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const server = createServer().on('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => found(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

type Where = { user: OsUser | undefined; data: string; output?: number };

/** Runs one of PostgreSQL's programs to its end. PG* variables meant for the user's own servers are kept from it. */
function run(
  program: string,
  args: string[],
  where: Where,
): Promise<{ code: number | null; output: string }> {
  // biome-ignore lint/style/noProcessEnv: it is handed on to PostgreSQL, not read as configuration.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'));
  const sink = where.output ?? 'pipe';
  return new Promise((done, failed) => {
    const child = spawn(program, args, {
      cwd: process.platform === 'win32' ? undefined : '/', // a directory every user may be in
      env: { ...Object.fromEntries(inherited), PGDATA: where.data, LC_ALL: 'C' },
      stdio: ['ignore', sink, sink],
      ...where.user,
    });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    child.on('error', (error) =>
      failed(new Error(fault(`${program} cannot be run`, error.message))),
    );
    child.on('close', (code) => done({ code, output }));
  });
}

/** For the shell through which pg_ctl starts PostgreSQL. */
const quote = (text: string) =>
  process.platform === 'win32' ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;

const fault = (what: string, words: string) =>
  `${what}. Set DATABASE_URL to use a PostgreSQL of your own. It said:\n${words.trim().split('\n').slice(-12).join('\n')}`;
