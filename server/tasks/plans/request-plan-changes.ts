import Type from 'typebox';
import { onTask } from '../../access/project.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { apiError } from '../../http/errors.ts';
import { multilineText, object, uuid } from '../../http/input/fields.ts';
import { ids, route } from '../../http/route.ts';
import { actor, auditRow } from '../../platform/audit/audit.ts';
import { type LockedPlan, lockPlan, taskBusy, taskCancelled } from './open-plan.ts';
import { planNotFound } from './plan.ts';

const planChanged = apiError(
  412,
  'plan_changed',
  'The plan has changed since the version in If-Match: read the current version, then ask again',
);

/** Sends the agent back to its plan with what a person wants changed. */
export const requestPlanChanges = route({
  method: 'POST',
  path: '/api/tasks/{task_id}/plan/request-changes',
  area: 'Plans & Artifacts',
  operationId: 'request_plan_changes',
  wakes: true,
  summary: 'Request changes of a plan',
  description:
    'Queues a turn in which the agent writes the next version of the plan with this feedback, ' +
    'which also becomes a message of the conversation. Repeating it before the turn has ended ' +
    'queues nothing more. Send `If-Match: "<version>"` to ask only for changes of the version ' +
    'you have read.',
  access: onTask('work_on_task'),
  params: ids('task_id'),
  body: object({
    text: multilineText({ minLength: 1, maxLength: 20_000, description: 'What to change.' }),
  }),
  bodyLimit: 128 * 1024,
  sample: () => ({ body: { text: 'Write the tests first.' } }),
  responses: {
    200: {
      description: 'The turn that writes the next version.',
      schema: Type.Object({
        task_id: uuid(),
        version: Type.Integer({ description: 'The version to change.' }),
        turn_id: uuid(),
        newly_requested: Type.Boolean({ description: 'False for a repeat.' }),
      }),
      example: {
        task_id: '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f',
        version: 2,
        turn_id: '01aa2b3c-4d5e-7f60-8a1b-2c3d4e5f6a7b',
        newly_requested: true,
      },
    },
  },
  headers: { 'If-Match': 'The plan version that you have read, in quotes.' },
  errors: [planNotFound, taskBusy, taskCancelled, planChanged],
  handle: ({ params: { task_id }, body, headers, requestId, transaction }) =>
    transaction(async (tx, { organization_id, project_id, ...caller }) => {
      const plan = await lockPlan(tx, task_id, headers['if-match'], planChanged);
      const answer = (turn_id: string, newly_requested: boolean) => ({
        status: 200,
        body: { task_id, version: plan.version, turn_id, newly_requested },
      });
      const same = await openRequest(tx, task_id, plan.version, body.text);
      if (same !== undefined) return answer(same, false);
      if (plan.status === 'cancelled') throw taskCancelled();
      if (plan.busy) throw taskBusy({ status: plan.status });
      const place = { task_id, organization_id, project_id };
      return answer(await queue(tx, place, plan, body.text, caller, requestId), true);
    }),
});

const sourceOf = (taskId: string, version: number) => `plan_changes:${taskId}:${version}:`;

/** The turn of the same request that has not ended, if there is one. */
async function openRequest(
  tx: Tx,
  taskId: string,
  version: number,
  text: string,
): Promise<string | undefined> {
  const turn = await tx.maybeOne<{ id: string }>(sql`
    select id from task_turn
     where task_id = ${taskId} and starts_with(source, ${sourceOf(taskId, version)})
       and state in ('queued', 'running', 'waiting', 'interrupted') and prompt = ${text}
     order by number desc limit 1`);
  return turn?.id;
}

/** Queues the turn with its message; the id of the turn. */
async function queue(
  tx: Tx,
  { task_id, organization_id, project_id }: Record<string, string | null>,
  { version, last_turn, last_message }: LockedPlan,
  text: string,
  caller: Caller,
  requestId: string,
): Promise<string> {
  const [turn, message] = [last_turn + 1, last_message + 1];
  const { id } = await tx.one<{ id: string }>(sql`
    with ${actor(caller)},
    turn as (
      insert into task_turn (task_id, number, kind, source, prompt, requested_by_user_id)
      values (${task_id}, ${turn}, 'plan', ${`${sourceOf(task_id as string, version)}${turn}`},
              ${text}, ${caller.userId})
      returning id),
    message as (
      insert into task_message (task_id, number, turn_id, role, author_user_id, content)
      select ${task_id}::uuid, ${message}, turn.id, 'user', ${caller.userId}::uuid, ${text}
        from turn),
    queued as (
      update task set status = 'queued', status_reason = null, last_turn = ${turn},
             last_message = ${message}
       where id = ${task_id}),
    audited as (${auditRow({
      action: 'plan.request_changes',
      requestId,
      target: sql`${task_id}::uuid`,
      organization: sql`${organization_id}::uuid`,
      project: sql`${project_id}::uuid`,
      before: sql`jsonb_build_object('version', ${version}::integer)`,
      after: sql`jsonb_build_object('turn_id', turn.id)`,
      from: sql`turn`,
    })})
    select id from turn`);
  return id;
}
