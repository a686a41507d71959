import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { SOCKETS } from '../places.ts';
import { type PodCommand, PodError, type PodExit, type PodProcess } from '../pod.ts';
import { type ContainerName, type Engine, HELPER } from './engine.ts';
import { forwardSockets } from './forward-sockets.ts';
import { frame, LAST_FRAME, MOST_FRAME } from './frames.ts';
import { whole } from './whole.ts';

/** Runs one command in a pod, with the helper of the image as its parent. */

export interface RunningCommand {
  process: PodProcess;
  /** Its container is gone, whatever the engine says of the process. */
  lost(): void;
}

/** What the helper gets in the first frame. */
export interface CommandOrder {
  pod: string;
  mark: string;
  /** With which its outputs end: see whole.ts. */
  last: string;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Its folder of sockets. */
  sockets: string;
}

const KILL_WITHIN_MS = 10_000;
/** A shell says so of a process that SIGKILL has ended. */
const KILLED = 137;

/** Rejects with PodError when no process can be started. */
export async function runCommand(
  engine: Engine,
  id: string,
  command: PodCommand,
): Promise<RunningCommand> {
  if (command.signal?.aborted) throw aborted();
  const container: ContainerName = command.tree === 'writable' ? 'build' : 'plan';
  const mark = randomUUID();
  const sockets = `${SOCKETS}/${mark}`;
  const forwarded = await forwardSockets(engine, id, {
    container,
    folder: sockets,
    sockets: command.sockets ?? {},
  });
  const last = randomUUID();
  const raw = await engine.exec(id, container, ['node', HELPER, 'run']).then(
    (process) => whole(process, last),
    (error) => {
      forwarded.close();
      throw error;
    },
  );
  const { args = [], env = {} } = command;
  const order: CommandOrder = { pod: id, mark, last, command: command.command, args, env, sockets };
  raw.stdin.on('error', () => undefined);
  raw.stdin.write(frame(Buffer.from(JSON.stringify(order))));

  /** Its end is ours, and nothing that has to be explained. */
  let killing = false;
  let lost = () => {};
  const gone = new Promise<null>((resolve) => {
    lost = () => {
      killing = true;
      resolve(null);
    };
  });
  const endAll = () => endMarked(engine, id, container, mark);
  const exited = Promise.race([raw.exited, gone]).then(async (code): Promise<PodExit> => {
    const killed = code === null || code === KILLED;
    const end = killed && !killing ? await engine.ended?.(id) : undefined;
    // The helper ends what its command has left, unless it was ended itself.
    if (killed && end === undefined) await endAll().catch(() => undefined);
    command.signal?.removeEventListener('abort', kill);
    forwarded.close();
    raw.disconnect();
    if (code !== null && code <= 128) return { code, signal: null };
    const exit = { code: null, signal: code === null ? null : 'SIGKILL' };
    if (end === undefined) return exit;
    return end === 'lost' ? { ...exit, lost: true } : { ...exit, reason: end };
  });
  const kill = async () => {
    killing = true;
    const late = setTimeout(lost, KILL_WITHIN_MS);
    // Without a last frame: the helper ends its command, also one that it has not started yet.
    raw.stdin.end();
    await endAll().catch(() => undefined);
    await exited;
    clearTimeout(late);
  };
  command.signal?.addEventListener('abort', kill, { once: true });
  if (command.signal?.aborted) {
    await kill();
    throw aborted();
  }
  const { stdout, stderr } = raw;
  const process = { stdin: inFrames(raw.stdin), stdout, stderr, exited, kill };
  return { process, lost };
}

const aborted = () => new PodError('failed', 'the command was aborted');

/** Ends every process of a command. */
async function endMarked(engine: Engine, id: string, container: ContainerName, mark: string) {
  const ending = await engine.exec(id, container, ['node', HELPER, 'end', mark]);
  ending.stdout.resume();
  ending.stderr.resume();
  const late = setTimeout(() => ending.disconnect(), KILL_WITHIN_MS);
  await ending.exited;
  clearTimeout(late);
}

/** A stream whose content and end travel as frames. */
export function inFrames(to: Writable): Writable {
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const parts: Buffer[] = [];
      for (let at = 0; at < chunk.length; at += MOST_FRAME)
        parts.push(frame(chunk.subarray(at, at + MOST_FRAME)));
      to.write(Buffer.concat(parts), done);
    },
    final: (done) => void to.write(LAST_FRAME, () => done()),
  });
  // A process that has ended reads no more: whoever writes learns it from `exited`.
  stream.on('error', () => undefined);
  return stream;
}
