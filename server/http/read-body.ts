import type { IncomingMessage } from 'node:http';
import { ApiError, badRequest, bodyTooLarge } from './errors.ts';

/** Bytes of a JSON body, unless its route says otherwise. */
export const BODY_LIMIT = 64 * 1024;

/**
 * The complete body. Errors: 413 body_too_large, immediately if the announced length is too large.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of bytesOf(request, maxBytes)) chunks.push(chunk);
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

/** The body as it arrives. Errors: 413 body_too_large at the first byte beyond the limit. */
export async function* bytesOf(
  request: IncomingMessage,
  maxBytes: number,
): AsyncGenerator<Buffer, void> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  let received = 0;
  // The stream is the connection: leaving the loop early must not destroy it before the answer is
  // sent.
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      received += chunk.length;
      if (received > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  } catch (error) {
    // Its client went away: no one is left to read an answer, and nothing is wrong with the server.
    throw request.destroyed && !(error instanceof ApiError) ? badRequest() : error;
  }
}

const tooLarge = (maxBytes: number) => {
  const { status, code } = bodyTooLarge;
  const limit = maxBytes % MIB === 0 ? `${maxBytes / MIB} MiB` : `${maxBytes / 1024} KiB`;
  return new ApiError(
    status,
    code,
    `The request body is larger than ${limit}: send a smaller one`,
    {},
    CLOSE,
  );
};

const MIB = 1024 * 1024;

// The rest of the body would have to be received before the next request on the connection.
const CLOSE = { connection: 'close' };

/**
 * A small body that no code reads is received and dropped. If the body is large, the connection is
 * closed after the answer.
 */
export const DROPPED_AT_MOST = MIB;
