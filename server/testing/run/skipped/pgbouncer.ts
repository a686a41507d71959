import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from './place.ts';

/** The one before this release of Debian has PgBouncer 1.18, which knows no named statements. */
const SUITE = 'trixie';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** The address of Debian's mirror in either format of the sources of apt. */
const MIRROR = /^(?:URIs: *|deb (?:\[.*\] )?)(\S+\/debian)\b/m;

/** Puts a PgBouncer of 1.21 or newer into the folder, unless the machine has one. */
export async function providePgBouncer(place: Place): Promise<void> {
  if (await isNew(place)) return;
  await place.unpack('pgbouncer').catch(() => {}); // this release may have none
  if (await isNew(place)) return;
  const { folder, own, run } = place;
  const [apt, root] = [join(own, 'apt'), join(folder, SUITE)];
  for (const each of ['state/lists/partial', 'cache/archives/partial', 'debs'])
    await mkdir(join(apt, each), { recursive: true });
  const sources = join(apt, 'sources.list');
  await writeFile(sources, `deb [signed-by=${KEYRING}] ${await mirror(place)} ${SUITE} main\n`);
  await writeFile(join(apt, 'status'), '');
  // Its own lists and no installed packages: nothing of the machine's apt is read or changed.
  const settings = {
    'Dir::State': join(apt, 'state'),
    'Dir::State::status': join(apt, 'status'),
    'Dir::Cache': join(apt, 'cache'),
    'Dir::Etc::sourcelist': sources,
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
  };
  const config = join(apt, 'apt.conf');
  const lines = Object.entries(settings).map(([name, value]) => `${name} "${value}";\n`);
  await writeFile(config, lines.join(''));
  const options = { env: { ...place.env, APT_CONFIG: config }, cwd: join(apt, 'debs') };
  await run('apt-get', ['update', '-qq'], options);
  const install = ['-s', 'install', '--no-install-recommends', 'pgbouncer'];
  const { stdout } = await run('apt-get', install, options);
  const wanted = [...stdout.matchAll(/^Inst ((?:lib|zlib|pgbouncer)\S*) \((\S+)/gm)];
  const files = wanted.map(([, name, version]) => `${name}=${version}`);
  await run('apt-get', ['download', '-qq', ...files], options);
  for (const file of await readdir(options.cwd))
    await run('dpkg', ['-x', join(options.cwd, file), root]);
  // With the C library that it was built with, which is newer than that of the machine.
  const { path: libraries, loader } = await loaderIn(root);
  const bin = join(folder, 'root/usr/sbin');
  await mkdir(bin, { recursive: true });
  await writeFile(
    join(bin, 'pgbouncer'),
    `#!/bin/sh\nexec '${loader}' --library-path '${libraries}' '${root}/usr/sbin/pgbouncer' "$@"\n`,
    { mode: 0o755 },
  );
  if (!(await isNew(place))) throw new Error(`PgBouncer of Debian ${SUITE} does not run here`);
}

async function isNew({ run }: Place): Promise<boolean> {
  const { stdout } = await run('pgbouncer', ['--version']).catch(() => ({ stdout: '' }));
  const [, major, minor] = /^PgBouncer (\d+)\.(\d+)/.exec(stdout) ?? [];
  return Number(major) > 1 || Number(minor) >= 21;
}

async function mirror({ run }: Place): Promise<string> {
  const script = 'cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2> /dev/null; true';
  const { stdout } = await run('sh', ['-c', script]);
  const found = process.env.DEBIAN_MIRROR ?? MIRROR.exec(stdout)?.[1];
  if (found === undefined)
    throw new Error('PgBouncer must be 1.21 or newer; DEBIAN_MIRROR may name a mirror of Debian');
  return found;
}

async function loaderIn(root: string): Promise<{ loader: string; path: string }> {
  for (const machine of await readdir(join(root, 'usr/lib'))) {
    const path = join(root, 'usr/lib', machine);
    const names = await readdir(path).catch(() => []);
    const name = names.find((each) => /^ld-linux.*\.so\.\d+$/.test(each));
    if (name !== undefined) return { loader: join(path, name), path };
  }
  throw new Error(`${root} has no C library`);
}
