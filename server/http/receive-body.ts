import type { IncomingMessage } from 'node:http';
import type { ApiError } from './errors.ts';
import { requestTimeout } from './errors.ts';
import { readBody } from './read-body.ts';
import { overloaded } from './server/overload.ts';

/** Limits of one receiver. */
interface ReceiverLimits {
  /** How many bodies may be arriving at once. */
  atOnce: number;
  /** The size of each. */
  maxBytes: number;
  /** How long each may take, in milliseconds. */
  timeout: number;
}

// Does not wait for the rest of the body.
const CLOSE = { connection: 'close' };

/**
 * Receives the bodies of senders who have not proven who they are, within a fixed amount of memory.
 * If too many arrive at once, the oldest is refused: honest senders need milliseconds. Errors: 408
 * request_timeout, 413 body_too_large, 503 overloaded for the oldest.
 */
export function bodyReceiver({
  atOnce,
  maxBytes,
  timeout,
}: ReceiverLimits): (request: IncomingMessage) => Promise<Buffer> {
  /** Refuses one body; the oldest comes first. */
  const arriving = new Set<(reason: ApiError) => void>();

  return async (request) => {
    const { promise: refused, reject } = Promise.withResolvers<never>();
    if (arriving.size >= atOnce) {
      const [oldest] = arriving;
      if (oldest !== undefined) arriving.delete(oldest);
      oldest?.(overloaded({}, CLOSE));
    }
    arriving.add(reject);
    const timer = setTimeout(() => reject(requestTimeout({}, CLOSE)), timeout);
    const body = readBody(request, maxBytes);
    // After a refusal it fails too, when the connection closes.
    body.catch(() => {});
    try {
      return await Promise.race([body, refused]);
    } finally {
      clearTimeout(timer);
      arriving.delete(reject);
    }
  };
}
