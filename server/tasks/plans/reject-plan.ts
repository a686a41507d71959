import Type from 'typebox';
import { onTask } from '../../access/project.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { apiError } from '../../http/errors.ts';
import { multilineText, object, oneOf, uuid } from '../../http/input/fields.ts';
import { ids, route } from '../../http/route.ts';
import { timestamp, timestampSql } from '../../http/timestamps.ts';
import { actor, auditRow } from '../../platform/audit/audit.ts';
import { type LockedPlan, lockPlan, taskBusy, taskCancelled } from './open-plan.ts';
import { planNotFound } from './plan.ts';

const planApproved = apiError(
  409,
  'plan_approved',
  'This version of the plan has been approved: cancel the task instead',
);

const planChanged = apiError(
  412,
  'plan_changed',
  'The plan has changed since the version in If-Match: read the current version, then reject it',
);

/** A person does not want the plan: the task is cancelled, and nothing was built. */
export const rejectPlan = route({
  method: 'POST',
  path: '/api/tasks/{task_id}/plan/reject',
  area: 'Plans & Artifacts',
  operationId: 'reject_plan',
  wakes: true,
  summary: 'Reject a task plan',
  description:
    'Cancels the task because of its plan, which must not have been approved. The reason ' +
    'becomes a message of the conversation. Send `If-Match: "<version>"` to reject only the ' +
    'version you have read.',
  access: onTask('work_on_task'),
  params: ids('task_id'),
  body: object({
    reason: Type.Optional(multilineText({ minLength: 1, maxLength: 20_000 })),
  }),
  bodyLimit: 128 * 1024,
  sample: () => ({ body: { reason: 'We keep the approval by mail.' } }),
  responses: {
    200: {
      description: 'What was rejected, and when.',
      schema: Type.Object({
        task_id: uuid(),
        version: Type.Integer(),
        status: oneOf(['cancelled'], { description: 'Of the task.' }),
        rejected_at: timestamp(),
      }),
      example: {
        task_id: '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f',
        version: 2,
        status: 'cancelled',
        rejected_at: '2026-11-21T08:15:30.123Z',
      },
    },
  },
  headers: { 'If-Match': 'The plan version that you have read, in quotes.' },
  errors: [planNotFound, planApproved, taskBusy, taskCancelled, planChanged],
  handle: ({ params: { task_id }, body, headers, requestId, transaction }) =>
    transaction(async (tx, { organization_id, project_id, ...caller }) => {
      const plan = await lockPlan(tx, task_id, headers['if-match'], planChanged);
      if (plan.status === 'cancelled') throw taskCancelled();
      if (plan.approved_version === plan.version) throw planApproved();
      if (plan.busy) throw taskBusy({ status: plan.status });
      const place = { task_id, organization_id, project_id };
      const rejected_at = await cancel(tx, place, plan, body.reason, caller, requestId);
      const { version } = plan;
      return { status: 200, body: { task_id, version, status: 'cancelled', rejected_at } };
    }),
});

/** Cancels the task, with the reason as a message; when. */
async function cancel(
  tx: Tx,
  { task_id, organization_id, project_id }: Record<string, string | null>,
  { version, status, last_message }: LockedPlan,
  reason: string | undefined,
  caller: Caller,
  requestId: string,
): Promise<string> {
  const message = last_message + 1;
  const { at } = await tx.one<{ at: string }>(sql`
    with ${actor(caller)},
    message as (
      insert into task_message (task_id, number, role, author_user_id, content)
      select ${task_id}::uuid, ${message}, 'user', ${caller.userId}::uuid, said.reason
        from (values (${reason ?? null}::text)) said (reason) where said.reason is not null
      returning number),
    cancelled as (
      update task set status = 'cancelled', status_reason = null,
             last_message = coalesce((select number from message), last_message)
       where id = ${task_id}
      returning updated_at),
    audited as (${auditRow({
      action: 'plan.reject',
      requestId,
      target: sql`${task_id}::uuid`,
      organization: sql`${organization_id}::uuid`,
      project: sql`${project_id}::uuid`,
      before: sql`jsonb_build_object('version', ${version}::integer, 'status', ${status}::text)`,
      after: sql`
        jsonb_strip_nulls(
          jsonb_build_object('status', 'cancelled', 'reason', ${reason ?? null}::text))`,
      from: sql`cancelled`,
    })})
    select ${timestampSql(sql`updated_at`)} as at from cancelled`);
  return at;
}
