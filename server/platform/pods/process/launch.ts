import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { identify } from '../../../db/embedded/process-identity.ts';
import type { PodLimits } from '../limits.ts';
import { HOME, SOCKETS } from '../places.ts';
import { type PodCommand, PodError, type PodExit, type PodProcess } from '../pod.ts';
import { bubblewrapArguments } from './bubblewrap.ts';
import { endProcessesOf, kill, markOfCommand, marks } from './descendants.ts';
import { giveSockets, linkSockets } from './link-sockets.ts';
import type { PodFolders, PodUser } from './pod-user.ts';
import { etcOf, type Sandbox, SYSTEM_PATH } from './sandbox.ts';
import type { Use } from './watch-use.ts';

/** Starts one process of a pod, confined as far as this machine can. */

interface Launch {
  id: string;
  command: PodCommand;
  folders: PodFolders;
  limits: PodLimits;
  sandbox: Sandbox;
  user: PodUser | undefined;
  use: Use;
}

/** Ends the process when this one does, however that happens. See guardian.ts. */
const GUARDIAN = join(import.meta.dirname, 'guardian.ts');

/** With the Node.js that runs this server: for agents, and where the machine has none of its own. */
const NODE_FOLDER = dirname(process.execPath);

/** Rejects with PodError when no process can be started. */
export async function launch(options: Launch): Promise<PodProcess> {
  const { command, folders, user, use } = options;
  if (command.signal?.aborted) throw new PodError('failed', 'the command was aborted');
  const confined = options.sandbox.bwrap !== undefined;
  await giveSockets(command.sockets ?? {}, user);
  const [program = '', ...args] = confined ? inSandbox(options) : await asChild(options);
  const mark = randomUUID();
  const child = spawn(program, args, {
    env: environmentOf(options, mark),
    cwd: confined ? '/' : folders.workTree,
    // By the fourth, bubblewrap says what it has started, and the guardian learns that this process
    // has died.
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    // Its own session: no terminal, and a process group that can be ended as one.
    detached: true,
    ...user,
  });
  const first = confined ? firstInSandbox(child.stdio[3] as Readable) : undefined;
  const exited = exitOf(child, use, () => descendantsEnded(mark, first));
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw new PodError('failed', `${command.command} cannot be started`, { cause: error });
  }
  const { stdin } = child;
  const [stdout, stderr] = [kept(child.stdout), kept(child.stderr)];
  // A process that has ended reads no more: whoever writes learns it from `exited`.
  stdin.on('error', () => undefined);
  const end = async () => {
    killGroup(child);
    await exited;
  };
  command.signal?.addEventListener('abort', end, { once: true });
  use.add(child);
  void exited.then(() => command.signal?.removeEventListener('abort', end));
  return { stdin, stdout, stderr, exited, kill: end };
}

/**
 * Node.js throws away what a process that has ended had printed and no one had begun to read. Here it
 * stays, at most what a pipe of the system holds, for whoever reads later.
 */
const kept = (output: Readable): Readable => pipeline(output, new PassThrough(), () => undefined);

function inSandbox({ command, folders, limits, sandbox }: Launch): string[] {
  const { tree, sockets = {}, readable = [] } = command;
  const { workTree, home, root } = folders;
  const view = { workTree, tree, home, sockets, etc: etcOf(dirname(root)) };
  return [
    sandbox.bwrap as string,
    ...bubblewrapArguments({ ...view, readable: [NODE_FOLDER, ...readable] }),
    '--info-fd',
    '3',
    '--',
    ...withLimits(sandbox, limits, command),
  ];
}

/**
 * Without a sandbox the tree stays writable, whatever the command asks for: `isolation` says so. A
 * guardian ends the process and its descendants when this process dies.
 */
async function asChild({ command, folders, limits, sandbox, user }: Launch): Promise<string[]> {
  await linkSockets(folders.temporary, command.sockets ?? {});
  // Without a user of its own, a limit of processes would count those of the whole server.
  const limited = user === undefined ? { ...sandbox, prlimit: undefined } : sandbox;
  const run = withLimits(limited, limits, command);
  return [process.execPath, GUARDIAN, ...run];
}

/** How much of it one process may reserve, as a multiple of the memory of its pod. */
const ADDRESS_SPACE = 8;

/** `processes` counts for the user, the others for each process. */
function withLimits({ prlimit }: Sandbox, limits: PodLimits, command: PodCommand): string[] {
  // Whoever starts an agent means the one that runs this server, whatever the project has.
  const program = command.command === 'node' ? process.execPath : command.command;
  const run = [program, ...(command.args ?? [])];
  if (prlimit === undefined) return run;
  // Of address space, of which Node.js and the JVM take several times what they use: `npm ci` of 300
  // packages ends without a word in 4 GiB. What is used of it is measured (watch-use.ts).
  const data = ADDRESS_SPACE * limits.memory;
  const bounds = [`--nproc=${limits.processes}`, `--data=${data}`, '--core=0'];
  return [prlimit, ...bounds, `--fsize=${limits.disk}`, '--', ...run];
}

function environmentOf(options: Launch, mark: string): Record<string, string> {
  const { id, command, folders, sandbox } = options;
  const confined = sandbox.bwrap !== undefined;
  return {
    LANG: 'C.UTF-8',
    PATH: `${SYSTEM_PATH}:${NODE_FOLDER}`,
    HOME: confined ? HOME : folders.home,
    TMPDIR: confined ? '/tmp' : folders.temporary,
    GUILDHALL_SOCKETS: confined ? SOCKETS : folders.temporary,
    ...command.env,
    ...marks(id, mark),
  };
}

/** Resolves once the descendants have ended, too. */
function exitOf(child: ChildProcess, use: Use, ended: () => Promise<void>): Promise<PodExit> {
  return new Promise((resolve) => {
    child.once('error', () => resolve({ code: null, signal: null }));
    // Not `close`: a descendant that keeps the output open must not keep the turn open.
    child.once('exit', async (code, signal) => {
      killGroup(child);
      await ended();
      const reason = use.exceeded(child);
      resolve({ code, signal, ...(reason === undefined ? {} : { reason }) });
    });
  });
}

/** Undefined where bubblewrap ended before it had started anything. */
async function firstInSandbox(info: Readable): Promise<number | undefined> {
  const said = await text(info).catch(() => '');
  const pid = /"child-pid": (\d+)/.exec(said)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

const LONGEST_WAIT = 1_000;

/**
 * All of a sandbox end with its first process: once the kernel lets that one go, no other is left.
 * To look for them by their mark reads every process of the machine.
 */
async function descendantsEnded(mark: string, first: Promise<number | undefined> | undefined) {
  const pid = await first;
  if (pid !== undefined)
    for (let wait = 1; wait < LONGEST_WAIT; wait *= 2) {
      if ((await identify(pid)) === undefined) return;
      await sleep(wait);
    }
  await endProcessesOf(markOfCommand(mark)).catch(() => undefined);
}

function killGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) kill(-pid);
}
