import type { IncomingMessage } from 'node:http';
import { requestTimeout } from './errors.ts';
import { bytesOf } from './read-body.ts';

/** A sender that the server waits for this long must have sent so much meanwhile. */
interface Pace {
  /** Milliseconds. */
  timeout: number;
  bytes: number;
  /** Milliseconds that all of it may take. */
  longest?: number;
}

const PACE: Pace = { timeout: 15_000, bytes: 16 * 1024 };
/** A dump of gibibytes takes hours on a slow line; one that takes a day has no sender who waits. */
const LONGEST_MS = 4 * 3_600_000;

const steadyUntil = new WeakMap<IncomingMessage, number>();

/**
 * Until when its reader has watched that its body goes on, in milliseconds as `performance.now()`;
 * Infinity while it does, 0 for a body without such a reader.
 */
export const watchedUntil = (request: IncomingMessage): number => steadyUntil.get(request) ?? 0;

/**
 * A large body as it arrives, for as long as its sender goes on. Only the time that its reader waits
 * for it counts, so a slow reader is no fault of the sender. Errors: 408 request_timeout for one that
 * makes no progress, or takes too long in all, 413 body_too_large, 400 for one whose sender has gone.
 */
export async function* steadyBody(
  request: IncomingMessage,
  maxBytes: number,
  { timeout, bytes, longest = LONGEST_MS }: Pace = PACE,
): AsyncGenerator<Buffer, void> {
  const chunks = bytesOf(request, maxBytes);
  let left = timeout;
  let received = 0;
  const end = performance.now() + longest;
  steadyUntil.set(request, Number.POSITIVE_INFINITY);
  try {
    for (;;) {
      const since = performance.now();
      const { value } = await within(chunks.next(), Math.min(left, end - since));
      if (value === undefined) return;
      left -= performance.now() - since;
      received += value.length;
      if (received >= bytes) {
        received = 0;
        left = timeout;
      }
      yield value;
    }
  } finally {
    steadyUntil.set(request, performance.now());
  }
}

async function within<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(requestTimeout({}, { connection: 'close' })),
    Math.max(0, ms),
  );
  // After a timeout it fails too, when the connection closes.
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
