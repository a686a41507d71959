import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';

/** Half of what the output of one program may take up. */
const MOST_BYTES = 512 * 1024;
const LAST_CHARACTERS = 300;

export interface BoundedLog {
  /** The last that was written, in one line. */
  last(): string;
}

/**
 * Writes what a program prints to a file. Once that is large it becomes `PATH.old`, and a new one
 * begins, so that both together are bounded whatever the program prints.
 */
export function boundedLog(path: string, ...streams: Readable[]): BoundedLog {
  let file = openSync(path, 'a', 0o600);
  let size = fstatSync(file).size;
  let open = streams.length;
  let last = '';

  const write = (chunk: Buffer) => {
    last = (last + chunk.toString('utf8')).slice(-LAST_CHARACTERS);
    try {
      if (size + chunk.length > MOST_BYTES) {
        closeSync(file);
        renameSync(path, `${path}.old`);
        file = openSync(path, 'a', 0o600);
        size = 0;
      }
      size += writeSync(file, chunk.subarray(0, MOST_BYTES));
    } catch {
      // Its folder is being removed, or the disk is full: the program goes on.
    }
  };
  const close = () => {
    open -= 1;
    if (open === 0) closeSync(file);
  };
  for (const stream of streams)
    stream.on('data', write).on('error', () => undefined).once('close', close);
  return { last: () => last.trim().replaceAll(/\s+/g, ' ') };
}
