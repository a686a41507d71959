import type { Tx } from '../db/database/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import type { Caller } from '../http/route.ts';

/** What a change leaves behind (ruling 1.17); every field is SQL but the action and the request id. */
export interface AuditRow {
  action: string;
  requestId: string;
  target: Sql;
  organization: Sql;
  before: Sql;
  after: Sql;
  /** Where the rows come from: one audit row each. */
  from: Sql;
}

/**
 * The insert that records a change, for use as a common table expression beside it: same statement, same fate.
 * Reads the actor from the statement's `caller`.
 */
export const auditRow = (row: AuditRow): Sql => sql`
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, before, after,
    request_id)
  select caller.user_id, caller.key_id, caller.session_id, ${row.action}, 'done', (${row.target})::text, ${row.organization},
         ${row.before}, ${row.after}, ${row.requestId}
    from ${row.from} cross join caller`;

/**
 * The same for a change of a resource: `changed` is where its row is afterwards, `current` where it was before, each with
 * the composite value `row`. A row that was only made has no `current`; of one that was deleted there is only that.
 */
export function audited(
  action: string,
  requestId: string,
  { snapshot }: { snapshot(row: Sql): Sql },
  current?: Sql,
  kind: 'changed' | 'deleted' = 'changed',
): Sql {
  const before = current === undefined ? sql`null` : snapshot(sql`${current}.row`);
  const is = kind === 'deleted' ? (current as Sql) : sql`changed`;
  return auditRow({
    action,
    requestId,
    target: sql`(${is}.row).id`,
    organization: sql`(${is}.row).organization_id`,
    before,
    after: kind === 'deleted' ? sql`null` : snapshot(sql`changed.row`),
    from: kind === 'deleted' || current === undefined ? is : sql`changed cross join ${current}`,
  });
}

/** Records a change made inside a transaction. */
export async function recordChange(
  tx: Pick<Tx, 'many'>,
  change: {
    /** Work in the background has no session. */
    caller: Omit<Caller, 'sessionId'> & Partial<Caller>;
    action: string;
    target: string;
    organizationId?: string;
    before: object;
    after: object;
    requestId: string;
  },
): Promise<void> {
  await tx.many(sql`
    insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, before, after,
    request_id)
    values (${change.caller.userId}, ${change.caller.keyId}, ${change.caller.sessionId ?? null}, ${change.action}, 'done', ${change.target},
            ${change.organizationId ?? null}, ${change.before}, ${change.after}, ${change.requestId})`);
}

/** Records an attempt that was refused, in a statement of its own: there is nothing it could commit with. */
export async function recordDenied(
  db: Pick<Tx, 'many'>,
  attempt: {
    caller: Caller;
    action: string;
    target: string;
    code: string;
    requestId: string;
  },
): Promise<void> {
  await db.many(sql`
    insert into audit_event (
      actor_user_id, key_id, session_id, action, outcome, code, target_id, request_id)
    values (${attempt.caller.userId}, ${attempt.caller.keyId}, ${attempt.caller.sessionId}, ${attempt.action}, 'refused', ${attempt.code},
            ${attempt.target}, ${attempt.requestId})`);
}
