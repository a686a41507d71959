import bidiFactory from 'bidi-js';
import LineBreaker from 'linebreak';
import { type Direction, type Face, LEFT_TO_RIGHT, RIGHT_TO_LEFT } from './face.ts';
import { baseOf, type FaceFor, GRAPHEMES, REPLACEMENT, type Weight } from './fonts.ts';

/** A part of a line that is drawn at once. */
export interface Run {
  face: Face;
  text: string;
  /** For the layout of the face: the direction. */
  features: Direction;
  width: number;
  /** What it says, if its glyphs are not its characters in their order. */
  says: string | undefined;
}

/** The runs of a line from left to right. */
export interface Line {
  runs: Run[];
  width: number;
}

export interface Style {
  size: number;
  weight: Weight;
}

/** A grapheme of a paragraph, where it begins, and what draws it. */
interface Piece {
  at: number;
  given: string;
  /** What is drawn for it. */
  shown: string;
  face: Face;
  /** Of the bidirectional algorithm: odd from right to left. */
  level: number;
}

const bidi = bidiFactory();

/** Invisible, but they decide how the letters beside them look. */
const JOINERS = new Set(['\u200c', '\u200d', '\ufe0e', '\ufe0f']);

/**
 * Text as it is drawn: without what has no form of its own, such as control characters and those
 * that would change the direction of what follows.
 */
export const drawable = (text: string): string =>
  text
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, (one) => (JOINERS.has(one) ? one : ''))
    .trim();

/**
 * The lines of a drawable text that is at most `width` points wide. They are broken where its script
 * allows it, and a word that is too long between any two graphemes.
 */
export function linesOf(text: string, faceFor: FaceFor, style: Style, width: number): Line[] {
  const pieces = piecesOf(text, faceFor, style.weight);
  const breaks = breaksOf(text);
  const lines: Line[] = [];
  for (let start = 0; start < pieces.length; ) {
    const end = endOfLine(pieces, start, breaks, style.size, width);
    const line = lineOf(pieces.slice(start, end), style.size);
    if (line.runs.length > 0) lines.push(line);
    start = end;
  }
  return lines;
}

function piecesOf(text: string, faceFor: FaceFor, wanted: Weight): Piece[] {
  const graphemes = [...GRAPHEMES.segment(text)];
  // Bold for all of it, or for none.
  const weight = graphemes.every(({ segment }) => faceFor(segment, wanted)) ? wanted : 400;
  const { levels } = bidi.getEmbeddingLevels(text);
  const mirrored = bidi.getMirroredCharactersMap(text, levels);
  const pieces: Piece[] = [];
  for (const { segment, index } of graphemes) {
    const forms = [mirrored.get(index) ?? segment, segment, baseOf(segment)];
    const shown = forms.find((one) => faceFor(one, weight)) ?? REPLACEMENT;
    const last = pieces.at(-1)?.face;
    // A space belongs to the word before it, if its font has one.
    const face = shown === ' ' && last?.has(32) ? last : faceFor(shown, weight);
    if (face !== undefined)
      pieces.push({ at: index, given: segment, shown, face, level: levels[index] ?? 0 });
  }
  return pieces;
}

/** Thai, Lao, Khmer and Burmese have no spaces between words. */
const UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORDS = new Intl.Segmenter('th', { granularity: 'word' });

/** Where a line may end: positions in the text. */
function breaksOf(text: string): Set<number> {
  const breaks = new Set<number>([text.length]);
  const breaker = new LineBreaker(text);
  for (let next = breaker.nextBreak(); next !== null; next = breaker.nextBreak())
    breaks.add(next.position);
  let last = '';
  for (const { segment, index } of WORDS.segment(text)) {
    if (UNSPACED.test(last) && UNSPACED.test(segment)) breaks.add(index);
    last = segment;
  }
  return breaks;
}

// Words are added while they fit. They are measured together, because letters that join differ.
function endOfLine(
  pieces: readonly Piece[],
  start: number,
  breaks: ReadonlySet<number>,
  size: number,
  width: number,
): number {
  const fits = (end: number) => lineOf(pieces.slice(start, end), size).width <= width;
  if (fits(pieces.length)) return pieces.length;
  let fitting = start;
  for (let end = start + 1; end <= pieces.length; end++) {
    const next = pieces[end];
    if (next !== undefined && !breaks.has(next.at)) continue;
    if (!fits(end)) break;
    fitting = end;
  }
  if (fitting > start) return fitting;
  let [most, tooMany] = [start + 1, pieces.length + 1];
  while (tooMany - most > 1) {
    const middle = (most + tooMany) >> 1;
    if (fits(middle)) most = middle;
    else tooMany = middle;
  }
  return most;
}

function lineOf(pieces: readonly Piece[], size: number): Line {
  const last = pieces.findLastIndex(({ shown }) => shown.trim() !== '');
  const runs: (Run & { level: number; given: string })[] = [];
  for (const { given, shown, face, level } of pieces.slice(0, last + 1)) {
    const run = runs.at(-1);
    if (run !== undefined && run.face === face && run.level === level) {
      run.text += shown;
      run.given += given;
    } else
      runs.push({
        face,
        text: shown,
        given,
        level,
        width: 0,
        says: undefined,
        features: level % 2 === 1 ? RIGHT_TO_LEFT : LEFT_TO_RIGHT,
      });
  }
  for (const run of runs) {
    run.width = widthOf(run, size);
    const isReplaced =
      run.text.includes(REPLACEMENT) || (run.level === 0 && run.text !== run.given);
    if (isReplaced || REARRANGED.test(run.text)) run.says = run.given;
  }
  return { runs: reordered(runs), width: runs.reduce((sum, { width }) => sum + width, 0) };
}

/** Scripts whose glyphs are not their characters in their order. */
const REARRANGED = /[\p{Script=Devanagari}\p{Script=Thai}]/u;

const widthOf = ({ face, text, features }: Run, size: number): number =>
  (face.layout(text, features).advanceWidth / face.unitsPerEm) * size;

/** The order from left to right (UAX 9, rule L2): from the highest level to the lowest odd one. */
function reordered<One extends { level: number }>(runs: readonly One[]): One[] {
  let order = [...runs];
  for (let level = Math.max(0, ...runs.map((run) => run.level)); level > 0; level--) {
    const next: One[] = [];
    let turned: One[] = [];
    for (const run of order)
      if (run.level >= level) turned.unshift(run);
      else {
        next.push(...turned, run);
        turned = [];
      }
    order = [...next, ...turned];
  }
  return order;
}
