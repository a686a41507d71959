import type { Tx } from '../../db/database/database.ts';
import { nothing, type Sql, sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';

/**
 * The audit row of a change (ruling 1.17); every field except the action and the request id is SQL.
 */
interface AuditRow {
  action: string;
  requestId: string;
  target: Sql;
  organization: Sql;
  /** The project that the change is about or in; none by default. */
  project?: Sql;
  before: Sql;
  after: Sql;
  /** Where the rows come from; each gets one audit row. */
  from: Sql;
  /** Whether operators see it in their own trail. */
  forOperators?: boolean;
}

/**
 * The insert that records a change, as a common table expression in the statement of the change, so
 * that both succeed or fail together. It takes the actor from the statement's `caller`.
 */
export const auditRow = (row: AuditRow): Sql => sql`
  insert into audit_event (
    actor_user_id, key_id, session_id, action, outcome, target_id, organization_id, project_id,
    before, after, request_id${row.forOperators ? sql`, for_operators` : nothing})
  select caller.user_id, caller.key_id, caller.session_id, ${row.action}, 'done',
         (${row.target})::text, ${row.organization}, ${row.project ?? sql`null::uuid`},
         ${row.before}, ${row.after}, ${row.requestId}${row.forOperators ? sql`, true` : nothing}
    from ${row.from} cross join caller`;

/**
 * The same for a resource: `changed` has its row after the change and `current` before it, each
 * with the composite value `row`. A created row has no `current`; a deleted one has nothing else.
 */
export function audited(
  action: string,
  requestId: string,
  {
    snapshot,
    project,
    workspace = 'organization_id',
  }: {
    snapshot(row: Sql): Sql;
    project?: 'id' | 'project_id' | undefined;
    workspace?: 'id' | 'organization_id';
  },
  current?: Sql,
  kind: 'changed' | 'deleted' = 'changed',
): Sql {
  const before = current === undefined ? sql`null` : snapshot(sql`${current}.row`);
  const is = kind === 'deleted' ? (current as Sql) : sql`changed`;
  return auditRow({
    action,
    requestId,
    target: sql`(${is}.row).id`,
    organization: workspace === 'id' ? sql`(${is}.row).id` : sql`(${is}.row).organization_id`,
    ...(project === undefined
      ? {}
      : { project: project === 'id' ? sql`(${is}.row).id` : sql`(${is}.row).project_id` }),
    before,
    after: kind === 'deleted' ? sql`null` : snapshot(sql`changed.row`),
    from: kind === 'deleted' || current === undefined ? is : sql`changed cross join ${current}`,
  });
}

/** `caller`, a common table expression for an audit row in a transaction's own statement. */
export const actor = ({ userId, keyId, sessionId }: Caller): Sql => sql`
  caller as (
    select ${userId}::uuid as user_id, ${keyId}::uuid as key_id, ${sessionId}::uuid as session_id)`;

/** Records a change made inside a transaction. */
export async function recordChange(
  tx: Pick<Tx, 'many'>,
  change: {
    /** Its own, if another row names it. */
    id?: string;
    /** Background work has no session; what another system reported has no user either. */
    caller: { userId: string | null; keyId: string | null; sessionId?: string | null };
    action: string;
    target: string;
    organizationId?: string | null;
    projectId?: string;
    before?: object;
    after?: object;
    requestId: string;
    /** Whether operators see it in their own trail. */
    forOperators?: boolean;
  },
): Promise<void> {
  await tx.many(sql`
    insert into audit_event (
      id, actor_user_id, key_id, session_id, action, outcome, target_id, organization_id,
      project_id, before, after, request_id, for_operators)
    values (coalesce(${change.id ?? null}::uuid, uuid_v7()), ${change.caller.userId}, ${change.caller.keyId}, ${change.caller.sessionId ?? null},
            ${change.action}, 'done', ${change.target}, ${change.organizationId ?? null},
            ${change.projectId ?? null}, ${change.before ?? null}, ${change.after ?? null},
            ${change.requestId}, ${change.forOperators ?? false})`);
}

/** An attempt that was refused. `target`: the id of the object, or of the caller. */
interface DeniedAttempt {
  caller: Caller;
  action: string;
  target: string;
  /** What the path named, whether it exists or not. */
  organizationId?: string | undefined;
  projectId?: string | undefined;
  taskId?: string | undefined;
  code: string;
  requestId: string;
  /** Whether operators see it in their own trail. */
  forOperators?: boolean | undefined;
}

/**
 * Records a refused attempt, in a statement of its own, because there is no change to commit it
 * with. Its workspace is recorded whoever made the attempt: those who may read the trail also see
 * what strangers tried.
 */
export async function recordDenied(db: Pick<Tx, 'many'>, attempt: DeniedAttempt): Promise<void> {
  const { caller, organizationId = null, projectId = null, taskId = null } = attempt;
  await db.many(sql`
    insert into audit_event (
      actor_user_id, key_id, session_id, action, outcome, code, target_id, organization_id,
      project_id, request_id, for_operators)
    select ${caller.userId}, ${caller.keyId}, ${caller.sessionId}, ${attempt.action}, 'refused',
           ${attempt.code}, ${attempt.target}, coalesce(o.id, p.organization_id), p.id,
           ${attempt.requestId}, ${attempt.forOperators ?? false}
      from (values (true)) attempt
      left join organization o on o.id = ${organizationId}
      left join task t on t.id = ${taskId}
      left join project p on p.id = coalesce(${projectId}::uuid, t.project_id)`);
}
