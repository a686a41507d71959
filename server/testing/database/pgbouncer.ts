import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort, versionOf } from '../processes/programs.ts';

/** A real PgBouncer in transaction mode, in front of one PostgreSQL. */
export interface PgBouncer {
  /** The same address, past PgBouncer. */
  url(databaseUrl: string): string;
  start(settings?: Record<string, string>): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Why tests with PgBouncer are skipped; false if a version that supports named statements is
 * installed.
 */
export async function pgBouncerMissing(): Promise<string | false> {
  const line = await versionOf('pgbouncer', ['--version']);
  const [, major, minor] = /^PgBouncer (\d+)\.(\d+)/.exec(line ?? '') ?? [];
  if (major === undefined) return 'there is no pgbouncer on the path';
  const fits = Number(major) > 1 || Number(minor) >= 21;
  return fits ? false : `${line} does not know named statements: 1.21 or newer is needed`;
}

/** Started before the server of `databaseUrl`, with the logins of `users` (name → password). */
export async function startPgBouncer(
  databaseUrl: string,
  users: Record<string, string>,
): Promise<PgBouncer> {
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-pgbouncer-'));
  await chmod(directory, 0o755); // as root, PgBouncer switches to another user
  const port = await freePort();
  const { hostname, port: target } = new URL(databaseUrl);
  const config = join(directory, 'pgbouncer.ini');
  const logins = join(directory, 'users.txt');
  await writeFile(
    logins,
    Object.entries(users)
      .map(([name, password]) => `"${name}" "${password}"\n`)
      .join(''),
  );
  let child: ReturnType<typeof spawn> | undefined;

  const bouncer: PgBouncer = {
    url: (given) => {
      const url = new URL(given);
      url.hostname = '127.0.0.1';
      url.port = String(port);
      return url.href;
    },
    start: async (settings = {}) => {
      const all = {
        listen_addr: '127.0.0.1',
        listen_port: port,
        unix_socket_dir: '',
        pool_mode: 'transaction',
        max_prepared_statements: 200,
        default_pool_size: 6,
        max_client_conn: 200,
        auth_type: 'scram-sha-256',
        auth_file: logins,
        ...(process.getuid?.() === 0 ? { user: 'nobody' } : {}),
        ...settings,
      };
      const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}\n`);
      await writeFile(
        config,
        `[databases]\n* = host=${hostname} port=${target}\n[pgbouncer]\n${lines.join('')}`,
      );
      child = spawn('pgbouncer', ['--quiet', config], { stdio: 'ignore' });
      for (let i = 0; !(await answers(port)); i++) {
        if (i > 200 || child.exitCode !== null) throw new Error('PgBouncer did not start');
        await pause(20);
      }
    },
    kill: async () => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
    close: async () => {
      await bouncer.kill();
      await rm(directory, { recursive: true });
    },
  };
  await bouncer.start();
  return bouncer;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
