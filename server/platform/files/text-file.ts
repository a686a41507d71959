import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Answer } from '../../http/route.ts';

/** The answer that is a short text as a file, such as a log; for `FILE_ANSWERS`. */
export function textFile(name: string, content: string): Answer {
  const bytes = Buffer.from(content);
  return {
    status: 200,
    file: {
      name,
      mediaType: 'text/plain; charset=utf-8',
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      open: (start, end) => Readable.from([bytes.subarray(start, end + 1)]),
    },
  };
}
