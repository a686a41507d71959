import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { HOME, SOCKETS, WORK_TREE } from '../places.ts';

/** What a process in the sandbox sees, as arguments of bubblewrap. */

interface View {
  /** Folder of this machine that is the work tree. */
  workTree: string;
  tree: 'read-only' | 'writable';
  /** Folder of this machine that is HOME; undefined for none. */
  home: string | undefined;
  /** Folder with the passwd, group and hosts that it sees. */
  etc: string;
  /** Paths of sockets of this machine by their name in the pod. */
  sockets: Readonly<Record<string, string>>;
  /** Paths of this machine that are seen at the same place. */
  readable: readonly string[];
  /** Another root for the system: a folder of this machine with `usr` and `etc`. */
  system?: string | undefined;
}

const TEMPORARY_BYTES = String(256 * 1024 ** 2);

/** The system, without anything that belongs to one machine: no passwords, keys or host names. */
const SYSTEM_FOLDERS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
const SYSTEM_SETTINGS = [
  'alternatives',
  'ca-certificates',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'mime.types',
  'nsswitch.conf',
  'pki',
  'protocols',
  'services',
  'ssl/certs',
  'ssl/openssl.cnf',
];

/** Files of /etc that name the one user there is. */
export const OWN_SETTINGS = {
  passwd: `agent:x:1000:1000:agent:${HOME}:/bin/sh\n`,
  group: 'agent:x:1000:\n',
  hosts: '127.0.0.1 localhost pod\n',
};

/**
 * The environment is that of bubblewrap itself: as arguments, its values could be read by every
 * user of this machine.
 *
 * Every namespace is unshared, so there is no network, no process of others and no user but its
 * own; no capability is left. The root and /dev are read-only at the end, because both are file
 * systems in memory that nothing would bound.
 */
export function bubblewrapArguments(view: View): string[] {
  const { workTree, tree, home, etc, sockets, readable, system = '/' } = view;
  return [
    '--unshare-all',
    '--unshare-user',
    '--disable-userns',
    '--die-with-parent',
    '--uid',
    '1000',
    '--gid',
    '1000',
    '--hostname',
    'pod',
    '--cap-drop',
    'ALL',
    '--ro-bind',
    join(system, 'usr'),
    '/usr',
    ...SYSTEM_FOLDERS.flatMap((path) => systemFolder(path, system)),
    ...SYSTEM_SETTINGS.flatMap((name) => [
      '--ro-bind-try',
      join(system, 'etc', name),
      `/etc/${name}`,
    ]),
    ...Object.keys(OWN_SETTINGS).flatMap((name) => ['--ro-bind', `${etc}/${name}`, `/etc/${name}`]),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--size',
    TEMPORARY_BYTES,
    '--tmpfs',
    '/dev/shm',
    '--size',
    TEMPORARY_BYTES,
    '--tmpfs',
    '/tmp',
    ...readable.flatMap((path) => ['--ro-bind', path, path]),
    ...(home === undefined ? [] : ['--bind', home, HOME]),
    tree === 'writable' ? '--bind' : '--ro-bind',
    workTree,
    WORK_TREE,
    ...Object.entries(sockets).flatMap(([name, path]) => ['--bind', path, `${SOCKETS}/${name}`]),
    '--remount-ro',
    '/dev',
    '--remount-ro',
    '/',
    '--chdir',
    WORK_TREE,
  ];
}

/** Where /bin is a link to /usr/bin, so it is in the pod. */
function systemFolder(path: string, system: string): string[] {
  const there = join(system, path);
  if (!existsSync(there)) return [];
  if (lstatSync(there).isSymbolicLink()) return ['--symlink', readlinkSync(there), path];
  return ['--ro-bind', there, path];
}
