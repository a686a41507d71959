import type { Line, LinePlace } from './diff-lines.tsx';

/** The lines of a patch as git writes it, those of files with their places. */
export function linesOfPatch(patch: string): Line[] {
  let paths: Record<LinePlace['side'], string | undefined> = { old: undefined, new: undefined };
  /** The next line of each side, and how many there are still to come in this hunk. */
  let next = { old: 0, new: 0 };
  let left = { old: 0, new: 0 };
  const placed = (side: LinePlace['side']): { at?: LinePlace } => {
    const path = paths[side];
    return path === undefined ? {} : { at: { path, side, line: next[side] } };
  };
  const pass = (...sides: LinePlace['side'][]) => {
    for (const side of sides) {
      next = { ...next, [side]: next[side] + 1 };
      left = { ...left, [side]: left[side] - 1 };
    }
  };
  return patch.split('\n').map((line): Line => {
    const text = line.slice(1);
    if (left.old > 0 || left.new > 0) {
      if (line.startsWith('+')) {
        const added: Line = { change: 'added', text, ...placed('new') };
        pass('new');
        return added;
      }
      if (line.startsWith('-')) {
        const removed: Line = { change: 'removed', text, ...placed('old') };
        pass('old');
        return removed;
      }
      if (line.startsWith('\\')) return { change: 'same', text: line };
      const same: Line = { change: 'same', text, ...placed('new') };
      pass('old', 'new');
      return same;
    }
    if (line.startsWith('--- ')) paths = { old: pathOf(line), new: undefined };
    else if (line.startsWith('+++ ')) paths = { ...paths, new: pathOf(line) };
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk !== null) {
      const [, from, old = '1', to, added = '1'] = hunk;
      next = { old: Number(from), new: Number(to) };
      left = { old: Number(old), new: Number(added) };
    }
    return { change: 'same', text: line };
  });
}

/** Undefined for none, and for a name that git quotes: lines of such a file have no place. */
function pathOf(line: string): string | undefined {
  const path = /^(?:---|\+\+\+) [ab]\/(.*?)\t?$/.exec(line)?.[1];
  return path === undefined || path === '' ? undefined : path;
}
