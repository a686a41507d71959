import { spawn } from 'node:child_process';
import { HOME, WORK_TREE } from '../places.ts';
import { endProcessesOf, kill, markOfCommand, marks } from '../process/descendants.ts';
import { unframe } from '../remote/frames.ts';
import type { CommandOrder } from '../remote/run-command.ts';
import { untilTaken } from './until-taken.ts';

/**
 * Runs a command of the pod. The first frame of the input tells which, the others are its input.
 * When the input ends without a last frame, the worker has gone: the command is ended.
 */
export async function run(): Promise<void> {
  const withStderr = withoutStderr();
  let use: (content: Buffer) => void = (content) => {
    use = start(JSON.parse(content.toString()), withStderr);
  };
  const take = unframe((content) => use(content));
  process.stdin.on('data', take).on('close', () => process.exit(KILLED));
}

const KILLED = 137;

/**
 * Node.js looks at process.stderr whenever a socket closes, and makes it a stream by that. Then
 * writes to it do not wait, also those of the command, which shares it: what does not fit into a
 * pipe would be refused. Returns what makes it available again.
 */
function withoutStderr(): () => void {
  const stderr = Object.getOwnPropertyDescriptor(process, 'stderr') as PropertyDescriptor;
  Object.defineProperty(process, 'stderr', { value: undefined, configurable: true });
  return () => Object.defineProperty(process, 'stderr', stderr);
}

/** Returns what takes its input. */
function start(order: CommandOrder, withStderr: () => void): (content: Buffer) => void {
  const { pod, mark, last, command, args, sockets } = order;
  const env = {
    LANG: 'C.UTF-8',
    HOME,
    TMPDIR: '/tmp',
    GUILDHALL_SOCKETS: sockets,
    // biome-ignore lint/style/noProcessEnv: that of the image, of which a command gets the PATH.
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    ...withSafeTree(order.env),
    ...marks(pod, mark),
  };
  const child = spawn(command, args, {
    env,
    cwd: WORK_TREE,
    detached: true,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const finish = async (code: number, words?: string) => {
    process.stdin.removeAllListeners('close');
    if (child.pid !== undefined) kill(-child.pid);
    await endProcessesOf(markOfCommand(mark)).catch(() => undefined);
    withStderr();
    if (words !== undefined) process.stderr.write(words);
    await untilTaken(last);
    process.exit(code);
  };
  child.on('error', (error) => finish(127, `${error.message}\n`));
  child.on('exit', (code, signal) => finish(signal === null ? (code ?? 1) : KILLED));
  process.stdin.removeAllListeners('close').on('close', () => finish(KILLED));
  const { stdin } = child;
  // It need not read its input.
  stdin.on('error', () => undefined);
  return (content) => {
    if (content.length === 0) stdin.end();
    else if (!stdin.write(content)) {
      process.stdin.pause();
      stdin.once('drain', () => process.stdin.resume());
    }
  };
}

/**
 * Lets git use the work tree also where it belongs to another user, as a volume's folder does that a
 * cluster has made. Settings that the command has in its environment stay.
 */
function withSafeTree(env: CommandOrder['env']): CommandOrder['env'] {
  const count = Number(env.GIT_CONFIG_COUNT ?? 0);
  return {
    ...env,
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: 'safe.directory',
    [`GIT_CONFIG_VALUE_${count}`]: WORK_TREE,
  };
}

/** Ends every process of a command, the helper that runs it excepted: it ends by itself. */
export async function end(mark: string): Promise<void> {
  await endProcessesOf(markOfCommand(mark));
}
