import { nothing, type Sql, sql, sqlText } from '../db/sql.ts';
import { changedAt, lockedRow, type Shown, shownAs } from '../http/change.ts';
import { apiError, notFound } from '../http/errors.ts';
import type { Resource } from '../http/resource.ts';
import type { BodyContext } from '../http/route.ts';
import { auditRow } from '../platform/audit/audit.ts';

/** Comments on plans, or on the code of tasks: what the operations on both share. */
interface Comments {
  table: 'plan_comment' | 'diff_comment';
  comment: Pick<Resource<never>, 'columns' | 'revision' | 'shown'>;
  /** What the audit trail keeps of one, a composite value. */
  snapshot(row: Sql): Sql;
}

interface Changes {
  text?: string;
  resolved?: boolean;
}

const commentChanged = apiError(
  412,
  'comment_changed',
  'The comment has changed since you read it: read it again, then change it',
);

const contract = {
  headers: { 'If-Match': 'The ETag of the comment that you have read.' },
  errors: [commentChanged],
};

/** An update of a comment, from its body on. `also`: what else it sets, in a row `t` as `wanted`. */
export const updatesComment = ({ table, comment, snapshot }: Comments, also: Sql = nothing) => ({
  ...contract,
  bodyLimit: 128 * 1024,
  sample: () => ({ body: { resolved: true } }),
  responses: { 200: comment.shown('The current comment.') },
  handle: ({ body, headers, requestId, statement }: BodyContext<Changes>) =>
    statement<Shown & { expected: boolean | null }>(
      {
        with: sql`${changed(sqlText(table), body, headers['if-match'], also)},
  audited as (${auditRow({
    ...audited(`${table}.update`, requestId),
    target: sql`(changed.row).id`,
    before: snapshot(sql`current.row`),
    after: snapshot(sql`changed.row`),
    from: sql`changed cross join current cross join authorized`,
  })})`,
        select: sql`
          select current.expected, ${comment.columns}
            from authorized
            left join current on true
            left join changed on true
            cross join lateral (select (coalesce(changed.row, current.row)).*) t`,
      },
      ({ expected, ...row }) => {
        requireExpected(expected);
        return shownAs(200, row);
      },
    ),
});

/** A deletion of a comment. */
export const deletesComment = ({ table, comment, snapshot }: Comments) => ({
  ...contract,
  responses: { 204: { description: 'The comment was deleted.' } },
  handle: ({ headers, requestId, statement }: BodyContext<unknown>) =>
    statement<{ expected: boolean | null }>(
      {
        with: sql`
          ${lockedRow(sqlText(table), sql`comment_id`, headers['if-match'], comment.revision)},
          deleted as (
            delete from ${sqlText(table)} t using current
             where t.id = (current.row).id and current.expected
            returning t as row),
          audited as (${auditRow({
            ...audited(`${table}.delete`, requestId),
            target: sql`(deleted.row).id`,
            before: snapshot(sql`deleted.row`),
            after: sql`null`,
            from: sql`deleted cross join authorized`,
          })})`,
        select: sql`select (select expected from current) as expected from authorized`,
      },
      ({ expected }) => {
        requireExpected(expected);
        return { status: 204 };
      },
    ),
});

function requireExpected(expected: boolean | null): void {
  if (expected === null) throw notFound();
  if (!expected) throw commentChanged();
}

const audited = (action: string, requestId: string) => ({
  action,
  requestId,
  organization: sql`authorized.organization_id`,
  project: sql`authorized.project_id`,
});

// Who resolved a comment stays, when it is resolved once more.
const changed = (
  table: Sql,
  { text, resolved }: Changes,
  ifMatch: string | undefined,
  also: Sql,
): Sql => sql`
  ${lockedRow(table, sql`comment_id`, ifMatch)},
  wanted as materialized (
    select coalesce(${text ?? null}::text, (row).text) as text,
           coalesce(${resolved ?? null}::boolean, (row).resolved_at is not null) as resolved
      from current where expected),
  changed as (
    update ${table} t
       set text = wanted.text,
           resolved_at = case when wanted.resolved then coalesce(t.resolved_at, now()) end,
           resolved_by_user_id = case when wanted.resolved
                                      then coalesce(t.resolved_by_user_id, caller.user_id) end,
           ${also}updated_at = ${changedAt(sql`(current.row).updated_at`)}
      from wanted, current, caller
     where t.id = (current.row).id
       and (wanted.text, wanted.resolved)
           is distinct from ((current.row).text, (current.row).resolved_at is not null)
    returning t as row)`;
