import type { OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsGzip, gzipFast, isAskedByOurs, isCompressible } from './compress.ts';
import type { EventSource, EventStreams, Viewer } from './event-stream.ts';
import type { Exports } from './exports.ts';
import { completeHeaders } from './hooks.ts';
import type { SentAnswer } from './idempotency.ts';
import type { Answer, Download } from './route.ts';
import type { AnswerHeaders } from './server/headers.ts';
import type { Permit } from './still-allowed.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** JSON text, or no body. */
export function sendText(reply: FastifyReply, { status, headers, body }: SentAnswer) {
  reply.code(status).headers(headers);
  return body === '' ? reply.send() : reply.header('content-type', JSON_TYPE).send(body);
}

/** The same, compressed if it is long and may be. */
export function sendCompressed(
  { headers: asked }: FastifyRequest,
  reply: FastifyReply,
  answer: SentAnswer,
) {
  if (!isCompressible(answer.body, answer.headers)) return sendText(reply, answer);
  reply.header('vary', 'accept-encoding');
  if (!acceptsGzip(asked) || !isAskedByOurs(asked)) return sendText(reply, answer);
  return gzipFast(answer.body).then((bytes) => {
    reply.code(answer.status).headers(answer.headers);
    return reply.headers({ 'content-type': JSON_TYPE, 'content-encoding': 'gzip' }).send(bytes);
  });
}

/**
 * Events as they happen, for as long as the caller may read them. Errors: 429 too_many_streams, 503
 * overloaded.
 */
export function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  { streams, always }: { streams: EventStreams<Permit>; always: AnswerHeaders },
  { status, headers = {}, events }: Answer & Required<Pick<Answer, 'events'>>,
  viewer: Viewer<Permit>,
) {
  const { source } = events;
  const own = { ...headers, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };
  if (request.method === 'HEAD') {
    source.stop();
    return reply.code(status).headers(own).send(Readable.from([]));
  }
  const { context } = request;
  const counted: EventSource = {
    start: (wake) => source.start(wake),
    next: () => {
      const bytes = source.next();
      if (context !== undefined) context.streamed += bytes?.length ?? 0;
      return bytes;
    },
    stop: () => source.stop(),
  };
  let begun = false;
  try {
    streams.open(counted, viewer, () => {
      begun = true;
      completeHeaders(request, reply.headers(own), always);
      reply.raw.writeHead(status, reply.getHeaders() as OutgoingHttpHeaders);
      reply.hijack();
      // What logs, measures and traces an answer waits until it is finished or has failed; that its
      // reader has left is neither for Node.js.
      reply.raw.once('close', () => {
        if (!reply.raw.writableFinished && reply.raw.listenerCount('error') > 0)
          reply.raw.emit('error', new Error('the reader has left'));
      });
      return reply.raw;
    });
  } finally {
    if (!begun) source.stop();
  }
  return reply;
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
