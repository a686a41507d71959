import { Readable } from 'node:stream';

/**
 * A stream of the bytes from `start` to `end`, both included, that are read one piece at a time:
 * `read` is called for the next piece when the reader has taken the one before, so a reader that
 * pauses keeps nothing open. `read` returns every byte of its piece or throws.
 */
export function pieces(
  start: number,
  end: number,
  size: number,
  read: (start: number, end: number) => Promise<Uint8Array>,
): Readable {
  async function* each(): AsyncGenerator<Uint8Array> {
    for (let at = start; at <= end; at += size) yield await read(at, Math.min(at + size - 1, end));
  }
  return Readable.from(each(), { objectMode: false, highWaterMark: 1 });
}
