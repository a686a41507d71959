import Type from 'typebox';
import { onTask } from '../../access/project.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { type Shown, shownAs } from '../../http/change.ts';
import { fieldError } from '../../http/errors.ts';
import { integer, object } from '../../http/input/fields.ts';
import { ids, route } from '../../http/route.ts';
import { actor, auditRow } from '../../platform/audit/audit.ts';
import { comment, commentSnapshot } from './comment.ts';
import { movedLines } from './moved-lines.ts';
import { planNotFound, versionNumber } from './plan.ts';
import { linesOf, planDiff } from './plan-diff.ts';

const noSuchVersion = fieldError(
  'plan_version_not_found',
  ['body', 'version'],
  'The plan has no such version: `list_plan_versions` says which there are',
);
const noSuchLine = fieldError(
  'line_not_found',
  ['body', 'end_line'],
  'This version of the plan has fewer lines: name lines that it has',
);
const linesOutOfOrder = fieldError(
  'lines_out_of_order',
  ['body', 'end_line'],
  'The last line is before the first one: exchange them',
);

const lineNumber = (description: string) => integer({ minimum: 1, maximum: 100_000, description });

/** A person comments on lines of a version of the plan. */
export const createPlanComment = route({
  method: 'POST',
  path: '/api/tasks/{task_id}/plan/comments',
  area: 'Plans & Artifacts',
  operationId: 'create_plan_comment',
  summary: 'Comment on a plan',
  description:
    'Comments on lines of a version, which need not be the current one. When a newer version is ' +
    'written, the comment moves with its lines, or is outdated once they have changed.',
  access: onTask('work_on_task'),
  params: ids('task_id'),
  body: object({
    version: versionNumber('The version that was read.'),
    start_line: lineNumber('The first line, from 1.'),
    end_line: Type.Optional(lineNumber('The last line; without it, the first one.')),
    text: comment.writable.text,
  }),
  bodyLimit: 128 * 1024,
  sample: () => ({ body: { version: 1, start_line: 1, text: 'Who may approve?' } }),
  responses: { 201: comment.shown('The new comment.', ['ETag', 'Location']) },
  errors: [planNotFound, noSuchVersion, noSuchLine, linesOutOfOrder],
  handle: ({ params: { task_id }, body, requestId, transaction }) =>
    transaction(async (tx, { organization_id, project_id, ...caller }) => {
      const { version, start_line: start, end_line: end = start, text } = body;
      if (end < start) throw linesOutOfOrder();
      const current = await whereNow(tx, task_id, version, start, end);
      const place = { task_id, organization_id, project_id };
      const said = { version, start, end, current, text };
      const { id, ...shown } = await insert(tx, place, said, caller, requestId);
      return shownAs(201, shown, `/api/tasks/${task_id}/plan/comments/${id}`);
    }),
});

interface Texts {
  commented: string | null;
  /** Null where the commented version is the current one. */
  current: string | null;
}

/** Where the lines begin in the current version; undefined if it has changed them. */
async function whereNow(
  tx: Tx,
  taskId: string,
  version: number,
  start: number,
  end: number,
): Promise<number | undefined> {
  const texts = await tx.maybeOne<Texts>(sql`
    select r.body as commented, case when t.version <> ${version} then later.body end as current
      from plan t
      join plan_revision later on later.task_id = t.task_id and later.version = t.version
      left join plan_revision r on r.task_id = t.task_id and r.version = ${version}
     where t.task_id = ${taskId}`);
  if (texts === undefined) throw planNotFound();
  const { commented, current } = texts;
  if (commented === null) throw noSuchVersion();
  if (end > linesOf(commented).length) throw noSuchLine();
  return current === null ? start : movedLines(planDiff(commented, current).hunks)(start, end);
}

interface Said {
  version: number;
  start: number;
  end: number;
  current: number | undefined;
  text: string;
}

const insert = (
  tx: Tx,
  { task_id, organization_id, project_id }: Record<string, string | null>,
  { version, start, end, current, text }: Said,
  caller: Caller,
  requestId: string,
): Promise<Shown & { id: string }> =>
  tx.one(sql`
    with ${actor(caller)},
    changed as (
      insert into plan_comment as t
             (task_id, version, start_line, end_line, current_start_line, text, author_user_id)
      values (${task_id}, ${version}, ${start}, ${end}, ${current ?? null}, ${text},
              ${caller.userId})
      returning t as row),
    audited as (${auditRow({
      action: 'plan_comment.create',
      requestId,
      target: sql`(changed.row).id`,
      organization: sql`${organization_id}::uuid`,
      project: sql`${project_id}::uuid`,
      before: sql`null`,
      after: commentSnapshot(sql`changed.row`),
      from: sql`changed`,
    })})
    select ${comment.columns}, t.id from changed, lateral (select (changed.row).*) t`);
