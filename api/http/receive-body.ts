import type { IncomingMessage } from 'node:http';
import type { ApiError } from './errors.ts';
import { requestTimeout } from './errors.ts';
import { readBody } from './read-body.ts';
import { overloaded } from './server/overload.ts';

/** What all of a receiver's bodies may take. */
export interface ReceiverLimits {
  /** How many bodies are received at once. */
  atOnce: number;
  /** How large each may be. */
  maxBytes: number;
  /** How long each may take to arrive, in milliseconds. */
  timeout: number;
}

// The rest of the body is not waited for.
const CLOSE = { connection: 'close' };

/**
 * Receives bodies whose senders have not proven who they are: they take a bounded amount of memory and time whatever
 * is sent. When too many arrive at once, the one that has taken longest gives way: honest ones take milliseconds.
 * Errors: 408 request_timeout, 413 body_too_large, 503 overloaded for the one that gave way.
 */
export function bodyReceiver({
  atOnce,
  maxBytes,
  timeout,
}: ReceiverLimits): (request: IncomingMessage) => Promise<Buffer> {
  /** The oldest first. */
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
    // It fails once more when the connection is closed.
    body.catch(() => {});
    try {
      return await Promise.race([body, refused]);
    } finally {
      clearTimeout(timer);
      arriving.delete(reject);
    }
  };
}
