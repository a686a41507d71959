import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { access, chmod, constants, mkdir, rename, writeFile } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import type { OsUser } from '../../../db/embedded/os-user.ts';
import { bubblewrapArguments, OWN_SETTINGS } from './bubblewrap.ts';

/** What this machine offers to confine the processes of pods. */

const exec = promisify(execFile);

export interface Sandbox {
  /** Absolute path of bubblewrap; undefined when processes are not confined. */
  bwrap: string | undefined;
  /** Absolute path of prlimit of util-linux; without it, processes have no limits of their own. */
  prlimit: string | undefined;
  /** Whether each pod has a user of its own, which only root can give it. */
  ownUsers: boolean;
}

interface Options {
  /** The folder of all pods, which is there. */
  directory: string;
  wanted: 'required' | 'preferred' | 'off';
  /** Why the sandbox is required where the operator has not asked for it, as a clause. */
  because?: string | undefined;
  /** Where the programs of this machine are looked for, as in PATH. */
  path?: string | undefined;
  onWarning: (sentence: string) => void;
}

/** Where programs of pods are looked for: the same for everyone, whatever the PATH of the server. */
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Rejects with an Error when the sandbox is required and does not work here. */
export async function openSandbox(options: Options): Promise<Sandbox> {
  const { directory, wanted, because, path = SYSTEM_PATH, onWarning } = options;
  const etc = await makeEtc(directory);
  for (const [name, content] of Object.entries(OWN_SETTINGS))
    await writeSettings(join(etc, name), content);
  const ownUsers = podUser() !== undefined;
  const sandbox = { bwrap: undefined, prlimit: await find('prlimit', path), ownUsers };
  if (wanted === 'off') {
    onWarning(`Agents are not confined: PODS_SANDBOX is off. ${RISK}`);
    return sandbox;
  }
  const bwrap = await find('bwrap', path);
  const fault =
    bwrap === undefined ? 'bubblewrap (bwrap) is not installed' : await probe(bwrap, directory);
  if (fault === undefined) return { ...sandbox, bwrap };
  if (wanted === 'required')
    throw new Error(
      `Pods cannot be confined: ${fault}.${because === undefined ? '' : ` They must be, because ${because}.`} ` +
        'Install bubblewrap, or set PODS_SANDBOX=off to let every person with a task run programs ' +
        'here, beside the database.',
    );
  onWarning(`Agents are not confined: ${fault}. ${RISK}`);
  return sandbox;
}

const RISK =
  'Whoever may give an agent a task can run programs here, and read what the server may read.';

/** Any of the users that pods are given; undefined where they run as the user of this process. */
export const podUser = (): OsUser | undefined =>
  process.getuid?.() === 0 ? { uid: PROBE_USER, gid: PROBE_USER } : undefined;

/** The folder with the settings that pods see; its name is no id of a pod. */
export const etcOf = (directory: string): string => join(directory, 'etc');

/**
 * Makes what is missing of the folder of all pods: people clean up while a server runs. Each file
 * appears whole, because processes of pods begin meanwhile.
 */
export async function keepPlace(directory: string): Promise<void> {
  const etc = etcOf(directory);
  for (const [name, content] of Object.entries(OWN_SETTINGS)) {
    const file = join(etc, name);
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (isThere) continue;
    await makeEtc(directory);
    if (podUser() !== undefined) await chmod(directory, PLACE);
    const written = `${file}.${randomUUID()}`;
    await writeSettings(written, content);
    await rename(written, file);
  }
}

async function makeEtc(directory: string): Promise<string> {
  const etc = etcOf(directory);
  await mkdir(etc, { recursive: true });
  await chmod(etc, 0o755);
  return etc;
}

/** Read by the users of pods and written by none of them, whatever the umask of the server is. */
async function writeSettings(file: string, content: string): Promise<void> {
  await writeFile(file, content);
  await chmod(file, 0o644);
}

/** Users of pods pass through, and may not list the others. */
export const PLACE = 0o711;

/** The absolute path of a program; undefined where there is none. */
export async function find(program: string, path: string): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const file = join(folder, program);
    const runs = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return file;
  }
  return undefined;
}

/** The first of the users that pods are given; see process-driver.ts. */
export const FIRST_USER = 1_000_000_000;
const PROBE_USER = FIRST_USER - 1;

/** Runs Node.js in the sandbox once. Undefined when that works, otherwise what is wrong. */
async function probe(bwrap: string, directory: string): Promise<string | undefined> {
  const args = bubblewrapArguments({
    workTree: directory,
    tree: 'read-only',
    home: undefined,
    sockets: {},
    etc: etcOf(directory),
    readable: [dirname(process.execPath)],
  });
  try {
    await exec(bwrap, [...args, '--', process.execPath, '--version'], {
      ...podUser(),
      timeout: 10_000,
      env: { PATH: SYSTEM_PATH },
      cwd: '/',
    });
    return undefined;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    return `bubblewrap does not work here (${(stderr || message).trim().split('\n')[0]})`;
  }
}
