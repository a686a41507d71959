import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Characters that are kept of what is printed. */
const MOST = 512 * 1024;
/** Between two calls with what there is so far, in milliseconds. */
const EVERY_MS = 2_000;

/** Reads what a program prints, and returns a function for the end of it. */
export function lastOutput(output: readonly Readable[], onLog: (log: string) => void) {
  let text = '';
  let toldAt = performance.now();
  for (const stream of output) {
    // A chunk may end within a character.
    const decoder = new StringDecoder('utf8');
    stream.on('data', (chunk: Buffer) => {
      text += decoder.write(chunk);
      if (text.length > 2 * MOST) text = text.slice(-MOST);
      if (performance.now() - toldAt < EVERY_MS) return;
      toldAt = performance.now();
      onLog(text.slice(-MOST));
    });
  }
  return (): string => text.slice(-MOST);
}
