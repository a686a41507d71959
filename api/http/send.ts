import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventStreams, Viewer } from './event-stream.ts';
import type { Exports } from './exports.ts';
import type { SentAnswer } from './idempotency.ts';
import type { Answer, Download } from './route.ts';
import type { Permit } from './still-allowed.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** JSON text, or no body. */
export function sendText(reply: FastifyReply, { status, headers, body }: SentAnswer) {
  reply.code(status).headers(headers);
  return body === '' ? reply.send() : reply.header('content-type', JSON_TYPE).send(body);
}

/**
 * Events as they happen, for as long as the caller may read them. Errors: 429 too_many_streams, 503
 * overloaded.
 */
export function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  streams: EventStreams<Permit>,
  { status, headers = {}, events }: Answer & Required<Pick<Answer, 'events'>>,
  viewer: Viewer<Permit>,
) {
  const { source } = events;
  let body: Readable | undefined;
  try {
    if (request.method !== 'HEAD') body = streams.open(source, viewer);
  } finally {
    if (body === undefined) source.stop();
  }
  return reply
    .code(status)
    .headers({ ...headers, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
    .send(body ?? Readable.from([]));
}

/** Sends a text as it is made, for a caller. Errors: 503 export_busy. */
export async function sendDownload(
  request: FastifyRequest,
  reply: FastifyReply,
  exports: Exports,
  userId: string,
  { headers = {}, download }: Answer & { download: Download },
) {
  // A stream, even an empty one, has no Content-Length, which would be wrong.
  const body =
    request.method === 'HEAD' ? Readable.from([]) : await exports.start(userId, download.chunks);
  return reply
    .code(200)
    .headers({
      ...headers,
      'content-type': `${download.mediaType}; charset=utf-8`,
      'content-disposition': `attachment; filename="${download.name}"`,
    })
    .send(body);
}
