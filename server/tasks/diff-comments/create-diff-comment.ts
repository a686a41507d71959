import Type from 'typebox';
import { onTask } from '../../access/project.ts';
import {
  COMMIT_ID,
  type Compared,
  DiffTooLarge,
  FILE_PATH,
  type TaskDiffs,
  wasEnded,
} from '../../code/index.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { type Shown, shownAs } from '../../http/change.ts';
import { fieldError } from '../../http/errors.ts';
import { integer, object, oneOf } from '../../http/input/fields.ts';
import { ids, route } from '../../http/route.ts';
import { createTransfers } from '../../http/transfers.ts';
import { auditRow } from '../../platform/audit/audit.ts';
import { type Begun, begunWith } from '../begun-with.ts';
import { diffTooLarge } from '../get-task-diff.ts';
import { comment, commentSnapshot } from './comment.ts';
import { placesBusy } from './list-diff-comments.ts';
import { commitNotCompared, lineNotInFile, pathNotChanged, requirePlace } from './require-place.ts';

/** Characters that are kept of the line. */
const LONGEST_LINE = 2_000;
/** How long git may look for the line. */
const WITHIN_MS = 20_000;

const linesOutOfOrder = fieldError(
  'lines_out_of_order',
  ['body', 'start_line'],
  'The first line is after the last one: exchange them',
);

/** One line has no first one of its own. */
function startOf({
  start_line: start,
  line,
}: {
  start_line?: number;
  line: number;
}): number | null {
  if (start === undefined || start === line) return null;
  if (start > line) throw linesOutOfOrder();
  return start;
}

/** A person comments on a line of the code that a task changed. */
export const createDiffComment = ({ diffs }: { diffs: TaskDiffs }) => {
  const transfers = createTransfers(placesBusy, { limit: 64, perUser: 4 });
  return route({
    method: 'POST',
    path: '/api/tasks/{task_id}/diff-comments',
    area: 'Plans & Artifacts',
    operationId: 'create_diff_comment',
    summary: 'Comment on the code of a task',
    description:
      'Comments on a line, or on several, of the difference that `get_task_diff` shows. ' +
      '`send_diff_comments` sends it to the agent. In later commits the line is found by what it says. ' +
      'A line that the difference of its commit does not have is refused where this server has the code.',
    access: onTask('work_on_task'),
    params: ids('task_id'),
    body: object({
      commit: Type.String({
        pattern: COMMIT_ID,
        maxLength: 64,
        description: 'The commit that was read: `head` for the new side, `base` for the old one.',
      }),
      path: Type.String({
        minLength: 1,
        maxLength: 2_000,
        pattern: FILE_PATH,
        description: 'Of the file on that side.',
      }),
      side: oneOf(['old', 'new'], { description: 'Before the task, or with it.' }),
      start_line: Type.Optional(
        integer({
          minimum: 1,
          maximum: 10_000_000,
          description: 'The first of several lines; without it, the comment is on one.',
        }),
      ),
      line: integer({
        minimum: 1,
        maximum: 10_000_000,
        description: 'The line, or the last of several, in that file, from 1.',
      }),
      line_text: Type.String({
        minLength: 0,
        maxLength: LONGEST_LINE,
        // No control characters but tabs.
        pattern: '^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f-\\u009f]*$',
        description:
          'What the line, or the last one, says, without its end; of a longer one, the beginning.',
      }),
      text: comment.writable.text,
    }),
    bodyLimit: 128 * 1024,
    sample: () => ({
      body: {
        commit: '2c26b46b68ffc68ff99b453c1d30413413422d70',
        path: 'models/sale_order.py',
        side: 'new',
        line: 12,
        line_text: '    limit = 5000',
        text: 'Read the limit from the settings.',
      },
    }),
    responses: { 201: comment.shown('The new comment.', ['ETag', 'Location']) },
    errors: [
      linesOutOfOrder,
      commitNotCompared,
      pathNotChanged,
      lineNotInFile,
      diffTooLarge,
      placesBusy,
    ],
    handle: async ({ params: { task_id }, body, load, begin, requestId, statement }) => {
      const start = startOf(body);
      const { project_id, userId } = await load();
      const { merged, ...begun } = await begin((tx) => begunTask(tx, project_id, task_id));
      const of = { projectId: project_id, taskId: task_id, ...begun };
      const asker = { userId, signal: AbortSignal.timeout(WITHIN_MS) };
      await transfers.run(userId, () =>
        requirePlace(diffs, of, merged ?? undefined, body, asker).catch((error) => {
          if (error instanceof DiffTooLarge) throw diffTooLarge();
          throw asker.signal.aborted || wasEnded(error) ? placesBusy() : error;
        }),
      );
      return statement<Shown & { id: string }>(
        {
          with: sql`
          changed as (
            insert into diff_comment as t
                   (task_id, commit_sha, path, side, start_line, line, line_text, text,
                    author_user_id)
            select authorized.task_id, ${body.commit}, ${body.path}, ${body.side},
                   ${start}::integer, ${body.line}, ${body.line_text}, ${body.text}, caller.user_id
              from authorized cross join caller
            returning t as row),
          audited as (${auditRow({
            action: 'diff_comment.create',
            requestId,
            target: sql`(changed.row).id`,
            organization: sql`authorized.organization_id`,
            project: sql`authorized.project_id`,
            before: sql`null`,
            after: commentSnapshot(sql`changed.row`),
            from: sql`changed cross join authorized`,
          })})`,
          select: sql`
          select ${comment.columns}, t.id from changed, lateral (select (changed.row).*) t`,
        },
        ({ id, ...shown }) => shownAs(201, shown, `/api/tasks/${task_id}/diff-comments/${id}`),
      );
    },
  });
};

/** What the task is compared with, and what of it was merged. */
const begunTask = (tx: Tx, projectId: string, taskId: string) =>
  tx.one<Begun & { merged: Compared | null }>(sql`
    with authorized as (select ${taskId}::uuid as task_id, ${projectId}::uuid as project_id)
    select ${begunWith},
           case when pr.merged_base_sha is not null and pr.merged_head_sha is not null
                then json_build_object('base', pr.merged_base_sha, 'head', pr.merged_head_sha)
           end as merged
      from authorized left join pull_request pr using (task_id)`);
