import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import Type from 'typebox';
import { onTask } from '../access/project.ts';
import {
  type Asker,
  type BegunTask,
  COMMIT_ID,
  type Compared,
  DiffTooLarge,
  FILE_PATH,
  repositoryElsewhere,
  type Spaces,
  type TaskDiffs,
  wasEnded,
} from '../code/index.ts';
import { sql } from '../db/sql.ts';
import { apiError, fieldError } from '../http/errors.ts';
import { tooManyStreams } from '../http/event-stream.ts';
import { boolean, oneOf } from '../http/input/fields.ts';
import { etag, isCurrent } from '../http/preconditions.ts';
import { type Answer, ids, route } from '../http/route.ts';
import { createTransfers } from '../http/transfers.ts';
import { FILE_ANSWERS, FILE_HEADERS } from '../platform/files/file-answers.ts';
import { mediaTypeOf } from '../platform/files/media-type.ts';
import { type Begun, begunWith } from './begun-with.ts';
import { showTaskDiff, taskDiff, taskDiffExample } from './task-diff.ts';

export const diffTooLarge = apiError(
  409,
  'diff_too_large',
  'The difference is too large to be shown: fetch the branch of the task and compare it yourself',
);

const commitNotFound = apiError(
  404,
  'commit_not_found',
  'The task has no such commit: name one of `commits`, or leave `commit` out',
);

const fileNotFound = apiError(
  404,
  'file_not_found',
  'There is no such file on that side: name one of `files`, and `old_path` for the old side of a renamed one',
);

const pathMissing = fieldError(
  'missing',
  ['query', 'path'],
  'Field required with format=file: name one of `files`',
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
export const getTaskDiff = ({ diffs }: { diffs: TaskDiffs }) => {
  const transfers = createTransfers(diffsBusy, { limit: 64, perUser: 4 });
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
      'further changes. With `commit`, what this commit of the task changed. With `format=file`, ' +
      'the bytes of one file, of at most 8 MiB, as a download of the type that they have. Everyone ' +
      'who can open the project may have it.',
    access: onTask('open_project'),
    params: ids('task_id'),
    query: Type.Object({
      format: Type.Optional(
        oneOf(['files', 'patch', 'file'], { default: 'files', description: 'What the answer is.' }),
      ),
      commit: Type.Optional(
        Type.String({
          pattern: COMMIT_ID,
          maxLength: 64,
          description: 'One of `commits`; without it, all of them together.',
        }),
      ),
      ignore_space: Type.Optional(
        boolean({
          default: false,
          description: 'Whether the patch leaves out what differs in white space alone.',
        }),
      ),
      path: Type.Optional(
        Type.String({
          maxLength: 2_000,
          pattern: FILE_PATH,
          description: 'With `format=file`: which one.',
        }),
      ),
      side: Type.Optional(
        oneOf(['old', 'new'], {
          default: 'new',
          description: 'With `format=file`: before the change, or after it.',
        }),
      ),
    }),
    responses: {
      ...FILE_ANSWERS,
      206: {
        description: 'The requested range of the patch or file.',
        headers: ['ETag'],
        mediaType: '*/*',
      },
      200: {
        description: 'The changed files, in the order of their paths, the patch, or the file.',
        schema: taskDiff,
        example: taskDiffExample,
        headers: ['ETag'],
        mediaType: '*/*',
      },
    },
    headers: FILE_HEADERS,
    errors: [
      diffTooLarge,
      commitNotFound,
      fileNotFound,
      pathMissing,
      repositoryElsewhere,
      diffsBusy,
      tooManyStreams,
    ],
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
          onHost,
          userId,
          head_sha,
          merged_base_sha: base,
          merged_head_sha: head,
        }) => ({
          status: 200,
          later: (signal) => {
            const merged =
              base === null || head === null ? undefined : { base, head, offered: head_sha };
            const task = { projectId: project_id, taskId: task_id, base: begun, onHost };
            const of = { ...task, built, merged };
            const asker = { userId, signal };
            const wanted = { format: query.format ?? 'files', side: query.side ?? 'new', ...query };
            return transfers.run(userId, () =>
              answer(diffs, of, asker, wanted, headers['if-none-match']),
            );
          },
        }),
      ),
  });
};

/** What of the difference is asked for. */
interface Wanted {
  format: string;
  side: string;
  commit?: string;
  path?: string;
  ignore_space?: boolean;
}

