import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { rangeNotSatisfiable } from './errors.ts';
import { isCurrent } from './preconditions.ts';
import type { Answer, FileAnswer } from './route.ts';
import type { Transfers } from './transfers.ts';

/**
 * No browser renders a file as a page of this server, whatever it contains: it is a download, of
 * the type that is named and no other, and would have no rights if it were shown all the same.
 */
const POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";

/**
 * Sends a file, or the requested range of it (RFC 9110, 14.2), or 304 to a caller who has it (RFC
 * 9110, 13.2.2: this is decided before the range). Errors: 416 range_not_satisfiable, 503
 * downloads_busy.
 */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  downloads: Transfers,
  userId: string,
  { headers = {}, file }: Answer & { file: FileAnswer },
) {
  const etag = `"${file.sha256}"`;
  reply.headers({ ...headers, etag, 'cache-control': 'private, no-cache' });
  if (isCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send();
  reply.headers({
    'accept-ranges': 'bytes',
    'content-security-policy': POLICY,
    'content-type': file.mediaType,
    'content-disposition': `attachment; filename*=UTF-8''${encode(file.name)}`,
    ...headers,
  });
  // A range is defined for GET alone (RFC 9110, 14.2).
  const isHead = request.method === 'HEAD';
  const range = isHead ? undefined : readRange(request.headers, etag, file.size);
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  reply.code(range === undefined ? 200 : 206).header('content-length', end - start + 1);
  if (range !== undefined) reply.header('content-range', `bytes ${start}-${end}/${file.size}`);
  // Fastify replaces the Content-Length of a HEAD unless its body is a stream.
  if (isHead) return reply.send(Readable.from([]));
  if (file.size === 0) return reply.send('');
  return reply.send(downloads.stream(userId, () => file.open(start, end)));
}

// One range of bytes. A malformed header, another unit or several ranges are ignored. A number may
// have any length: what it says beyond the end of the file is cut to it (RFC 9110, 14.1.2).
function readRange(
  { range, 'if-range': ifRange }: FastifyRequest['headers'],
  etag: string,
  size: number,
): { start: number; end: number } | undefined {
  const match = /^bytes=(\d*)-(\d*)$/i.exec(range ?? '');
  if (match === null || (ifRange !== undefined && ifRange !== etag)) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  if (first !== '' && last !== '' && BigInt(last) < BigInt(first)) return undefined;
  // All of a file without content cannot be named as a range.
  if (first === '' && Number(last) > 0 && size === 0) return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  if (start >= size) throw rangeNotSatisfiable({}, { 'content-range': `bytes */${size}` });
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return { start, end };
}

// RFC 8187 does not allow the characters that encodeURIComponent leaves unescaped.
const encode = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
