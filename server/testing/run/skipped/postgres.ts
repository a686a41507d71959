import { spawn } from 'node:child_process';
import { chmod, chown, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, versionOf } from '../../processes/programs.ts';
import type { Place } from './place.ts';

/**
 * A PostgreSQL 15 of the run, owned by an ordinary user; returns the address of its superuser, and
 * where its programs are. With passwords it also has a socket, which the address names as `host`.
 * Throws what it said if it does not start.
 */
export async function startPostgres(
  place: Place,
  auth: 'trust' | 'scram-sha-256' = 'trust',
): Promise<{ url: string; bin: string }> {
  const bin = await binaries(place);
  const data = await mkdtemp(join(place.own, 'postgresql-'));
  const asRoot = process.getuid?.() === 0;
  const user = asRoot ? { uid: 65_534, gid: 65_534 } : {};
  if (asRoot) await chown(data, 65_534, 65_534);
  const port = await freePort();
  const options = [
    '-D',
    data,
    '-U',
    'postgres',
    `--auth=${auth}`,
    '--encoding=UTF8',
    '--locale=C.UTF-8',
  ];
  const password = join(place.own, 'password');
  const passwords = auth === 'trust' ? [] : [`--pwfile=${password}`];
  await writeFile(password, 'postgres\n');
  const all = [...options, ...passwords, '--no-sync'];
  await place.run(join(bin, 'initdb'), all, { ...user, cwd: '/' });
  const sockets = auth === 'trust' ? '' : await mkdtemp(join(place.own, 'socket-'));
  if (sockets !== '') await chmod(sockets, 0o777);
  const settings = ['fsync=off', 'max_connections=300', `unix_socket_directories=${sockets}`];
  const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1'];
  const server = spawn(
    join(bin, 'postgres'),
    [...args, ...settings.flatMap((each) => ['-c', each])],
    {
      ...user,
      env: place.kept,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true, // Ctrl-C is for the tests
    },
  );
  const exited = new Promise((resolve) => server.once('exit', resolve));
  place.atEnd(async () => {
    server.kill('SIGINT');
    await exited;
  });
  let said = '';
  for await (const chunk of server.stderr.iterator({ destroyOnReturn: false })) {
    said += chunk;
    if (said.includes('ready to accept connections')) break;
  }
  if (!said.includes('ready to accept connections'))
    throw new Error(`PostgreSQL 15 did not start: ${said.trim().split('\n').at(-1)}`);
  server.stderr.resume();
  const url = new URL(`postgres://postgres@127.0.0.1:${port}/postgres`);
  if (sockets !== '') {
    url.password = 'postgres';
    url.searchParams.set('host', sockets);
  }
  return { url: url.href, bin };
}

/** Those of this machine, or of Debian's package. */
async function binaries({ folder, unpack }: Place): Promise<string> {
  const installed = '/usr/lib/postgresql/15/bin';
  const unpacked = join(folder, 'root', installed);
  const there = async (bin: string) =>
    (await versionOf(join(bin, 'postgres'), ['--version'])) !== undefined;
  if (await there(installed)) return installed;
  if (!(await there(unpacked))) await unpack('postgresql-15');
  return unpacked;
}
