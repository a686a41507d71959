import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { type Lease, LostLease, owned } from './lease.ts';
import type { Answer, Question } from './runner.ts';

type Many = Pick<Database, 'many'>;

const MAX_TITLE = 2_000;

/**
 * Stores a question of the agent: its task waits for an answer. Returns its id. When an earlier
 * attempt of the turn, whose worker died, asked the very same and no agent has had the answer, it
 * is that question, also if it has been answered since. An answer that an agent has had is not used
 * again: a permission may be for once.
 */
export async function openRequest(db: Many, lease: Lease, question: Question): Promise<string> {
  const title = question.title.replaceAll('\0', '').slice(0, MAX_TITLE) || 'The agent asks';
  const [row] = await db.many<{ id: string }>(sql`
    with owned as materialized (${owned(lease)}),
    known as materialized (
      select r.id
        from agent_request r join owned using (turn_id)
       where r.kind = ${question.kind} and r.title = ${title}
         and r.options = ${JSON.stringify(question.options)}::jsonb
         and r.state in ('open', 'answered') and r.attempt < ${lease.attempt}
         and r.delivered_at is null
       order by r.created_at, r.id limit 1 for update of r),
    again as (
      update agent_request r set attempt = ${lease.attempt}, asked_at = now()
        from known where r.id = known.id
      returning r.id),
    asked as (
      insert into agent_request (task_id, turn_id, kind, title, options, attempt)
      select task_id, turn_id, ${question.kind}, ${title}, ${JSON.stringify(question.options)},
             ${lease.attempt}
        from owned where not exists (select from known)
      returning id),
    turn as (
      update task_turn u set state = 'waiting' from owned where u.id = owned.turn_id),
    task as (
      update task t set status = 'awaiting_answer', updated_at = now()
        from owned where t.id = owned.task_id)
    select id from again union all select id from asked`);
  if (row === undefined) throw new LostLease(lease);
  return row.id;
}

/** Ends a request that its agent needs no more. */
export const withdrawRequest = (db: Many, lease: Lease, requestId: string): Promise<unknown> =>
  db.many(sql`
    with owned as materialized (${owned(lease)})
    update agent_request r set state = 'withdrawn', ended_at = clock_timestamp()
      from owned where r.id = ${requestId} and r.turn_id = owned.turn_id and r.state = 'open'`);

/** A request that has ended. */
export interface Answered {
  id: string;
  answer: Answer;
}

/** Those of these requests that wait no longer. */
export async function readAnswers(
  db: Pick<Database, 'read'>,
  ids: readonly string[],
): Promise<Answered[]> {
  const rows = await db.read<{ id: string; option: string | null; text: string | null }>(sql`
    select id, answer_option_id as option, answer_text as text
      from agent_request where id = any(${ids}::uuid[]) and state <> 'open'`);
  return rows.map(({ id, option, text }) => ({
    id,
    answer: option !== null ? { optionId: option } : text !== null ? { text } : { withdrawn: true },
  }));
}

/**
 * Marks an answer as delivered and lets the agent go on, unless it waits for another one as well. The time in which
 * it waited does not count towards the deadline of the turn. Returns the status of the task.
 */
export async function closeRequest(db: Many, lease: Lease, requestId: string): Promise<string> {
  const [row] = await db.many<{ status: string }>(sql`
    with owned as materialized (${owned(lease)}),
    waits as (
      select exists (select from agent_request r join owned using (turn_id)
                      where r.state = 'open' and r.attempt = ${lease.attempt}) as still),
    delivered as (
      update agent_request r set delivered_at = clock_timestamp()
        from owned where r.id = ${requestId} and r.turn_id = owned.turn_id),
    turn as (
      update task_turn u
         set state = case when waits.still then u.state else 'running' end,
             deadline_at = case when waits.still then u.deadline_at
                                else u.deadline_at + (now() - r.asked_at) end
        from owned, waits, agent_request r
       where u.id = owned.turn_id and r.id = ${requestId}
      returning u.mode),
    task as (
      update task t
         set updated_at = now(),
             status = case when waits.still then t.status
                           when turn.mode = 'build' then 'building' else 'planning' end
        from owned, waits, turn where t.id = owned.task_id and t.status = 'awaiting_answer'
      returning t.status)
    select coalesce((select status from task), 'awaiting_answer') as status from owned`);
  if (row === undefined) throw new LostLease(lease);
  return row.status;
}
