import { parseDecimal } from './decimal.ts';
import type { InputError, Location } from './error-item.ts';

/** The body cannot be read at all: 400 `{"detail":"There was an error parsing the body"}`. */
export class UnreadableBody extends Error {
  override name = 'UnreadableBody';
}

/**
 * `JSON.stringify`, which echoes input, overflows the stack near 5,000 levels; the limit is far
 * below that.
 */
const MAX_DEPTH = 64;

/**
 * The encoding that Python's `json.detect_encoding` finds; undefined for UTF-32, which is not
 * supported.
 */
function detectEncoding(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return undefined;
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? undefined : 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  // JSON starts with ASCII, so zero bytes at the front tell the width and the byte order.
  if (bytes.length >= 4) {
    if (a === 0) return b === 0 ? undefined : 'utf-16be';
    if (b === 0) return c === 0 && d === 0 ? undefined : 'utf-16le';
  } else if (bytes.length === 2) {
    if (a === 0) return 'utf-16be';
    if (b === 0) return 'utf-16le';
  }
  return 'utf-8';
}

function decode(bytes: Uint8Array): string {
  const encoding = detectEncoding(bytes);
  if (!encoding) throw new UnreadableBody('UTF-32 is not accepted');
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableBody(`not valid ${encoding}`);
  }
}

/**
 * Whether brackets outside strings nest deeper than `MAX_DEPTH`. Checked before JSON.parse, on any
 * text.
 */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (inString) {
      if (char === '\\') i++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '[' || char === '{') {
      if (++depth > MAX_DEPTH) return true;
    } else if (char === ']' || char === '}') depth--;
  }
  return false;
}

// A string, or a separate constant. An unclosed string extends to the end of the text, so that
// matching takes linear time. `1NaN` and `-NaN` are not constants: replacing there would turn
// malformed JSON into a number.
const STRING_OR_CONSTANT = /"(?:[^"\\]|\\.)*\\?(?:"|$)|(?<![\w.+-])(?:NaN|-?Infinity)(?![\w.+-])/gs;

/** Replaces Python's NaN, Infinity and -Infinity with numbers that overflow. */
function replaceConstants(text: string): string {
  return text.replace(STRING_OR_CONSTANT, (token) => {
    if (token.startsWith('"')) return token;
    return token.startsWith('-') ? '-1e999' : '1e999';
  });
}

/**
 * A number that JavaScript would round, as it was sent. `JSON.stringify` writes the same digits.
 */
type ExactNumber = { readonly rawJSON: string };

// TypeScript's library does not declare these yet.
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): ExactNumber;
  isRawJSON(value: unknown): boolean;
};

export const isExactNumber = (value: unknown): value is ExactNumber => isRawJSON(value);

// Numbers of up to fifteen digits, with an exponent of up to two, are never rounded. Only a text
// with longer ones is parsed with a reviver, which takes several times as long.
const MAY_LOSE_DIGITS = /[\d.]{16}|\d[eE][+-]?\d{3}/;

function parse(text: string): unknown {
  return MAY_LOSE_DIGITS.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
}

function keepDigits(_key: string, value: unknown, context?: { source: string }): unknown {
  if (typeof value !== 'number' || !Number.isFinite(value) || context === undefined) return value;
  const [sent, read] = [parseDecimal(context.source), parseDecimal(String(value))];
  const same = sent?.digits === read?.digits && sent?.exponent === read?.exponent;
  return same ? value : rawJSON(context.source);
}

/**
 * Parses a JSON body like Python's `json.loads(bytes)`: UTF-8 or UTF-16, with or without a BOM. NaN
 * and Infinity are numbers (their field answers `finite_number`). A number that JavaScript would
 * round becomes an ExactNumber. Malformed JSON is an error in the 422 list.
 * @throws UnreadableBody if the bytes are not such a text, or nest deeper than 64 levels
 */
export function parseJson(
  bytes: Uint8Array,
): { ok: true; value: unknown } | { ok: false; error: InputError; loc: Location } {
  const text = decode(bytes);
  if (text.length > MAX_DEPTH && isTooDeep(text)) throw new UnreadableBody('nested too deep');
  try {
    return { ok: true, value: parse(text) };
  } catch (cause) {
    const replaced = replaceConstants(text);
    if (replaced !== text) {
      try {
        return { ok: true, value: parse(replaced) };
      } catch {
        // The first error refers to the text as it was sent.
      }
    }
    const error = cause instanceof Error ? cause.message : String(cause);
    const position = Number(/at position (\d+)/.exec(error)?.[1] ?? text.length);
    return {
      ok: false,
      error: { type: 'json_invalid', msg: 'JSON decode error', ctx: { error } },
      loc: ['body', position],
    };
  }
}
