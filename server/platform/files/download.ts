import { Readable } from 'node:stream';
import type { Answer } from '../../http/route.ts';
import { asAnswer } from './errors.ts';
import type { FileStore } from './file-store.ts';

/** The columns of a file's row that its download needs. */
export interface FileRow {
  name: string;
  media_type: string;
  size: number | bigint;
  sha256: string;
  storage_key: string;
}

/** The answer that sends a file. Its stream fails with 503 file_store_unavailable. */
export const download = (files: FileStore, row: FileRow): Answer => ({
  status: 200,
  file: {
    name: row.name,
    mediaType: row.media_type === 'text/plain' ? 'text/plain; charset=utf-8' : row.media_type,
    size: Number(row.size),
    sha256: row.sha256,
    open: (start, end) =>
      Readable.from(answering(files.get(row.storage_key, start, end)), {
        objectMode: false,
        highWaterMark: 1,
      }),
  },
});

async function* answering(bytes: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    throw asAnswer(error);
  }
}
