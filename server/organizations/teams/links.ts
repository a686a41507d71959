import { type Sql, sql } from '../../db/sql.ts';
import { changedAt } from '../../http/change.ts';
import { notFound } from '../../http/errors.ts';
import type { Answer } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';

/**
 * The rest of a statement that adds a person or a project to a team or removes it: it marks the
 * team as changed, and records that in the audit trail. Both only happen if `links`, the rows that
 * were inserted or deleted, has one.
 */
export const recordLink = (
  links: Sql,
  { action, requestId, before, after, project }: LinkChange,
): Sql => sql`
  touched as (
    update team t set updated_at = ${changedAt(sql`t.updated_at`)}
      from ${links} where t.id = ${links}.team_id),
  audited as (${auditRow({
    action,
    requestId,
    target: sql`${links}.team_id`,
    organization: sql`${links}.organization_id`,
    ...(project === undefined ? {} : { project }),
    before,
    after,
    from: links,
  })})`;

interface LinkChange {
  action: string;
  requestId: string;
  before: Sql;
  after: Sql;
  project?: Sql;
}

/** 204, also if nothing had to change. `found`: whether both ends still exist. */
export const linked = ({ found }: { found: boolean }): Answer => {
  if (!found) throw notFound();
  return { status: 204 };
};
