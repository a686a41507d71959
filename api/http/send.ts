import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventStreams } from './event-stream.ts';
import type { Exports } from './exports.ts';
import type { SentAnswer } from './idempotency.ts';
import type { Answer, Download } from './route.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** JSON text, or no body. */
export function sendText(reply: FastifyReply, { status, headers, body }: SentAnswer) {
  reply.code(status).headers(headers);
  return body === '' ? reply.send() : reply.header('content-type', JSON_TYPE).send(body);
}

/** Events as they happen, for as long as the caller may read them. */
export const sendEvents = (
  reply: FastifyReply,
  streams: EventStreams,
  { status, headers = {}, events }: Answer & Required<Pick<Answer, 'events'>>,
  mayRead: () => Promise<boolean>,
) =>
  reply
    .code(status)
    .headers({ ...headers, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
    .send(streams.open(events, mayRead));

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
