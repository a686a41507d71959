import { inThread } from '../../../ui/thread.ts';
import type { Hunk, PatchLine } from './patch.ts';

/** What a piece of code is, for its colour. */
export type Kind = 'keyword' | 'string' | 'number' | 'comment' | 'name' | 'attribute' | 'plain';

/** A line in pieces. */
export type Tokens = readonly (readonly [kind: Kind, text: string])[];

export interface Asked {
  /** Its ending says in which language it is. */
  path: string;
  texts: string[];
}
/** For each text, its lines; undefined where nothing is known of the language. */
export type Answered = Tokens[][] | undefined;

const WITHIN_MS = 3_000;
/** Of a file: more stays in one colour. */
const MOST_CHARACTERS = 400_000;
/** What is generated has lines that no one reads. */
const LONGEST_LINE = 2_000;

const ask = inThread<Asked, Answered>(
  () => new Worker(new URL('./highlight-worker.ts', import.meta.url), { type: 'module' }),
  WITHIN_MS,
);

/** The lines of a file that are in colour. */
export type Coloured = ReadonlyMap<PatchLine, Tokens>;

/**
 * Colours what a patch has of a file, each side of each hunk as one text: what was opened before a
 * hunk, such as a long comment, is not known. What it returns gives the question up.
 */
export function highlight(
  path: string,
  hunks: readonly Hunk[],
  done: (coloured: Coloured) => void,
): () => void {
  const sides = hunks.flatMap(({ lines }) => [
    lines.filter(({ change }) => change !== 'removed'),
    lines.filter(({ change }) => change !== 'added'),
  ]);
  const short = sides.filter((lines) => lines.every(({ text }) => text.length <= LONGEST_LINE));
  const texts = short.map((lines) => lines.map(({ text }) => text).join('\n'));
  if (texts.reduce((sum, text) => sum + text.length, 0) > MOST_CHARACTERS) return () => undefined;
  return ask({ path, texts }, (answer) => {
    const coloured = new Map<PatchLine, Tokens>();
    answer?.forEach((tokens, side) => {
      tokens.forEach((one, index) => {
        const line = short[side]?.[index];
        if (line !== undefined) coloured.set(line, one);
      });
    });
    done(coloured);
  });
}
