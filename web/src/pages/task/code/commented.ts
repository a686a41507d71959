import type { components } from '@guildhall/client';
import type { PatchFile, Side } from './patch.ts';
import type { Row } from './rows.ts';

export type Comment = components['schemas']['DiffComment'];

/** Comments where they belong in a difference. */
interface Placed {
  /** By the side and number of the last line. */
  at: ReadonlyMap<string, Comment[]>;
  /** By path: on lines of a file that are not shown, or have changed since. */
  others: ReadonlyMap<string, Comment[]>;
}

export const placeOf = (path: string, side: Side, line: number): string =>
  `${side} ${line} ${path}`;

/** Where the last line of a comment is now; undefined where it is gone, or on another commit. */
function lineNow(
  { place, line, current_line, commit, side }: Comment,
  commits: Record<Side, string>,
  whole: boolean,
): number | undefined {
  if (commit === commits[side]) return line;
  return whole && place !== undefined && place !== 'outdated' ? current_line : undefined;
}

/**
 * Sorts comments into a difference. `whole`: it is that of the task, which the server says the lines
 * of.
 */
export function placed(
  comments: readonly Comment[],
  patches: readonly PatchFile[],
  commits: Record<Side, string>,
  whole: boolean,
): Placed {
  const shown = new Set<string>();
  for (const { paths, hunks } of patches)
    for (const { lines } of hunks)
      for (const line of lines) {
        if (line.old !== undefined) shown.add(placeOf(paths.old, 'old', line.old));
        if (line.new !== undefined) shown.add(placeOf(paths.new, 'new', line.new));
      }
  const at = new Map<string, Comment[]>();
  const others = new Map<string, Comment[]>();
  const add = (map: Map<string, Comment[]>, key: string, comment: Comment) => {
    const list = map.get(key);
    if (list === undefined) map.set(key, [comment]);
    else list.push(comment);
  };
  for (const comment of comments) {
    const line = lineNow(comment, commits, whole);
    const place = placeOf(comment.path, comment.side, line ?? 0);
    if (line !== undefined && shown.has(place)) add(at, place, comment);
    else add(others, comment.path, comment);
  }
  return { at, others };
}

/** The places of a row, in a file. */
export function placesOf({ paths }: PatchFile, row: Row): string[] {
  if (row.kind === 'heading') return [];
  const lines = row.kind === 'line' ? [row.line] : [row.left, row.right];
  return lines.flatMap((line) =>
    (['old', 'new'] as const).flatMap((side) => {
      const number = line?.[side];
      return number === undefined ? [] : [placeOf(paths[side], side, number)];
    }),
  );
}
