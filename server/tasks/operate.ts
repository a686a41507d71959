import type { Database } from '../db/database/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import { usdSql } from '../http/resource.ts';
import { CANCELLABLE, shownReason, shownStatus } from './shown-status.ts';
import type { TaskStatus } from './task-states.ts';

/** Tasks of all workspaces, for the operator. Times in the shown objects are ISO texts. */

type Named = { id: string; name: string };

interface OperatedTask {
  id: string;
  title: string;
  status: TaskStatus;
  status_reason: string | null;
  /** Null for a project without one. */
  workspace: Named | null;
  project: Named;
  created_at: Date;
  updated_at: Date;
  /** USD that its turns have cost, and may cost. */
  spent: string;
  spend_cap: string | null;
}

export interface ListedTask extends OperatedTask {
  /** The turn that runs or is the next; null when there is none. */
  turn: { number: number; kind: string; state: string; attempt: number } | null;
}

export interface ListFilter {
  /** Only tasks with this status; undefined: those that run or wait to run. */
  status: TaskStatus | 'any' | undefined;
  workspace: string | undefined;
  /** Only tasks that nothing has changed for so many milliseconds. */
  unchangedFor: number | undefined;
  limit: number;
}

const columns = sql`
  t.id, t.title, ${shownStatus} as status, ${shownReason} as status_reason,
  case when o.id is not null then json_build_object('id', o.id, 'name', o.name) end as workspace,
  json_build_object('id', p.id, 'name', p.name) as project,
  t.created_at, t.updated_at,
  ${usdSql(sql`
    (select round(coalesce(sum(spent_nano), 0) / 1000) from task_turn where task_id = t.id)`)}
    as spent,
  ${usdSql(sql`t.spend_cap`)} as spend_cap`;

// Found by index, however many tasks are at rest.
const open: Sql = sql`
  (select task_id from task_turn where state in ('queued', 'interrupted')
   union select task_id from task_turn where state in ('running', 'waiting')
   union select task_id from waiting_start) open
  join task t on t.id = open.task_id`;

/** The tasks that were changed last, first. */
export const listOperatedTasks = (
  db: Pick<Database, 'read'>,
  { status, workspace = undefined, unchangedFor, limit }: ListFilter,
): Promise<ListedTask[]> => {
  const atRest = status !== undefined && (status === 'any' || !CANCELLABLE.includes(status));
  const wanted = status === 'any' ? null : (status ?? null);
  return db.read<ListedTask>(sql`
    select ${columns}, turn.turn
      from ${atRest ? sql`task t` : open}
      join project p on p.id = t.project_id
      left join organization o on o.id = p.organization_id
      left join lateral (
        select json_build_object('number', u.number, 'kind', u.kind, 'state', u.state,
                                 'attempt', u.attempt) as turn
          from task_turn u
         where u.task_id = t.id and u.state in ('queued', 'interrupted', 'running', 'waiting')
         order by u.number limit 1) turn on true
     where (${wanted}::text is null or ${shownStatus} = ${wanted})
       and (${workspace ?? null}::uuid is null or p.organization_id = ${workspace ?? null})
       and t.updated_at <= now() - ${unchangedFor ?? 0}::bigint * interval '1 millisecond'
     order by t.updated_at desc, t.id limit ${limit}`);
};

interface ShownTurn {
  number: number;
  kind: string;
  state: string;
  attempt: number;
  /** How many workers vanished while they had it. */
  losses: number;
  worker: string | null;
  lease_until: string | null;
  cancel_requested_at: string | null;
  requested_by_user_id: string | null;
  spent: string;
  error: string | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
}

interface ShownPod {
  id: string;
  driver: string;
  external_id: string | null;
  state: string;
  reason: string | null;
  generation: number;
  started_at: string | null;
  expires_at: string | null;
}

export interface ShownTask extends OperatedTask {
  /** USD that are held for a running turn. */
  held: string;
  /** The newest twenty, newest first. */
  turns: ShownTurn[];
  /** The newest five, newest first. */
  pods: ShownPod[];
  /** Open questions of the agent. */
  requests: { id: string; kind: string; title: string; created_at: string }[];
}

/** What an operator sees of one task; undefined if there is none. */
export const showOperatedTask = (
  db: Pick<Database, 'maybeOne'>,
  taskId: string,
): Promise<ShownTask | undefined> =>
  db.maybeOne<ShownTask>(sql`
    select ${columns},
           ${usdSql(sql`
             (select coalesce(sum(amount), 0) from hold
               where reference_type = 'task' and reference_id = t.id and status = 'open')`)} as held,
           (select coalesce(json_agg(each order by number desc), '[]')
              from (select number, kind, state, attempt, losses, owner as worker, lease_until,
                           cancel_requested_at, requested_by_user_id,
                           ${usdSql(sql`round(spent_nano::numeric / 1000)`)} as spent,
                           error, created_at, started_at, ended_at
                      from task_turn where task_id = t.id order by number desc limit 20) each)
             as turns,
           (select coalesce(json_agg(each order by generation desc), '[]')
              from (select id, driver, external_id, state, reason, generation, started_at, expires_at
                      from pod where task_id = t.id order by generation desc limit 5) each) as pods,
           (select coalesce(json_agg(each order by created_at), '[]')
              from (select id, kind, title, created_at from agent_request
                     where task_id = t.id and state = 'open' order by created_at limit 20) each)
             as requests
      from task t
      join project p on p.id = t.project_id
      left join organization o on o.id = p.organization_id
     where t.id = ${taskId}`);
