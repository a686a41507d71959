import type { Asker, BegunTask, Compared, TaskDiffs } from '../../code/index.ts';
import { fieldError } from '../../http/errors.ts';

/** What a comment on the code is about. */
interface CommentedPlace {
  commit: string;
  path: string;
  side: 'old' | 'new';
  /** The last of several. */
  line: number;
}

export const commitNotCompared = fieldError(
  'commit_not_compared',
  ['body', 'commit'],
  'The changes of the task have no such commit on that side: read them again, then comment on ' +
    '`head`, `base`, or one of `commits`',
);

export const pathNotChanged = fieldError(
  'path_not_changed',
  ['body', 'path'],
  'The task does not change this file at that commit: comment on one of `files`, and with its ' +
    '`old_path` on the old side of a renamed one',
);

export const lineNotInFile = fieldError(
  'line_not_in_file',
  ['body', 'line'],
  'The file has fewer lines on that side: comment on a line that it has',
);

/**
 * Requires that the difference of the commit shows this line. A server without the repository of the
 * project cannot tell. Errors: DiffTooLarge, and the three above.
 */
export async function requirePlace(
  diffs: TaskDiffs,
  of: BegunTask,
  merged: Compared | undefined,
  { commit, path, side, line }: CommentedPlace,
  asker: Asker,
): Promise<void> {
  const commits = await diffs.commitsOf(of, asker);
  if (commits === undefined) return;
  const { base, head } = commits;
  const whole = [...(head === undefined ? [] : [{ base, head }]), ...(merged ? [merged] : [])];
  const compared = await comparisonsOf(diffs, of, whole, { commit, side }, asker);
  if (compared.length === 0) throw commitNotCompared();
  for (const each of compared) {
    const files = await diffs.files(of, each, asker);
    const changed = files.some((file) =>
      side === 'new'
        ? file.path === path && file.status !== 'deleted'
        : (file.old_path ?? file.path) === path && file.status !== 'added',
    );
    if (!changed) continue;
    const bytes = await diffs.file(of, commit, path, asker);
    if (bytes === undefined) throw pathNotChanged();
    if (line > linesOf(bytes)) throw lineNotInFile();
    return;
  }
  throw pathNotChanged();
}

/** What a commit of the task is compared with where it is read: with the base, and with its parent. */
async function comparisonsOf(
  diffs: TaskDiffs,
  of: BegunTask,
  whole: readonly Compared[],
  { commit, side }: Pick<CommentedPlace, 'commit' | 'side'>,
  asker: Asker,
): Promise<Compared[]> {
  const found: Compared[] = [];
  for (const all of whole) {
    const own = await diffs.commits(of, all, asker);
    if (side === 'old') {
      if (commit === all.base) found.push(all);
      for (const { id, parent } of own)
        if (parent === commit) found.push({ base: parent, head: id });
    } else if (commit === all.head) found.push(all);
    else for (const { id } of own) if (id === commit) found.push({ base: all.base, head: id });
    const one = own.find(({ id }) => id === commit);
    if (side === 'new' && one !== undefined) found.push({ base: one.parent, head: commit });
  }
  return found;
}

/** The last line may have no end. */
function linesOf(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines++;
  return bytes.length === 0 || bytes.at(-1) === 10 ? lines : lines + 1;
}
