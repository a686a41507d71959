import type { Hunk } from './plan-diff.ts';

/**
 * Where lines of the first text stand in the second: a function from the first and last line of a
 * range, from 1, to its first line there. Undefined if any of the lines changed, or others came
 * between them.
 */
export function movedLines(
  hunks: readonly Hunk[],
): (start: number, end: number) => number | undefined {
  // The first lines of what is the same again after each hunk, and how far it has moved.
  const shifts: { after: number; by: number }[] = [];
  const removed: number[] = [];
  const inserted: number[] = [];
  let by = 0;
  for (const { old_start, old_lines, lines } of hunks) {
    let at = old_lines === 0 ? old_start + 1 : old_start;
    for (const { change } of lines) {
      if (change === 'same') at++;
      if (change === 'removed') removed.push(at++);
      if (change === 'added') inserted.push(at);
      const shift = change === 'removed' ? -1 : change === 'added' ? 1 : 0;
      by += shift;
      if (shift !== 0) shifts.push({ after: at, by });
    }
  }
  return (start, end) => {
    if (removed.some((line) => line >= start && line <= end)) return undefined;
    if (inserted.some((line) => line > start && line <= end)) return undefined;
    return start + (shifts.findLast(({ after }) => after <= start)?.by ?? 0);
  };
}
