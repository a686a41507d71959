import { onTask } from '../../access/project.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { type Shown, shownAs } from '../../http/change.ts';
import { apiError } from '../../http/errors.ts';
import { ids, route } from '../../http/route.ts';
import { actor, auditRow } from '../../platform/audit/audit.ts';
import { lockPlan, taskCancelled } from './open-plan.ts';
import { plan, planChanges, planNotFound, shownPlan } from './plan.ts';
import { writeVersion } from './write-version.ts';

const versionRequired = apiError(
  428,
  'if_match_required',
  'Send the ETag of the plan that you have read as If-Match, so that you replace no other version',
);

const planRevised = apiError(
  412,
  'plan_changed',
  'The plan has changed since the version in If-Match: read the current version, then revise it',
);

/** A person writes the next version of a plan. */
export const revisePlan = route({
  method: 'PUT',
  path: '/api/tasks/{task_id}/plan',
  area: 'Plans & Artifacts',
  operationId: 'revise_plan',
  wakes: true,
  summary: 'Revise a task plan',
  description:
    'Writes a new version of the plan, whose author is the caller. It has to be approved, also ' +
    'where plans of the agent are approved automatically. What is being built goes on with the ' +
    'version that was approved. `If-Match` is required; the same text, and `{}`, change nothing.',
  access: onTask('work_on_task'),
  params: ids('task_id'),
  body: planChanges,
  bodyLimit: 512 * 1024,
  sample: () => ({
    body: { text: '# Sale order approval\n\n1. Test it.\n' },
    headers: { 'if-match': '"1", "2"' },
  }),
  responses: { 200: plan.shown('The current plan.') },
  headers: {
    'If-Match': { description: 'The plan version that you have read, in quotes.', required: true },
  },
  errors: [planNotFound, taskCancelled, planRevised, versionRequired],
  handle: async ({ params: { task_id }, body, headers, requestId, load, transaction }) => {
    const ifMatch = headers['if-match'];
    if (ifMatch === undefined) {
      await load();
      throw versionRequired();
    }
    return transaction(async (tx, { organization_id, project_id, acts_as, ...caller }) => {
      const current = await lockPlan(tx, task_id, ifMatch, planRevised);
      if (current.status === 'cancelled') throw taskCancelled();
      if (body.text !== undefined && body.text !== current.text) {
        const written = { taskId: task_id, text: body.text, authorUserId: caller.userId };
        const version = await writeVersion(tx, written, current);
        const place = { task_id, organization_id, project_id };
        await record(tx, place, current.version, version, caller, requestId);
      }
      return shownAs(200, await show(tx, task_id, caller, acts_as));
    });
  },
});

// What runs goes on; a task that rests waits for the approval of what was written.
const record = (
  tx: Tx,
  { task_id, organization_id, project_id }: Record<string, string | null>,
  before: number,
  version: number,
  caller: Caller,
  requestId: string,
) =>
  tx.many(sql`
    with ${actor(caller)},
    moved as (
      update task set status = 'awaiting_approval' where id = ${task_id} and status = 'ready')
    ${auditRow({
      action: 'plan.revise',
      requestId,
      target: sql`${task_id}::uuid`,
      organization: sql`${organization_id}::uuid`,
      project: sql`${project_id}::uuid`,
      before: sql`jsonb_build_object('version', ${before}::integer)`,
      after: sql`jsonb_build_object('version', ${version}::integer)`,
      from: sql`(values (true)) revised`,
    })}`);

const show = (tx: Tx, taskId: string, { userId }: Caller, actsAs: string): Promise<Shown> =>
  tx.one(sql`
    with authorized as (select ${taskId}::uuid as task_id, ${actsAs}::text as acts_as),
         caller as (
           select id as user_id, two_factor, false as read_only from app_user where id = ${userId})
    select ${plan.columns} from authorized ${shownPlan}`);
