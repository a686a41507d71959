import type { PatchFile, PatchLine, Side } from './patch.ts';

/** What stands on one line of the screen: a heading, a line, or two lines side by side. */
export type Row =
  | { kind: 'heading'; text: string }
  | { kind: 'line'; line: PatchLine }
  | { kind: 'pair'; left: PatchLine | undefined; right: PatchLine | undefined };

export type Layout = 'unified' | 'split';

/** Rows that are drawn, or left out, together. */
const CHUNK = 50;

export function chunksOf({ hunks }: PatchFile, layout: Layout): Row[][] {
  const rows = hunks.flatMap(({ heading, lines }, index): Row[] => [
    ...(heading === '' && index === 0 ? [] : [{ kind: 'heading' as const, text: heading }]),
    ...(layout === 'split' ? pairs(lines) : lines.map((line): Row => ({ kind: 'line', line }))),
  ]);
  return Array.from({ length: Math.ceil(rows.length / CHUNK) }, (_, index) =>
    rows.slice(index * CHUNK, (index + 1) * CHUNK),
  );
}

/** Removed lines stand beside the added ones that follow them. */
function pairs(lines: readonly PatchLine[]): Row[] {
  const rows: Row[] = [];
  let removed: PatchLine[] = [];
  let added: PatchLine[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++)
      rows.push({ kind: 'pair', left: removed[at], right: added[at] });
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.change === 'removed') {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.change === 'added') added.push(line);
    else {
      flush();
      rows.push({ kind: 'pair', left: line, right: line });
    }
  }
  flush();
  return rows;
}

/** Lines of one side of a file. */
export interface LineRange {
  path: string;
  side: Side;
  start: number;
  end: number;
}

/** A range in an address: `L12-20`, and `O12` for lines before the change. */
export const rangeText = ({ side, start, end }: LineRange): string =>
  `${side === 'old' ? 'O' : 'L'}${start}${end === start ? '' : `-${end}`}`;

export function rangeOf(path: string | undefined, text: string | undefined): LineRange | undefined {
  const [, side, from, to = from] = /^([LO])(\d{1,8})(?:-(\d{1,8}))?$/.exec(text ?? '') ?? [];
  const [start, end] = [Number(from), Number(to)];
  if (path === undefined || side === undefined || start < 1 || end < start) return undefined;
  return { path, side: side === 'O' ? 'old' : 'new', start, end };
}

/** In words, such as `lines 3 to 5`. */
export const rangeWords = ({ start, end }: Pick<LineRange, 'start' | 'end'>): string =>
  start === end ? `line ${start}` : `lines ${start} to ${end}`;

/** The side whose number counts for a line: what was removed is on the old one alone. */
export const sideOf = ({ change }: PatchLine): Side => (change === 'removed' ? 'old' : 'new');

export const isWithin = (range: LineRange | undefined, side: Side, line: number | undefined) =>
  range !== undefined &&
  line !== undefined &&
  range.side === side &&
  line >= range.start &&
  line <= range.end;
