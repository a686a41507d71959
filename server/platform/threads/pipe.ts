import type { MessagePort } from 'node:worker_threads';

/**
 * Bytes from one thread to another, through a port of each. They move without being copied, in
 * pieces of this size, and no more of them are under way than whoever receives has room for: a slow
 * reader or writer holds up the other one, and fills no memory.
 */
const PIECE = 262_144;
const UNDER_WAY = 4;

/** From whoever sends: bytes, or how they have ended. The port is closed after that. */
type Sent = Uint8Array<ArrayBuffer> | { fault: Fault | undefined };
/** From whoever receives: there is room for one more piece; or what follows is not wanted. */
type Word = 'more' | 'stop';

/** An error as it passes from one thread to another, which knows nothing of its class. */
interface Fault {
  message: string;
  code: string | undefined;
}

const faultOf = (error: unknown): Fault => {
  const { message = String(error), code } = Object(error);
  return { message, code };
};

/**
 * Sends what `source` yields, and then closes the port. When whoever receives has had enough, or
 * its thread has ended, `source` is ended, too. Rejects with what `source` throws before that, of
 * which the other side gets a `Fault`.
 */
export async function send(port: MessagePort, source: AsyncIterable<Uint8Array>): Promise<void> {
  let room = UNDER_WAY;
  let stopped = false;
  let wake = () => {};
  port.on('message', (word: Word) => {
    if (word === 'more') room += 1;
    else stopped = true;
    wake();
  });
  port.once('close', () => {
    stopped = true;
    wake();
  });
  const post = async (bytes: Uint8Array<ArrayBuffer>) => {
    while (room === 0 && !stopped) await new Promise<void>((resolve) => (wake = resolve));
    if (stopped) return;
    room -= 1;
    port.postMessage(bytes satisfies Sent, [bytes.buffer]);
  };
  let fault: Fault | undefined;
  try {
    // What is sent is gone here, so it must be a copy: a source may keep what it has yielded.
    let piece: Uint8Array<ArrayBuffer> | undefined;
    let length = 0;
    for await (const part of source) {
      for (let at = 0; at < part.length && !stopped; ) {
        piece ??= new Uint8Array(PIECE);
        const some = part.subarray(at, at + PIECE - length);
        piece.set(some, length);
        length += some.length;
        at += some.length;
        if (length < PIECE) continue;
        await post(piece);
        piece = undefined;
        length = 0;
      }
      if (stopped) break;
    }
    if (piece !== undefined) await post(piece.subarray(0, length));
  } catch (error) {
    if (stopped) return;
    fault = faultOf(error);
    throw error;
  } finally {
    port.postMessage({ fault } satisfies Sent);
    port.close();
  }
}

/** What the source of the other side has thrown. */
export class SourceFailed extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** Whoever sends has ended without a word. */
export class SenderGone extends Error {}

/**
 * Yields what is sent. Throws `SourceFailed`, `SenderGone`, and the reason of `signal` once that is
 * aborted. Whoever sends learns that no more is wanted.
 */
export async function* receive(
  port: MessagePort,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const arrived: Sent[] = [];
  let closed = false;
  let wake = () => {};
  port.on('message', (sent: Sent) => {
    arrived.push(sent);
    wake();
  });
  port.once('close', () => {
    closed = true;
    wake();
  });
  const say = (word: Word) => port.postMessage(word);
  const abort = () => {
    say('stop');
    wake();
  };
  signal?.addEventListener('abort', abort, { once: true });
  try {
    for (;;) {
      signal?.throwIfAborted();
      const sent = arrived.shift();
      if (sent instanceof Uint8Array) {
        yield sent;
        say('more');
      } else if (sent !== undefined) {
        if (sent.fault !== undefined) throw new SourceFailed(sent.fault);
        return;
      } else if (closed) throw new SenderGone();
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    say('stop');
  }
}
