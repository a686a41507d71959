import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';

/**
 * A container for the fakes of container engines: bubblewrap makes its namespaces, and nsenter
 * runs further processes in them, as an engine's exec does. Its image is the system of this machine
 * and the helper of pods.
 */

interface Mount {
  /** Folder of this machine. */
  source: string;
  target: string;
  readOnly: boolean;
}

export interface Container {
  exec(command: readonly string[]): ChildProcess;
  /** Ends everything in it. */
  stop(): Promise<void>;
  readonly running: boolean;
}

const ROOT = join(import.meta.dirname, '../../../..');
const NODE = dirname(process.execPath);
const PATH = '/opt/node:/usr/local/bin:/usr/bin:/bin';
/** In the image, where deploy/agent.Dockerfile fills it; here, the first container does. */
const COMPILED = '/opt/guildhall/.compiled';
const COMPILED_HERE = join(ROOT, 'node_modules/.cache/pods');

/** What deploy/agent.Dockerfile copies. */
const IMAGE = [
  'package.json',
  'server/platform/pods',
  'server/runner/agents/sandbox',
  'node_modules/@agentclientprotocol/sdk',
  'node_modules/zod',
];

/** Why there are no containers on this machine; false when there are. */
export const withoutContainers: string | false =
  process.platform === 'linux' && existsSync('/usr/bin/bwrap') && existsSync('/usr/bin/nsenter')
    ? false
    : 'needs bubblewrap and nsenter';

export async function startContainer(
  mounts: readonly Mount[],
  temporary: readonly string[],
  command: readonly string[],
): Promise<Container> {
  await mkdir(COMPILED_HERE, { recursive: true });
  const args = [
    '--unshare-all',
    '--unshare-user',
    '--disable-userns',
    '--die-with-parent',
    '--uid',
    '1000',
    '--gid',
    '1000',
    '--cap-drop',
    'ALL',
    '--clearenv',
    '--ro-bind',
    '/usr',
    '/usr',
    '--symlink',
    'usr/bin',
    '/bin',
    '--symlink',
    'usr/lib',
    '/lib',
    '--symlink',
    'usr/lib64',
    '/lib64',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--ro-bind',
    NODE,
    '/opt/node',
    '--dir',
    '/pod/home',
    ...IMAGE.flatMap((path) => ['--ro-bind', join(ROOT, path), join('/opt/guildhall', path)]),
    '--bind',
    COMPILED_HERE,
    COMPILED,
    ...mounts.flatMap(({ source, target, readOnly }) => [
      readOnly ? '--ro-bind' : '--bind',
      source,
      target,
    ]),
    ...temporary.flatMap((target) => ['--tmpfs', target]),
    '--setenv',
    'PATH',
    PATH,
    '--remount-ro',
    '/',
    '--info-fd',
    '3',
  ];
  const init = spawn('/usr/bin/bwrap', [...args, '--', ...command], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const pid = await pidOf(init.stdio[3] as Readable);
  const ended = once(init, 'exit');
  // Its init process has made the mounts once it has become that of the container.
  await until(async () => (await runs(enter(pid, ['true']))) === 0);
  return {
    get running() {
      return init.exitCode === null && init.signalCode === null;
    },
    exec: (inside) => enter(pid, inside),
    async stop() {
      init.kill('SIGKILL');
      await ended;
    },
  };
}

/**
 * What bubblewrap tells of the first process of a container, as JSON and in parts. It is read to its
 * end: bubblewrap dies when no one takes the rest.
 */
function pidOf(info: Readable): Promise<number> {
  let text = '';
  return new Promise((resolve, reject) => {
    info.on('data', (part) => {
      text += part;
      const [, pid] = /"child-pid": (\d+),?\s/.exec(text) ?? [];
      if (pid !== undefined) resolve(Number(pid));
    });
    info.on('end', () => reject(new Error('bubblewrap makes no container')));
  });
}

function enter(pid: number, command: readonly string[]): ChildProcess {
  const namespaces = ['--user', '--mount', '--pid', '--ipc', '--net', '--uts', '--cgroup'];
  const where = ['--preserve-credentials', '--wdns=/pod/work'];
  return spawn(
    '/usr/bin/nsenter',
    ['--target', String(pid), ...namespaces, ...where, '--', ...command],
    {
      env: { PATH, NODE_COMPILE_CACHE: COMPILED },
      stdio: 'pipe',
    },
  );
}

const runs = async (child: ChildProcess) => (await once(child, 'exit'))[0];

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < 200; round += 1) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('the container does not start');
}
