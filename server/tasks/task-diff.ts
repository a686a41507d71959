import Type from 'typebox';
import {
  branchOf,
  CHANGES,
  type ChangedFile,
  COMMIT_ID,
  type Compared,
  type TaskCommit,
} from '../code/index.ts';
import { boolean, oneOf, uuid } from '../http/input/fields.ts';
import { timestamp } from '../http/timestamps.ts';

const lines = (description: string) => Type.Integer({ minimum: 0, description });
const mode = (description: string) =>
  Type.Optional(Type.String({ pattern: '^[0-7]{6}$', description }));

const changedFile = Type.Object({
  path: Type.String(),
  old_path: Type.Optional(Type.String({ description: 'What a renamed file was called.' })),
  status: oneOf([...CHANGES]),
  additions: Type.Optional(lines('Lines; left out for a binary file.')),
  deletions: Type.Optional(lines('Lines; left out for a binary file.')),
  binary: boolean(),
  old_mode: mode('As git writes it: `100644`, `100755` for a program, `120000` for a link.'),
  new_mode: mode('The same after the change.'),
  old_size: Type.Optional(lines('Bytes of a binary file before the change.')),
  new_size: Type.Optional(lines('Bytes of a binary file after the change.')),
});

const ofCommit = Type.Object({
  id: Type.String({ pattern: COMMIT_ID }),
  title: Type.String({ description: 'The first line of its message.' }),
  author: Type.String({ description: 'The name that the commit has.' }),
  authored_at: timestamp(),
});

const commit = (description: string) =>
  Type.Optional(Type.String({ pattern: COMMIT_ID, description }));

/** What the agent has changed in the code, as `get_task_diff` shows it. */
export const taskDiff = Type.Object(
  {
    task_id: uuid(),
    branch: Type.String({ description: 'The branch of the task.' }),
    base: commit(
      'The commit that the branch began with; of what was merged, the one before the merge.',
    ),
    head: commit(
      'The last commit of the branch, left out before its first; of what was merged, the one that has it.',
    ),
    merged: boolean({
      description:
        'Whether this is what was merged. It stays after the branch was deleted, until the branch ' +
        'has further changes.',
    }),
    files_changed: Type.Integer(),
    additions: lines('Of all files.'),
    deletions: lines('Of all files.'),
    truncated: boolean({ description: 'Whether `files` has only the first 3,000 of them.' }),
    files: Type.Array(changedFile),
    commits: Type.Optional(
      Type.Array(ofCommit, {
        description: 'What the branch has and the base does not, newest first; the first 100.',
      }),
    ),
  },
  { $id: 'TaskDiff' },
);

const MOST_FILES = 3_000;

/** The body: `between` is empty while there is nothing to compare. */
export function showTaskDiff(
  taskId: string,
  { base, head }: Partial<Compared>,
  files: readonly ChangedFile[],
  commits: readonly TaskCommit[],
  merged: boolean,
) {
  const sum = (of: 'additions' | 'deletions') =>
    files.reduce((total, file) => total + (file[of] ?? 0), 0);
  return {
    task_id: taskId,
    branch: branchOf(taskId),
    ...(head === undefined ? {} : { base, head }),
    merged,
    files_changed: files.length,
    additions: sum('additions'),
    deletions: sum('deletions'),
    truncated: files.length > MOST_FILES,
    files: files.slice(0, MOST_FILES),
    commits: commits.map(({ parent: _, ...commit }) => commit),
  };
}

export const taskDiffExample = {
  task_id: '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f',
  branch: 'task/8f4e1f0e',
  base: 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  head: '2c26b46b68ffc68ff99b453c1d30413413422d70',
  merged: false,
  files_changed: 1,
  additions: 12,
  deletions: 3,
  truncated: false,
  files: [
    {
      path: 'models/sale_order.py',
      status: 'modified',
      additions: 12,
      deletions: 3,
      binary: false,
      old_mode: '100644',
      new_mode: '100644',
    },
  ],
  commits: [
    {
      id: '2c26b46b68ffc68ff99b453c1d30413413422d70',
      title: 'Sale orders above 1,000 euros need the approval of a manager',
      author: 'Ada Byron',
      authored_at: '2026-11-21T08:15:30.000Z',
    },
  ],
};
