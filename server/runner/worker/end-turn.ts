import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Turn } from './claim.ts';
import { lockLease } from './lease.ts';
import { settleTurn } from './money.ts';
import { noteLimit, noteNeed } from './note-limit.ts';

/** Why a task pauses, as `task.status_reason` has it. */
type PauseReason =
  | 'insufficient_funds'
  | 'account_not_active'
  | 'spend_cap'
  | 'spend_limit'
  | 'pod_lost';

/**
 * How a turn ends for its worker. `interrupted` leaves it to any worker at once; `paused` as well,
 * once its task goes on.
 */
export type Ending =
  | { state: 'done'; text: string }
  | { state: 'failed'; error: string }
  | { state: 'cancelled' }
  | { state: 'interrupted' }
  /** `needed`: micro-USD that must be there for it to go on; see TurnStopped. */
  | { state: 'paused'; reason: PauseReason; needed?: bigint | undefined };

/** Stores the agent's plan as the next version, in the transaction that ends its turn. */
export type StorePlan = (
  tx: Tx,
  plan: { taskId: string; turnId: string; text: string },
) => Promise<unknown>;

const MAX_MESSAGE = 400_000;
const MAX_REASON = 500;

/**
 * Ends a turn in one transaction: its plan, its costs, its state, its open requests, the agent's
 * message and the state of its task. Throws LostLease. A turn that someone wants to be cancelled is
 * not left to another worker; if it is done all the same, its text is kept, and its task is
 * cancelled.
 */
export async function endTurn(
  tx: Tx,
  turn: Turn,
  wanted: Ending,
  storePlan: StorePlan,
): Promise<Ending> {
  await lockLease(tx, turn);
  // A task that waits for an answer goes back to work first, also when its agent needs none.
  const { cancelled } = await tx.one<{ cancelled: boolean }>(sql`
    with working as (
      update task set status = ${turn.mode === 'build' ? 'building' : 'planning'}
       where id = ${turn.taskId} and status = 'awaiting_answer')
    select cancel_requested_at is not null as cancelled from task_turn where id = ${turn.turnId}`);
  const ending: Ending = cancelled && wanted.state !== 'done' ? { state: 'cancelled' } : wanted;
  if (ending.state === 'done' && turn.kind === 'plan')
    await storePlan(tx, { taskId: turn.taskId, turnId: turn.turnId, text: ending.text });
  await settleTurn(tx, turn);
  if (ending.state === 'paused' && ending.reason === 'spend_limit') await noteLimit(tx, turn);
  else if (ending.state === 'paused' && (ending.needed ?? 0n) > 1n)
    await noteNeed(tx, turn, ending.needed as bigint);
  await storeEnding(tx, turn, ending);
  if (ending.state === 'done') await storeMessage(tx, turn, ending.text);
  return ending;
}

async function storeEnding(tx: Tx, turn: Turn, ending: Ending): Promise<void> {
  const state = ending.state === 'paused' ? 'interrupted' : ending.state;
  const ended = state !== 'interrupted';
  const error = ending.state === 'failed' ? ending.error.slice(0, MAX_REASON) : null;
  const reason = ending.state === 'paused' ? ending.reason : error;
  const needed = ending.state === 'paused' ? (ending.needed ?? null) : null;
  await tx.many(sql`
    with turn as (
      update task_turn
         set state = ${state}, owner = null, lease_until = null, error = ${error},
             needed = ${needed},
             ended_at = case when ${ended}::boolean then clock_timestamp() end
       where id = ${turn.turnId}
      returning task_id, mode, cancel_requested_at is not null as cancelled),
    withdrawn as (
      update agent_request set state = 'withdrawn', ended_at = clock_timestamp()
       where turn_id = ${turn.turnId} and state = 'open'),
    next as (
      select turn.task_id,
             case when ${ending.state} = 'paused' then 'paused'
                  when ${ending.state} = 'interrupted' then 'queued'
                  when exists (select from task_turn u
                                where u.task_id = turn.task_id and u.id <> ${turn.turnId}
                                  and u.state in ('queued', 'interrupted')) then 'queued'
                  when turn.cancelled then 'cancelled'
                  when ${ending.state} in ('failed', 'cancelled') then ${ending.state}
                  when turn.mode = 'build' or p.task_id is null then 'ready'
                  when p.approved_version is not distinct from p.version then 'queued'
                  else 'awaiting_approval' end as status
        from turn left join plan p using (task_id))
    update task t
       set updated_at = now(),
           status = case when t.status = 'cancelled' and next.status <> 'queued' then t.status
                         else next.status end,
           status_reason = case when next.status in ('paused', 'failed')
                                 and t.status <> 'cancelled' then ${reason}::text end
      from next where t.id = next.task_id`);
}

async function storeMessage(tx: Tx, turn: Turn, text: string): Promise<void> {
  const content = text.replaceAll('\0', '').slice(0, MAX_MESSAGE);
  if (content.trim() === '') return;
  await tx.many(sql`
    with numbered as (
      update task set last_message = last_message + 1 where id = ${turn.taskId}
      returning id, last_message)
    insert into task_message (task_id, number, turn_id, role, content)
    select id, last_message, ${turn.turnId}, 'agent', ${content} from numbered`);
}
