import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { LONGEST_PLAN } from './plan.ts';
import { currentVersion, writeVersion } from './write-version.ts';

/** A text that `planFault` refuses was to be stored. */
export class PlanUnusable extends Error {
  override name = 'PlanUnusable';
}

interface StoredVersion {
  version: number;
  /** Whether the policy of the project approved it, so that its start is queued. */
  approved: boolean;
}

/**
 * Stores what the agent planned as the next version of the plan, in the transaction that ends the
 * turn. It is always a new version, also with the same text: an approval is of a version, and this
 * one has none. Where the project approves plans automatically, it is approved at once and the
 * start is queued as `approve_plan` queues it, unless someone has asked to cancel the turn.
 * `task.status` is left to the caller. The audit trail has the id of the turn in place of a
 * request's. Throws PlanUnusable.
 */
export async function storePlanVersion(
  tx: Tx,
  { taskId, turnId, text }: { taskId: string; turnId: string; text: string },
): Promise<StoredVersion> {
  const fault = planFault(text);
  if (fault !== undefined) throw new PlanUnusable(fault);
  const task = await tx.one<Task>(sql`
    select t.created_by_user_id, p.organization_id, p.id as project_id,
           p.plan_approval = 'automatic'
             and not exists (select from task_turn u
                              where u.task_id = t.id and u.state in ('running', 'waiting')
                                and u.cancel_requested_at is not null) as automatic
      from task t join project p on p.id = t.project_id
     where t.id = ${taskId} for no key update of t`);
  const written = { taskId, text: readable(text), authorUserId: null };
  const version = await writeVersion(tx, written, await currentVersion(tx, taskId));
  await record(tx, task, 'plan.write', { taskId, turnId, after: { version } });
  if (task.automatic) {
    await approve(tx, task, taskId, version);
    const after = { approved_version: version, approval_source: 'policy' };
    await record(tx, task, 'plan.approve', { taskId, turnId, after });
  }
  return { version, approved: task.automatic };
}

interface Task {
  created_by_user_id: string;
  organization_id: string | null;
  project_id: string;
  automatic: boolean;
}

const UNREADABLE = /[^\P{Cc}\t\n\r]/gu;

/** The text as a person may send it back: without the controls that terminals understand. */
const readable = (text: string): string => text.toWellFormed().replaceAll(UNREADABLE, '\ufffd');

/**
 * Why a text of the agent cannot be a plan, as a sentence for people: it is empty, or longer than a
 * person could send back. Ask before ending the turn as done.
 */
export function planFault(text: string): string | undefined {
  if (text.trim() === '') return 'The agent ended its turn without a plan: ask it again';
  const length = Array.from(text).length;
  if (length <= LONGEST_PLAN) return undefined;
  return `The plan has ${length} characters, more than ${LONGEST_PLAN}: ask for a shorter one`;
}

// The row is complete with the person for whom the agent works; `approval_source` says that they
// did not decide (decision 35).
const approve = (tx: Tx, { created_by_user_id }: Task, taskId: string, version: number) =>
  tx.many(sql`
    with approved as (
      update plan set approved_version = version, policy_version = version,
             approved_at = clock_timestamp(), approved_by_user_id = ${created_by_user_id}
       where task_id = ${taskId} and version = ${version}
      returning *),
    kept as (
      insert into plan_approval (task_id, version, approved_by_user_id, approved_at,
                                 approval_source)
      select task_id, approved_version, approved_by_user_id, approved_at, 'policy' from approved)
    insert into outbox (topic, key, payload)
    select 'agent_start', a.task_id || ':' || a.version,
           jsonb_build_object('task_id', a.task_id, 'version', a.version)
      from approved a`);

// No person is the actor, also where a policy approves.
const record = (
  tx: Tx,
  { organization_id, project_id }: Task,
  action: string,
  { taskId, turnId, after }: { taskId: string; turnId: string; after: object },
) =>
  tx.many(sql`
    insert into audit_event (action, outcome, target_id, organization_id, project_id, after,
                             request_id)
    values (${action}, 'done', ${taskId}, ${organization_id}, ${project_id}, ${after},
            ${turnId})`);
