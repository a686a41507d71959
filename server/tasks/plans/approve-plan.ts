import Type from 'typebox';
import { onTask } from '../../access/project.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { apiError } from '../../http/errors.ts';
import { oneOf, uuid } from '../../http/input/fields.ts';
import { etag, matches } from '../../http/preconditions.ts';
import { route } from '../../http/route.ts';
import { timestamp, timestampSql } from '../../http/timestamps.ts';
import { auditRow } from '../../platform/audit/audit.ts';
import { planNotFound } from './plan.ts';

const planChanged = apiError(
  412,
  'plan_changed',
  'The plan has changed since the version in If-Match: read the current version, then approve it',
);

/** The trigger plan_approval_of_text finds it. */
const planRemoved = apiError(
  409,
  'plan_removed',
  'The text of this plan was removed with the conversation of the archived task: ask the agent for a new plan',
);

/**
 * Marks the current plan version as approved, which releases the agent to start work. Idempotent
 * (spec 5, ruling 7).
 */
export const approvePlan = route({
  method: 'POST',
  path: '/api/tasks/{task_id}/plan/approve',
  area: 'Plans & Artifacts',
  operationId: 'approve_plan',
  wakes: true,
  summary: 'Approve a task plan',
  description:
    'Marks the current plan version as approved and releases the agent to start on it. ' +
    'Approving the same version again changes nothing. Send `If-Match: "<version>"` to approve ' +
    'only the version you have read.',
  access: onTask('approve_plan'),
  params: Type.Object({ task_id: uuid({ description: 'The task.' }) }),
  responses: {
    200: {
      description: 'The approved version, who approved it first, and when.',
      headers: ['ETag'],
      schema: Type.Object({
        task_id: uuid(),
        version: Type.Integer(),
        approved_version: Type.Integer(),
        approved_at: timestamp(),
        approved_by_user_id: uuid(),
        newly_approved: Type.Boolean(),
        approval_source: Type.Optional(
          oneOf(['policy'], {
            description:
              'Only if the project had approved this version automatically. ' +
              '`approved_by_user_id` is then the creator of the task.',
          }),
        ),
      }),
      example: {
        task_id: '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f',
        version: 2,
        approved_version: 2,
        approved_at: '2026-11-21T08:15:30.123Z',
        approved_by_user_id: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
        newly_approved: true,
      },
    },
  },
  headers: { 'If-Match': 'The plan version that you have read, in quotes.' },
  errors: [planNotFound, planChanged, planRemoved],
  handle: ({ params, headers, requestId, statement }) =>
    statement<Approval>(approval(headers['if-match'], requestId), (row) => {
      if (row.version === null) throw planNotFound();
      if (!row.expected)
        throw planChanged({
          version: row.version,
          ...(row.previous === null ? {} : { approved_version: row.previous }),
        });
      const body = {
        task_id: params.task_id,
        version: row.version,
        approved_version: row.version,
        approved_at: row.approved_at,
        approved_by_user_id: row.approved_by_user_id,
        newly_approved: row.newly_approved,
        ...(row.by_policy ? { approval_source: 'policy' } : {}),
      };
      return { status: 200, body, headers: { etag: etag(row.version) } };
    }),
});

interface Approval {
  version: number | null;
  previous: number | null;
  expected: boolean;
  approved_at: string;
  approved_by_user_id: string;
  newly_approved: boolean;
  by_policy: boolean;
}

const columns = sql`p.task_id, p.version, p.approved_version, p.approved_at, p.approved_by_user_id,
  p.policy_version`;

// If the current version is already approved, the plan is only read: no lock, no transaction id,
// nothing to flush. Otherwise the row lock on the plan serializes concurrent callers: the first one
// approves, and the others find the plan approved. The approver is stored on the locked row too,
// because a waiting caller's snapshot is older than the approval it waited for. The update takes
// the version from the row it changes, because PostgreSQL's first attempt may see an older one.
const approval = (ifMatch: string | undefined, requestId: string): { with: Sql; select: Sql } => ({
  with: sql`
    seen as materialized (
      select p.*, p.approved_version is not distinct from p.version as settled
        from plan p join authorized using (task_id)),
    locked as materialized (
      select ${columns}
        from plan p
       where p.task_id = (select task_id from seen where not settled) for update),
    current as materialized (
      select p.*, ${matches(ifMatch, sql`p.version::text`)} as expected
        from (select * from locked
              union all
              select ${columns} from seen p where settled) p),
    approved as (
      update plan p set approved_version = p.version, approved_at = clock_timestamp(),
        approved_by_user_id = caller.user_id
        from current c, caller
       where p.task_id = c.task_id and c.expected and c.approved_version is distinct from c.version
      returning p.*),
    kept as (
      insert into plan_approval (task_id, version, approved_by_user_id, approved_at)
      select task_id, approved_version, approved_by_user_id, approved_at from approved),
    started as (
      insert into outbox (topic, key, payload)
      select 'agent_start', a.task_id || ':' || a.version, jsonb_build_object('task_id', a.task_id,
        'version', a.version)
        from approved a),
    audited as (${auditRow({
      action: 'plan.approve',
      requestId,
      target: sql`a.task_id`,
      organization: sql`authorized.organization_id`,
      project: sql`authorized.project_id`,
      before: sql`jsonb_build_object('approved_version', c.approved_version)`,
      after: sql`jsonb_build_object('approved_version', a.version)`,
      from: sql`approved a cross join current c cross join authorized`,
    })})`,
  select: sql`
    select c.version, c.approved_version as previous, c.expected,
      a.task_id is not null as newly_approved,
           ${timestampSql(sql`coalesce(a.approved_at, c.approved_at)`)} as approved_at,
           coalesce(a.approved_by_user_id, c.approved_by_user_id) as approved_by_user_id,
           c.policy_version is not distinct from c.version as by_policy
      from current c left join approved a using (task_id)`,
});
