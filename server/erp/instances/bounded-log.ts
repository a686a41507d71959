import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { hiding } from '../../telemetry/hide-secrets.ts';

/** Half of what the output of one program may take up. */
const MOST_BYTES = 512 * 1024;
const LAST_CHARACTERS = 300;
/** What is kept for them, so that a secret is whole in it or not there. */
const KEPT_CHARACTERS = 4 * LAST_CHARACTERS;

/**
 * Writes what a program prints to a file. Once that is large it becomes `PATH.old`, and a new one
 * begins, so that both together are bounded whatever the program prints. Returns a function for the
 * last that it has printed, in one line and without the secret that it was given: of its errors, if
 * there are any.
 */
export function boundedLog(
  path: string,
  { output, errors, secret }: { output: Readable; errors: Readable; secret: string | undefined },
): () => string {
  let file = openSync(path, 'a', 0o600);
  let size = fstatSync(file).size;
  let open = 2;

  const write = (chunk: Buffer) => {
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
  const read = (stream: Readable) => {
    // A chunk may end within a character.
    const decoder = new StringDecoder('utf8');
    let last = '';
    let cut = false;
    stream.on('data', (chunk: Buffer) => {
      const all = last + decoder.write(chunk);
      cut ||= all.length > KEPT_CHARACTERS;
      last = all.slice(-KEPT_CHARACTERS);
      write(chunk);
    });
    stream.on('error', () => undefined).once('close', close);
    return () => {
      // The word that is cut may be the end of the secret.
      const words = cut ? last.replace(/^\S*/, '') : last;
      const shown = secret === undefined ? last : hiding([secret])(words);
      return shown.trim().replaceAll(/\s+/g, ' ').slice(-LAST_CHARACTERS);
    };
  };
  const [ofOutput, ofErrors] = [read(output), read(errors)];
  return () => ofErrors() || ofOutput();
}
