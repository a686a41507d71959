import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { OtherRelease, PodError, type PodFile, type PodFiles, type TreeBounds } from '../pod.ts';
import { TREE_BOUNDS } from '../tree/bounds.ts';
import { type Engine, type EngineProcess, HELPER } from './engine.ts';
import { gathered } from './gathered.ts';
import { inFrames } from './run-command.ts';
import { whole } from './whole.ts';

/**
 * Files of a pod that is elsewhere. The helper reads and writes them in a container without agents.
 * What it answers is the agent's content, so it is bounded here as well.
 */

/** What the helper is asked for, as its argument; `last`: with which its outputs end (whole.ts). */
export type FileOrder = Wanted & { last: string };

type Wanted =
  | { do: 'read'; path: string; maxBytes: number }
  | { do: 'write' | 'remove' | 'list'; path: string }
  | { do: 'pack' | 'unpack'; bounds: TreeBounds }
  | { do: 'check' };

/** Codes with which the helper ends. */
export const NOT_FOUND = 3;
export const REFUSED = 4;

const WITHIN_MS = 60_000;
const TREE_WITHIN_MS = 600_000;
const MOST_LISTED = 16 * 1_048_576;
const MOST_WORDS = 4_096;

type Input = AsyncIterable<Uint8Array> | readonly Uint8Array[];

export function remoteFiles(engine: Engine, id: string): PodFiles {
  const ask = (order: Wanted, input: Input = [], within = WITHIN_MS) =>
    answerOf(engine, id, order, input, within);

  return {
    async read(path, { maxBytes }) {
      return collect(ask({ do: 'read', path, maxBytes }), maxBytes);
    },
    async write(path, content) {
      await collect(ask({ do: 'write', path }, [content]), 0);
    },
    async remove(path) {
      await collect(ask({ do: 'remove', path }), 0);
    },
    async list(path) {
      const listed = await collect(ask({ do: 'list', path }), MOST_LISTED);
      return listed === undefined ? undefined : filesOf(listed);
    },
    // Everything in the pod has the same user.
    adopt: () => Promise.resolve(),
    pack: (bounds = TREE_BOUNDS) => ask({ do: 'pack', bounds }, [], TREE_WITHIN_MS),
    async unpack(archive, bounds = TREE_BOUNDS) {
      await collect(ask({ do: 'unpack', bounds }, archive, TREE_WITHIN_MS), 0);
    },
  };
}

/** Rejects where the image is none for agents. */
export async function checkHelper(engine: Engine, id: string, image: string): Promise<void> {
  // What the engine refuses is no fault of the image.
  const process = await begin(engine, id, { do: 'check' });
  await collect(outcomeOf(engine, id, process, [], WITHIN_MS), 0).catch((cause) => {
    // A helper of before ends without the end of its outputs.
    if (cause.code === 'unavailable' && !process.cut) throw cause;
    throw new OtherRelease(image, { cause });
  });
}

class NotFound extends Error {}

async function begin(engine: Engine, id: string, wanted: Wanted) {
  const last = randomUUID();
  const order: FileOrder = { ...wanted, last };
  const command = ['node', HELPER, 'files', JSON.stringify(order)];
  return whole(await engine.exec(id, 'files', command), last);
}

async function* answerOf(
  engine: Engine,
  id: string,
  order: Wanted,
  input: Input,
  within: number,
): AsyncGenerator<Buffer> {
  yield* outcomeOf(engine, id, await begin(engine, id, order), input, within);
}

/** Yields what the helper writes; throws PodError, or NotFound, where it ends with a code. */
async function* outcomeOf(
  engine: Engine,
  id: string,
  process: EngineProcess,
  input: Input,
  within: number,
): AsyncGenerator<Buffer> {
  let late = false;
  const deadline = setTimeout(() => {
    late = true;
    process.disconnect();
  }, within);
  const words: Buffer[] = [];
  process.stderr.on('data', (chunk: Buffer) => {
    if (words.length < 64) words.push(chunk.subarray(0, MOST_WORDS));
  });
  let fault: { error: unknown } | undefined;
  void send(process, input).catch((error) => {
    // The helper would wait for the rest.
    fault = { error };
    process.disconnect();
  });
  try {
    for await (const chunk of process.stdout) yield chunk;
    const code = await process.exited;
    if (fault !== undefined) throw fault.error;
    if (code === 0) return;
    if (code === NOT_FOUND) throw new NotFound();
    // Whoever asks what has become of the pod then is told.
    if (code === null && !late) await engine.ended?.(id);
    throw faultOf(late ? null : code, Buffer.concat(words).toString('utf8', 0, MOST_WORDS));
  } catch (error) {
    if (error instanceof PodError || error instanceof NotFound) throw error;
    throw new PodError('unavailable', `pod ${id} does not answer`, { cause: error });
  } finally {
    clearTimeout(deadline);
    process.disconnect();
  }
}

async function send(process: EngineProcess, input: Input): Promise<void> {
  const stdin = inFrames(process.stdin);
  const ended = process.exited.then(() => true);
  for await (const chunk of gathered(input)) {
    if (stdin.write(chunk)) continue;
    if ((await Promise.race([once(stdin, 'drain').then(() => false), ended])) === true) return;
  }
  stdin.end();
}

async function collect(
  answer: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of answer) {
      length += part.length;
      if (length > maxBytes)
        throw new PodError('too_large', `an answer has over ${maxBytes} bytes`);
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
  return Buffer.concat(parts);
}

/** The words are the pod's: none becomes a code that we do not know. */
function faultOf(code: number | null, words: string): PodError {
  if (code === null) return new PodError('unavailable', 'the connection to the pod was lost');
  const [, kind, message = ''] = /^(outside|too_large|failed): (.*)/m.exec(words) ?? [];
  const known = kind === 'outside' || kind === 'too_large' ? kind : 'failed';
  const last = words.trim().split('\n').at(-1);
  return new PodError(known, (message || last || `the helper ended with ${code}`).slice(0, 300));
}

function filesOf(listed: Buffer): PodFile[] {
  const entries: unknown = parse(listed);
  if (!Array.isArray(entries)) throw new PodError('failed', 'the pod lists no files');
  return entries.map((entry) => {
    const { name, type, size } = Object(entry);
    const known = ['file', 'folder', 'link', 'other', 'unnamed'].includes(type);
    if (typeof name !== 'string' || /[/\0]/.test(name) || !known || typeof size !== 'number')
      throw new PodError('failed', 'the pod lists no files');
    return { name, type, size };
  });
}

function parse(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString());
  } catch {
    return undefined;
  }
}
