import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { rangeNotSatisfiable } from './errors.ts';
import type { EventStreams } from './event-stream.ts';
import type { Exports } from './exports.ts';
import type { SentAnswer } from './idempotency.ts';
import type { Answer, Download, FileAnswer } from './route.ts';

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

/**
 * Sends a file, or the requested range of it (RFC 9110, 14.2). It is always a download, whatever it
 * contains, so that no browser renders it as a page of this server. Errors: 416
 * range_not_satisfiable.
 */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { headers = {}, file }: Answer & { file: FileAnswer },
) {
  const etag = `"${file.sha256}"`;
  reply.headers({
    ...headers,
    etag,
    'accept-ranges': 'bytes',
    'content-type': file.mediaType,
    'content-disposition': `attachment; filename*=UTF-8''${encode(file.name)}`,
  });
  const range = readRange(request.headers, etag, file.size);
  if (range === undefined) {
    reply.code(200).header('content-length', file.size);
    return reply.send(file.size === 0 ? '' : file.open(0, file.size - 1));
  }
  const { start, end } = range;
  return reply
    .code(206)
    .headers({
      'content-range': `bytes ${start}-${end}/${file.size}`,
      'content-length': end - start + 1,
    })
    .send(file.open(start, end));
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

// One range of bytes. A malformed header, another unit or several ranges are ignored.
function readRange(
  { range, 'if-range': ifRange }: FastifyRequest['headers'],
  etag: string,
  size: number,
): { start: number; end: number } | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '');
  if (match === null || (ifRange !== undefined && ifRange !== etag)) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  if (start >= size || (first === '' && last !== '' && Number(last) === 0))
    throw rangeNotSatisfiable({}, { 'content-range': `bytes */${size}` });
  return { start, end };
}

// RFC 8187 does not allow the characters that encodeURIComponent leaves unescaped.
const encode = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
