import { execFile } from 'node:child_process';
import { access, chmod, constants, mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { canEnter } from '../../db/embedded/os-user.ts';
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
  /** The folder of all pods. */
  directory: string;
  wanted: 'required' | 'preferred' | 'off';
  onWarning: (sentence: string) => void;
}

/** Where programs are looked for: the same for everyone, whatever the PATH of the server. */
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Rejects with an Error when the sandbox is required and does not work here. */
export async function openSandbox({ directory, wanted, onWarning }: Options): Promise<Sandbox> {
  const ownUsers = process.getuid?.() === 0;
  await mkdir(directory, { recursive: true });
  if (ownUsers) await openToUsersOfPods(directory);
  await mkdir(etcOf(directory), { recursive: true });
  for (const [name, content] of Object.entries(OWN_SETTINGS))
    await writeFile(join(etcOf(directory), name), content);
  const sandbox = { bwrap: undefined, prlimit: await find('prlimit'), ownUsers };
  if (wanted === 'off') return sandbox;
  const bwrap = await find('bwrap');
  const fault =
    bwrap === undefined ? 'bubblewrap (bwrap) is not installed' : await probe(bwrap, directory);
  if (fault === undefined) return { ...sandbox, bwrap };
  if (wanted === 'required')
    throw new Error(`Pods cannot be confined: ${fault}. Install bubblewrap, or set PODS_SANDBOX.`);
  onWarning(`Pods are not confined: ${fault}. Whoever may give an agent a task can run programs.`);
  return sandbox;
}

/** The folder with the settings that pods see; its name is no id of a pod. */
export const etcOf = (directory: string): string => join(directory, 'etc');

/** The user of each pod must reach its own folder, and may not list the others. */
async function openToUsersOfPods(directory: string): Promise<void> {
  await chmod(directory, 0o711);
  if (!(await canEnter(await realpath(directory), { uid: PROBE_USER, gid: PROBE_USER })))
    throw new Error(
      `${directory} must be in a directory that every user may enter (chmod o+x), ` +
        'because each pod runs as a user of its own.',
    );
}

async function find(program: string): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  for (const folder of SYSTEM_PATH.split(':')) {
    const path = join(folder, program);
    const runs = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return path;
  }
  return undefined;
}

/** The first of the users that pods are given; see process-driver.ts. */
export const FIRST_USER = 1_000_000_000;
const PROBE_USER = FIRST_USER - 1;

/** Runs Node.js in the sandbox once. Undefined when that works, otherwise what is wrong. */
async function probe(bwrap: string, directory: string): Promise<string | undefined> {
  const args = bubblewrapArguments({
    ...{ workTree: directory, tree: 'read-only', home: undefined, sockets: {} },
    ...{ etc: etcOf(directory), readable: [dirname(process.execPath)] },
  });
  const user = process.getuid?.() === 0 ? { uid: PROBE_USER, gid: PROBE_USER } : {};
  try {
    await exec(bwrap, [...args, '--', process.execPath, '--version'], {
      ...user,
      ...{ timeout: 10_000, env: { PATH: SYSTEM_PATH }, cwd: '/' },
    });
    return undefined;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    return `bubblewrap does not work here (${(stderr || message).trim().split('\n')[0]})`;
  }
}
