/** A file that differs between two commits. */
export interface ChangedFile {
  path: string;
  /** What a renamed file was called. */
  old_path?: string;
  status: ChangeStatus;
  /** Lines; left out for a binary file. */
  additions?: number;
  deletions?: number;
  binary: boolean;
  /** As git writes them, such as 100755 for a program; left out where there is no file. */
  old_mode?: string;
  new_mode?: string;
  /** Bytes of a binary file; left out where there is no file. */
  old_size?: number;
  new_size?: number;
}

/** With the ids of what the file was and is; left out where there is no file. */
export interface ReadChange {
  file: ChangedFile;
  old?: string;
  new?: string;
}

export const CHANGES = ['added', 'modified', 'deleted', 'renamed', 'type_changed'] as const;
type ChangeStatus = (typeof CHANGES)[number];

const STATUS: Record<string, ChangeStatus> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  T: 'type_changed',
};
const NO_FILE = '000000';

/**
 * Reads what `git diff-tree --raw --numstat -z` prints: first a line for each file, then the counts
 * in the same order, all of them ended by a NUL. Each character stands for a byte. A name that is
 * not UTF-8 is shown with replacement characters.
 */
export function readChanges(printed: string): ReadChange[] {
  const parts = printed.split('\0');
  const changes: ReadChange[] = [];
  let at = 0;
  const next = () => parts[at++] ?? '';
  const path = () => Buffer.from(next(), 'latin1').toString('utf8');
  while (parts[at]?.startsWith(':')) {
    const [oldMode = '', newMode = '', was, is, letter = ''] = next().slice(1).split(' ');
    const status = STATUS[letter.charAt(0)] ?? 'modified';
    const oldPath = status === 'renamed' ? path() : undefined;
    const file: ChangedFile = {
      path: path(),
      ...(oldPath === undefined ? {} : { old_path: oldPath }),
      status,
      binary: false,
      ...(oldMode === NO_FILE ? {} : { old_mode: oldMode }),
      ...(newMode === NO_FILE ? {} : { new_mode: newMode }),
    };
    changes.push({
      file,
      ...(oldMode === NO_FILE || was === undefined ? {} : { old: was }),
      ...(newMode === NO_FILE || is === undefined ? {} : { new: is }),
    });
  }
  for (const { file } of changes) {
    const [added = '', deleted = ''] = next().split('\t');
    // The two names of a renamed file follow as parts of their own.
    if (file.status === 'renamed') at += 2;
    if (added === '-') file.binary = true;
    else Object.assign(file, { additions: Number(added), deletions: Number(deleted) });
  }
  return changes;
}
