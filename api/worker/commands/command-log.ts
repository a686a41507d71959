import { clean } from '../pod-log.ts';

/** What a command has written, of which the end is kept. */
export interface CommandLog {
  add(chunk: Uint8Array): void;
  /** The end of it, in whole lines, without secrets and control characters. */
  text(): string;
}

/** Bytes of a log that are kept: the last ones. */
export const KEPT_BYTES = 262_144;
/** Lines of it; each costs time. */
const KEPT_LINES = 10_000;
/** Bytes that are kept before they are cleaned, which makes them fewer. */
const RAW = 2 * KEPT_BYTES;
const LEFT_OUT = '[What was written before was left out.]\n';

/** `secrets` are values that the command knows: they are replaced, as is what looks like a key. */
export function commandLog(secrets: readonly string[] = []): CommandLog {
  const ring = Buffer.alloc(RAW);
  let total = 0;

  function bytes(): Buffer {
    if (total <= RAW) return ring.subarray(0, total);
    const at = total % RAW;
    return Buffer.concat([ring.subarray(at), ring.subarray(0, at)]);
  }

  return {
    add(chunk) {
      const skipped = Math.max(0, chunk.length - RAW);
      total += skipped;
      for (let rest = chunk.subarray(skipped); rest.length > 0; ) {
        const at = total % RAW;
        const part = rest.subarray(0, RAW - at);
        ring.set(part, at);
        total += part.length;
        rest = rest.subarray(part.length);
      }
    },
    text() {
      const lines = bytes()
        .toString()
        .split(/\r\n|\n|\r/);
      // What follows the last end of a line, if anything does.
      if (lines.at(-1) === '') lines.pop();
      // It lacks its beginning, by which a secret in it might be known.
      if (total > RAW) lines.shift();
      const last = lines.slice(-KEPT_LINES).map((line) => `${clean(line, secrets)}\n`);
      const kept = last.slice(firstThatFits(last));
      const whole = total <= RAW && kept.length === lines.length;
      return (whole ? '' : LEFT_OUT) + kept.join('');
    },
  };
}

/** The index of the first of those last lines that fit. */
function firstThatFits(lines: readonly string[]): number {
  let room = KEPT_BYTES - LEFT_OUT.length;
  for (let index = lines.length; index > 0; index--) {
    room -= Buffer.byteLength(lines[index - 1] ?? '');
    if (room < 0) return index;
  }
  return 0;
}
