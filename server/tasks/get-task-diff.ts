import { Readable } from 'node:stream';
import Type from 'typebox';
import { onTask } from '../access/project.ts';
import {
  type Asker,
  type BegunTask,
  branchOf,
  CHANGES,
  type ChangedFile,
  type Compared,
  DiffTooLarge,
  repositoryElsewhere,
  type TaskDiffs,
} from '../code/index.ts';
import { sql } from '../db/sql.ts';
import { apiError } from '../http/errors.ts';
import { tooManyStreams } from '../http/event-stream.ts';
import { boolean, oneOf, uuid } from '../http/input/fields.ts';
import { etag, isCurrent } from '../http/preconditions.ts';
import { type Answer, ids, route } from '../http/route.ts';
import { createTransfers } from '../http/transfers.ts';
import { FILE_ANSWERS, FILE_HEADERS } from '../platform/files/file-answers.ts';
import { type Begun, begunWith } from './begun-with.ts';

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
});

const commit = (description: string) =>
  Type.Optional(Type.String({ pattern: '^[0-9a-f]{40,64}$', description }));

const schema = Type.Object(
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
  },
  { $id: 'TaskDiff' },
);

const MOST_FILES = 3_000;

const diffTooLarge = apiError(
  409,
  'diff_too_large',
  'The difference is too large to be shown: fetch the branch of the task and compare it yourself',
);

/** Too many are being computed or wait for it, of everybody or of this caller. */
const diffsBusy = apiError(
  503,
  'diffs_busy',
  'Too many code changes are being compared, or too many for you: wait until one is done, then ' +
    'try again',
  { 'retry-after': '5' },
);

/** What the agent has changed in the code. */
export const getTaskDiff = (diffs: TaskDiffs) => {
  const places = createTransfers(diffsBusy, { limit: 64, perUser: 4 });
  return route({
    method: 'GET',
    path: '/api/tasks/{task_id}/diff',
    area: 'Plans & Artifacts',
    operationId: 'get_task_diff',
    summary: 'Get the code changes of a task',
    description:
      "The code of the task's branch against the commit that it began with: the changed files " +
      'with their counts of lines, or with `format=patch` a patch that `git apply` takes, as a ' +
      'download. Without changes of binary files, which a patch only names. Empty before the ' +
      'first commit of the task. After the merge, it is what was merged, unless the branch has ' +
      'further changes. Everyone who can open the project may have it.',
    access: onTask('open_project'),
    params: ids('task_id'),
    query: Type.Object({
      format: Type.Optional(
        oneOf(['files', 'patch'], { default: 'files', description: 'What the answer is.' }),
      ),
    }),
    responses: {
      ...FILE_ANSWERS,
      206: {
        description: 'The requested range of the patch.',
        headers: ['ETag'],
        mediaType: 'text/x-diff',
      },
      200: {
        description: 'The changed files, in the order of their paths, or the patch.',
        schema,
        example,
        headers: ['ETag'],
        mediaType: 'text/x-diff',
      },
    },
    headers: FILE_HEADERS,
    errors: [diffTooLarge, repositoryElsewhere, diffsBusy, tooManyStreams],
    handle: ({ params: { task_id }, query, headers, statement }) =>
      statement<
        Begun & {
          project_id: string;
          built: boolean;
          head_sha: string | null;
          merged_base_sha: string | null;
          merged_head_sha: string | null;
        }
      >(
        {
          select: sql`
            select authorized.project_id, ${begunWith},
                   exists (select from task_turn u
                            where u.task_id = authorized.task_id and u.mode = 'build') as built,
                   pr.head_sha, pr.merged_base_sha, pr.merged_head_sha
              from authorized left join pull_request pr using (task_id)`,
        },
        ({
          project_id,
          built,
          base: begun,
          on_host,
          userId,
          head_sha,
          merged_base_sha: base,
          merged_head_sha: head,
        }) => ({
          status: 200,
          later: (signal) => {
            const merged =
              base === null || head === null ? undefined : { base, head, offered: head_sha };
            const task = { projectId: project_id, taskId: task_id, base: begun, onHost: on_host };
            const of = { ...task, built, merged };
            const asker = { userId, signal };
            return places.run(userId, () =>
              answer(diffs, of, asker, query.format ?? 'files', headers['if-none-match']),
            );
          },
        }),
      ),
  });
};

interface Of extends BegunTask {
  built: boolean;
  /** What was merged; `offered` is the commit of the task's branch then. */
  merged: (Compared & { offered: string | null }) | undefined;
}

async function answer(
  diffs: TaskDiffs,
  of: Of,
  asker: Asker,
  format: string,
  known: string | undefined,
): Promise<Answer> {
  try {
    return await compared(diffs, of, asker, format, known);
  } catch (error) {
    if (error instanceof DiffTooLarge) throw diffTooLarge();
    // The client has gone, or the server is stopping.
    throw asker.signal.aborted ? diffsBusy() : error;
  }
}

async function compared(
  diffs: TaskDiffs,
  { built, merged, ...of }: Of,
  asker: Asker,
  format: string,
  known: string | undefined,
): Promise<Answer> {
  const commits = await diffs.commitsOf(of, asker);
  if (commits === undefined && built) throw repositoryElsewhere();
  const further =
    commits?.head !== undefined &&
    commits.head !== commits.base &&
    commits.head !== merged?.offered;
  const shows = merged !== undefined && commits !== undefined && !further;
  const { base, head } = (shows ? merged : commits) ?? {};
  if (base === undefined || head === undefined)
    return format === 'patch'
      ? patch(of.taskId, Buffer.alloc(0), '0')
      : shown(of.taskId, {}, [], false);
  const between = { base, head };
  const tag = tagOf(between);
  if (isCurrent(known, etag(tag))) return { status: 304, headers: { etag: etag(tag) } };
  return format === 'patch'
    ? patch(of.taskId, await diffs.patch(of, between, asker), tag)
    : shown(of.taskId, between, await diffs.files(of, between, asker), shows);
}

const tagOf = ({ base, head }: Compared): string => `${base}-${head}`;

function shown(
  taskId: string,
  { base, head }: Partial<Compared>,
  files: ChangedFile[],
  merged: boolean,
): Answer {
  const sum = (of: 'additions' | 'deletions') =>
    files.reduce((total, file) => total + (file[of] ?? 0), 0);
  const tag = base !== undefined && head !== undefined ? tagOf({ base, head }) : '0';
  return {
    status: 200,
    headers: { etag: etag(tag) },
    body: {
      task_id: taskId,
      branch: branchOf(taskId),
      ...(head === undefined ? {} : { base, head }),
      merged,
      files_changed: files.length,
      additions: sum('additions'),
      deletions: sum('deletions'),
      truncated: files.length > MOST_FILES,
      files: files.slice(0, MOST_FILES),
    },
  };
}

const patch = (taskId: string, bytes: Buffer, tag: string): Answer => ({
  status: 200,
  file: {
    name: `task-${taskId.slice(0, 8)}.diff`,
    mediaType: 'text/x-diff',
    size: bytes.length,
    sha256: tag,
    open: (start, end) => Readable.from([bytes.subarray(start, end + 1)]),
  },
});

const example = {
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
};
