import { onDiffComment } from '../../access/project.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { changedAt, lockedRow, type Shown, shownAs } from '../../http/change.ts';
import { notFound } from '../../http/errors.ts';
import { ids, route } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';
import { comment, commentChanged, commentSnapshot } from './comment.ts';

/** Changes the text of a comment, or says whether it is resolved. */
export const updateDiffComment = route({
  method: 'PUT',
  path: '/api/tasks/{task_id}/diff-comments/{comment_id}',
  area: 'Plans & Artifacts',
  operationId: 'update_diff_comment',
  summary: 'Update a comment on the code of a task',
  description:
    'Changes the text, or resolves the comment. For its author, and for those who administer ' +
    'the project. A field that is omitted keeps its value; `{}` changes nothing. One whose text ' +
    'changes, or that is opened again, can be sent to the agent again.',
  access: onDiffComment('work_on_task', 'manage_comments'),
  params: ids('task_id', 'comment_id'),
  body: comment.changes,
  bodyLimit: 128 * 1024,
  sample: () => ({ body: { resolved: true } }),
  responses: { 200: comment.shown('The current comment.') },
  headers: { 'If-Match': 'The ETag of the comment that you have read.' },
  errors: [commentChanged],
  handle: ({ body, headers, requestId, statement }) =>
    statement<Shown & { expected: boolean | null }>(
      {
        with: changed(body, headers['if-match'], requestId),
        select: sql`
          select current.expected, ${comment.columns}
            from authorized
            left join current on true
            left join changed on true
            cross join lateral (select (coalesce(changed.row, current.row)).*) t`,
      },
      ({ expected, ...row }) => {
        if (expected === null) throw notFound();
        if (!expected) throw commentChanged();
        return shownAs(200, row);
      },
    ),
});

// Who resolved a comment stays, when it is resolved once more.
const changed = (
  { text, resolved }: { text?: string; resolved?: boolean },
  ifMatch: string | undefined,
  requestId: string,
): Sql => sql`
  ${lockedRow(sql`diff_comment`, sql`comment_id`, ifMatch)},
  wanted as materialized (
    select coalesce(${text ?? null}::text, (row).text) as text,
           coalesce(${resolved ?? null}::boolean, (row).resolved_at is not null) as resolved
      from current where expected),
  changed as (
    update diff_comment t
       set text = wanted.text,
           resolved_at = case when wanted.resolved then coalesce(t.resolved_at, now()) end,
           resolved_by_user_id = case when wanted.resolved
                                      then coalesce(t.resolved_by_user_id, caller.user_id) end,
           message_number = case when wanted.text = t.text
                                   and (wanted.resolved or t.resolved_at is null)
                                 then t.message_number end,
           updated_at = ${changedAt(sql`(current.row).updated_at`)}
      from wanted, current, caller
     where t.id = (current.row).id
       and (wanted.text, wanted.resolved)
           is distinct from ((current.row).text, (current.row).resolved_at is not null)
    returning t as row),
  audited as (${auditRow({
    action: 'diff_comment.update',
    requestId,
    target: sql`(changed.row).id`,
    organization: sql`authorized.organization_id`,
    project: sql`authorized.project_id`,
    before: commentSnapshot(sql`current.row`),
    after: commentSnapshot(sql`changed.row`),
    from: sql`changed cross join current cross join authorized`,
  })})`;
