import type { IncomingMessage } from 'node:http';
import { requestTimeout } from '../../http/errors.ts';
import { bytesOf } from '../../http/read-body.ts';

/** A sender that the server waits for this long must have sent so much meanwhile. */
interface Pace {
  /** Milliseconds. */
  timeout: number;
  bytes: number;
}

const PACE: Pace = { timeout: 15_000, bytes: 16 * 1024 };

/**
 * A body as it arrives. Only the time that its reader waits for it counts, so a slow reader is no
 * fault of the sender. Errors: 408 request_timeout for one that makes no progress, 413
 * body_too_large, 400 for one whose sender has gone.
 */
export async function* steadyBody(
  request: IncomingMessage,
  maxBytes: number,
  { timeout, bytes }: Pace = PACE,
): AsyncGenerator<Buffer, void> {
  const chunks = bytesOf(request, maxBytes);
  let left = timeout;
  let received = 0;
  for (;;) {
    const since = performance.now();
    const { value } = await within(chunks.next(), left);
    if (value === undefined) return;
    left -= performance.now() - since;
    received += value.length;
    if (received >= bytes) {
      received = 0;
      left = timeout;
    }
    yield value;
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
