import { type Hide, hiding } from '../../../telemetry/hide-secrets.ts';

/** What a program has written, of which the end is kept. */
interface Output {
  add(chunk: Uint8Array): void;
  /**
   * The last whole lines of it that fit, without secrets, escape sequences and control characters.
   * `growing`: more may come, so that a secret may not be whole yet.
   */
  end(options?: { growing?: boolean }): { text: string; whole: boolean };
}

/** Lines that are kept; each costs time. */
const KEPT_LINES = 10_000;
const MAX_LINE = 4_000;

/** Keeps the last `kept` bytes. `hide` removes the secrets that the program knows. */
export function outputOf(kept: number, hide: Hide = hiding([])): Output {
  // Before it is cleaned, which makes it less.
  const raw = 2 * kept;
  const ring = Buffer.alloc(raw);
  let total = 0;

  function bytes(): Buffer {
    if (total <= raw) return ring.subarray(0, total);
    const at = total % raw;
    return Buffer.concat([ring.subarray(at), ring.subarray(0, at)]);
  }

  return {
    add(chunk) {
      const skipped = Math.max(0, chunk.length - raw);
      total += skipped;
      for (let rest = chunk.subarray(skipped); rest.length > 0; ) {
        const at = total % raw;
        const part = rest.subarray(0, raw - at);
        ring.set(part, at);
        total += part.length;
        rest = rest.subarray(part.length);
      }
    },
    end({ growing = false } = {}) {
      // Secrets are looked for in all of it: a cut line might hold a part of one.
      const lines = hide(withoutControls(bytes().toString()), { growing }).split('\n');
      // What follows the last end of a line, if anything does.
      if (lines.at(-1) === '') lines.pop();
      // It lacks its beginning, by which a secret in it might be known.
      if (total > raw) lines.shift();
      const last = lines
        .slice(-KEPT_LINES)
        .map((line) => `${line.slice(0, MAX_LINE).toWellFormed()}\n`);
      const fitting = last.slice(firstThatFits(last, kept));
      const whole = total <= raw && fitting.length === lines.length;
      return { text: fitting.join(''), whole };
    },
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are looked for.
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.)?/g;

const withoutControls = (text: string): string =>
  text
    .replace(ESCAPES, '')
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\t\n])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '');

/** The index of the first of those last lines that fit into so many bytes. */
function firstThatFits(lines: readonly string[], kept: number): number {
  let room = kept;
  for (let index = lines.length; index > 0; index--) {
    room -= Buffer.byteLength(lines[index - 1] ?? '');
    if (room < 0) return index;
  }
  return 0;
}
