import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, structuredPatch } from 'diff';

/** A line of a hunk, without its line feed; a carriage return before that belongs to the line. */
interface DiffLine {
  change: 'same' | 'removed' | 'added';
  text: string;
  /** Only on the last line of a text that does not end with a line feed. */
  no_newline?: true;
}

/**
 * Changed lines that are close to each other, with the lines around them. A side without lines
 * starts after the line that it names, as in the unified format.
 */
export interface Hunk {
  old_start: number;
  old_lines: number;
  new_start: number;
  new_lines: number;
  lines: DiffLine[];
}

/** The difference of two texts. Applying `unified` or `hunks` to the first gives the second. */
interface PlanDiff {
  /** In the unified format, of a file `plan.md`; empty if the texts are equal. */
  unified: string;
  hunks: Hunk[];
  /** Lines. */
  added: number;
  removed: number;
}

const CONTEXT = 3;

// The search for the shortest difference takes time with the square of the lines that change: 45 ms
// for this many. Beyond it, everything between the first and the last change counts as replaced.
const MOST_CHANGED_LINES = 500;

const FILES = ['a/plan.md', 'b/plan.md'] as const;
const NO_NEWLINE = '\\ No newline at end of file';

/** Compares two texts line by line, in a time that is bounded whatever they contain. */
export function planDiff(from: string, to: string): PlanDiff {
  const patch = patchOf(from, to);
  const hunks = patch.hunks.map(asHunk);
  const count = (wanted: DiffLine['change']) =>
    hunks.reduce(
      (sum, { lines }) => sum + lines.filter(({ change }) => change === wanted).length,
      0,
    );
  const unified = hunks.length === 0 ? '' : formatPatch(patch, FILE_HEADERS_ONLY);
  return { unified, hunks, added: count('added'), removed: count('removed') };
}

function patchOf(from: string, to: string): StructuredPatch {
  const options = { context: CONTEXT, maxEditLength: MOST_CHANGED_LINES };
  return (
    structuredPatch(...FILES, from, to, undefined, undefined, options) ?? replacement(from, to)
  );
}

/** One hunk that replaces all lines between the first and the last difference. */
function replacement(from: string, to: string): StructuredPatch {
  const [before, after] = [linesOf(from), linesOf(to)];
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const [start, end] = [Math.max(0, head - CONTEXT), Math.max(0, tail - CONTEXT)];
  const lines = [
    ...before.slice(start, head).map((line) => ` ${line}`),
    ...before.slice(head, before.length - tail).map((line) => `-${line}`),
    ...after.slice(head, after.length - tail).map((line) => `+${line}`),
    ...before.slice(before.length - tail, before.length - end).map((line) => ` ${line}`),
  ].flatMap((line) => (line.endsWith('\n') ? [line.slice(0, -1)] : [line, NO_NEWLINE]));
  const hunk = {
    oldStart: start + 1,
    oldLines: before.length - end - start,
    newStart: start + 1,
    newLines: after.length - end - start,
    lines,
  };
  const [oldFileName, newFileName] = FILES;
  return { oldFileName, newFileName, oldHeader: undefined, newHeader: undefined, hunks: [hunk] };
}

/** The lines of a text with their line feeds, which the last one may lack. */
export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const CHANGES: Record<string, DiffLine['change']> = { ' ': 'same', '-': 'removed', '+': 'added' };

function asHunk(hunk: StructuredPatch['hunks'][number]): Hunk {
  const lines: DiffLine[] = [];
  for (const line of hunk.lines) {
    const last = lines.at(-1);
    if (line === NO_NEWLINE && last !== undefined) last.no_newline = true;
    else
      lines.push({ change: CHANGES[line[0] as string] as DiffLine['change'], text: line.slice(1) });
  }
  return {
    old_start: hunk.oldLines === 0 ? hunk.oldStart - 1 : hunk.oldStart,
    old_lines: hunk.oldLines,
    new_start: hunk.newLines === 0 ? hunk.newStart - 1 : hunk.newStart,
    new_lines: hunk.newLines,
    lines,
  };
}