interface Of extends BegunTask {
  built: boolean;
  /** What was merged; `offered` is the commit of the task's branch then. */
  merged: (Compared & { offered: string | null }) | undefined;
}

async function answer(
  diffs: TaskDiffs,
  of: Of,
  asker: Asker,
  wanted: Wanted,
  known: string | undefined,
): Promise<Answer> {
  try {
    return await compared(diffs, of, asker, wanted, known);
  } catch (error) {
    if (error instanceof DiffTooLarge) throw diffTooLarge();
    // The client has gone, the server is stopping, or git takes too long to find the commits.
    throw asker.signal.aborted || wasEnded(error) ? diffsBusy() : error;
  }
}

async function compared(
  diffs: TaskDiffs,
  { built, merged, ...of }: Of,
  asker: Asker,
  wanted: Wanted,
  known: string | undefined,
): Promise<Answer> {
  if (wanted.format === 'file' && wanted.path === undefined) throw pathMissing();
  const commits = await diffs.commitsOf(of, asker);
  if (commits === undefined && built) throw repositoryElsewhere();
  const further =
    commits?.head !== undefined &&
    commits.head !== commits.base &&
    commits.head !== merged?.offered;
  const shows = merged !== undefined && commits !== undefined && !further;
  const { base, head } = (shows ? merged : commits) ?? {};
  if (base === undefined || head === undefined) return nothingYet(of.taskId, wanted);
  const all = { base, head };
  const one =
    wanted.commit === undefined
      ? undefined
      : (await diffs.commits(of, all, asker)).find(({ id }) => id === wanted.commit);
  if (wanted.commit !== undefined && one === undefined) throw commitNotFound();
  const between = one === undefined ? all : { base: one.parent, head: one.id };
  // The list of commits is of all of them, whichever is shown.
  const tag = one === undefined ? tagOf(all, wanted) : `${tagOf(between, wanted)}-of-${head}`;
  if (isCurrent(known, etag(tag))) return { status: 304, headers: { etag: etag(tag) } };
  if (wanted.format === 'file') return fileOf(diffs, of, between, wanted, asker, tag);
  if (wanted.format === 'patch') {
    const spaces: Spaces = wanted.ignore_space === true ? 'ignored' : 'compared';
    return patch(of.taskId, await diffs.patch(of, between, asker, spaces), tag);
  }
  const files = await diffs.files(of, between, asker);
  const listed = await diffs.commits(of, all, asker);
  return shown(showTaskDiff(of.taskId, between, files, listed, shows), tag);
}

function nothingYet(taskId: string, { format, commit }: Wanted): Answer {
  if (commit !== undefined) throw commitNotFound();
  if (format === 'file') throw fileNotFound();
  if (format === 'patch') return patch(taskId, Buffer.alloc(0), '0');
  return shown(showTaskDiff(taskId, {}, [], [], false), '0');
}

const tagOf = ({ base, head }: Compared, { format, path, side, ignore_space }: Wanted): string => {
  const commits = `${base}-${head}`;
  if (format === 'file') return `${commits}-${side}-${hash('sha256', path ?? '')}`;
  return format === 'patch' && ignore_space === true ? `${commits}-w` : commits;
};

async function fileOf(
  diffs: TaskDiffs,
  of: BegunTask,
  { base, head }: Compared,
  { path = '', side }: Wanted,
  asker: Asker,
  tag: string,
): Promise<Answer> {
  const bytes = await diffs.file(of, side === 'old' ? base : head, path, asker);
  if (bytes === undefined) throw fileNotFound();
  const mediaType = await mediaTypeOf(bytes.subarray(0, 4_100));
  return download(path.slice(path.lastIndexOf('/') + 1), mediaType, bytes, tag);
}

const shown = (body: ReturnType<typeof showTaskDiff>, tag: string): Answer => ({
  status: 200,
  headers: { etag: etag(tag) },
  body,
});

const patch = (taskId: string, bytes: Buffer, tag: string): Answer =>
  download(`task-${taskId.slice(0, 8)}.diff`, 'text/x-diff', bytes, tag);

const download = (name: string, mediaType: string, bytes: Buffer, tag: string): Answer => ({
  status: 200,
  file: {
    name,
    mediaType,
    size: bytes.length,
    sha256: tag,
    open: (start, end) => Readable.from([bytes.subarray(start, end + 1)]),
  },
});
