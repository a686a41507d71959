import type { Asker, BegunTask, TaskDiffs } from '../../code/index.ts';

/** A comment as it is listed. */
export interface Placed {
  commit: string;
  path: string;
  side: 'old' | 'new';
  line: number;
  line_text: string;
  place?: 'kept' | 'moved' | 'outdated';
  current_line?: number;
}

/**
 * Comments with where their lines are in the newest commit of the task, or of its base for the old
 * side: of a comment on an older commit, the nearest line that says the same. They are left as they
 * are where this machine does not have the branch. Errors: DiffTooLarge.
 */
export async function placesOf(
  diffs: TaskDiffs,
  of: BegunTask,
  comments: readonly Placed[],
  asker: Asker,
): Promise<Placed[]> {
  const commits = await diffs.commitsOf(of, asker);
  if (commits?.head === undefined) return [...comments];
  const newest = { old: commits.base, new: commits.head };
  const textsOn = async (side: 'old' | 'new') => {
    const moved = comments.filter((one) => one.side === side && one.commit !== newest[side]);
    const paths = [...new Set(moved.map(({ path }) => path))];
    if (paths.length === 0) return new Map<string, string>();
    return diffs.texts(of, newest[side], paths, asker);
  };
  const texts = { old: await textsOn('old'), new: await textsOn('new') };
  return comments.map((one) => {
    if (one.commit === newest[one.side]) return { ...one, place: 'kept', current_line: one.line };
    const line = nearest(texts[one.side].get(one.path), one);
    if (line === undefined) return { ...one, place: 'outdated' };
    return { ...one, place: line === one.line ? 'kept' : 'moved', current_line: line };
  });
}

const LONGEST_LINE = 2_000;

/** The line that says the same and is nearest to where it was; undefined if there is none. */
function nearest(
  text: string | undefined,
  { line, line_text }: Pick<Placed, 'line' | 'line_text'>,
): number | undefined {
  const wanted = asCompared(line_text);
  let found: number | undefined;
  (text?.split('\n') ?? []).forEach((one, index) => {
    if (asCompared(one) !== wanted) return;
    const at = index + 1;
    if (found === undefined || Math.abs(at - line) < Math.abs(found - line)) found = at;
  });
  return found;
}

const asCompared = (line: string): string =>
  Array.from(line.slice(0, 2 * LONGEST_LINE))
    .slice(0, LONGEST_LINE)
    .join('')
    .trimEnd();
