import type { Reader } from './readers.ts';

/** One environment variable. */
export interface Setting<Value> {
  reader: Reader<Value>;
  /** As an operator would write it; the reader parses it too. */
  fallback?: string;
  /** What docs/operations.md shows where there is no fixed default. */
  shownDefault: string;
  /** The sentence of docs/operations.md. */
  meaning: string;
}

/** A setting that has a value even if it is not set. */
export function setting<Value>(
  reader: Reader<Value>,
  fallback: string,
  meaning: string,
): Setting<Value> & { fallback: string } {
  return { reader, fallback, shownDefault: `\`${fallback}\``, meaning };
}

/** A setting that may be absent. */
export const optional = <Value>(
  reader: Reader<Value>,
  meaning: string,
  shownDefault = '–',
): Setting<Value> => ({ reader, shownDefault, meaning });
