import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { sharedGauges } from '../../telemetry/metrics.ts';
import type { AgentSession, StartAgent } from '../agents/agent.ts';
import type { Turn } from './claim.ts';

/** What the metrics of a worker count. */
export interface WorkerObserver {
  /** A turn was claimed. */
  onClaim(turn: Pick<Turn, 'takenOver'>): void;
  /** The end of a turn was stored, so many seconds after its claim. */
  onEnd(turn: Pick<Turn, 'kind'>, result: string, seconds: number): void;
  /** A turn is another worker's. */
  onLoss(): void;
  /** A cost was recorded, in nano-USD. */
  onCharge(nano: bigint): void;
  /** An agent has ended its work, or could not begin. */
  onAgentEnd(result: string): void;
}

/** The result of an agent that opened no session; the others are those of `TurnResult`. */
const NOT_STARTED = 'not_started';
const ENDS = ['done', 'failed', 'cancelled', 'interrupted', 'paused'];
const AGENT_ENDS = ['done', 'cancelled', 'refused', 'max_tokens', 'failed', NOT_STARTED];
const NANO = 1_000_000_000;

/** Adds what a process counts while it carries out tasks to a registry. */
export function measureWorker(registry: Registry): WorkerObserver {
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: `guildhall_${name}`, help, labelNames, registers });
  const ended = counter('task_turns_ended_total', 'Turns that this process has ended', ['result']);
  const duration = new Histogram({
    name: 'guildhall_task_turn_duration_seconds',
    help: 'From the claim of a turn until its end was stored, by kind',
    labelNames: ['kind'],
    buckets: [1, 5, 15, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400],
    registers,
  });
  const lost = counter('task_leases_lost_total', 'Turns that this process lost to other workers');
  const takenOver = counter(
    'task_take_overs_total',
    'Turns that this process took over because their worker was gone',
  );
  const charged = counter('task_charged_usd_total', 'USD that turns of this process have cost');
  const agents = counter('agent_ends_total', 'Agents that have ended, by result', ['result']);
  for (const result of ENDS) ended.inc({ result }, 0);
  for (const result of AGENT_ENDS) agents.inc({ result }, 0);
  return {
    onClaim: (turn) => {
      if (turn.takenOver) takenOver.inc();
    },
    onEnd: ({ kind }, result, seconds) => {
      ended.inc({ result });
      duration.observe({ kind }, seconds);
    },
    onLoss: () => lost.inc(),
    onCharge: (nano) => charged.inc(Number(nano) / NANO),
    onAgentEnd: (result) => agents.inc({ result }),
  };
}

/** How many turns a process carries out, and how many it could. */
export function measureConcurrency(
  registry: Registry,
  { concurrency, running }: { concurrency: number; running(): number },
): void {
  const registers = [registry];
  new Gauge({
    name: 'guildhall_task_worker_concurrency',
    help: 'Turns that this process carries out at once, at most',
    registers,
  }).set(concurrency);
  new Gauge({
    name: 'guildhall_task_worker_turns',
    help: 'Turns that this process carries out now, without those that wait for an answer',
    registers,
    collect() {
      this.set(running());
    },
  });
}

/** Starts agents as `start` does, and counts how they end. */
export const countAgents =
  (
    start: (options: StartAgent) => Promise<AgentSession>,
    { onAgentEnd }: Pick<WorkerObserver, 'onAgentEnd'>,
  ) =>
  async (options: StartAgent): Promise<AgentSession> => {
    const session = await start(options).catch((error) => {
      onAgentEnd(options.signal.aborted ? 'cancelled' : NOT_STARTED);
      throw error;
    });
    const prompt: AgentSession['prompt'] = async (...all) => {
      const result = await session.prompt(...all);
      onAgentEnd(result.stopReason);
      return result;
    };
    return { ...session, prompt };
  };

/**
 * Adds the turns and pods of all processes to a registry. They are queried at each scrape, by
 * index, and left out while the database cannot be reached.
 */
export function measureTasks(registry: Registry, db: Pick<Database, 'one'>): void {
  const gauge = sharedGauges(registry, () => readFigures(db));
  gauge('task_turns', 'Turns that have not ended, by state', ['state'], (turns, now) => {
    for (const state of ['queued', 'interrupted', 'running', 'waiting'])
      turns.set({ state }, now.turns[state] ?? 0);
  });
  gauge(
    'task_turn_oldest_due_seconds',
    'Age of the oldest turn that any worker could carry out now; 0 if there is none',
    [],
    (oldest, now) => oldest.set(now.oldest),
  );
  gauge('pods', 'Pods that exist, by driver and state', ['driver', 'state'], (pods, now) => {
    for (const { driver, state, count } of now.pods) pods.set({ driver, state }, count);
  });
  gauge(
    'pod_oldest_expired_seconds',
    'For how long a pod exists that should have been destroyed; 0 if there is none',
    [],
    (oldest, now) => oldest.set(now.expired),
  );
}

/** Ages in seconds. */
interface Figures {
  turns: Record<string, number>;
  oldest: number;
  pods: { driver: string; state: string; count: number }[];
  expired: number;
}

// A turn also becomes due when the turn before it ends, when it is interrupted, and when its task
// is resumed. No column says when that was, but all of them change `task.updated_at`.
const readFigures = (db: Pick<Database, 'one'>): Promise<Figures> =>
  db.one<Figures>(sql`
    with open as materialized (
      select task_id, number, state, not_before, lease_until from task_turn
       where state in ('queued', 'interrupted')
      union all
      select task_id, number, state, not_before, lease_until from task_turn
       where state in ('running', 'waiting')),
    next as (select distinct on (task_id) * from open order by task_id, number)
    select turns.*, due.*, pods.*, expired.*
      from (select coalesce(json_object_agg(state, count), '{}') as turns
              from (select state, count(*)::int from open group by state) each) turns,
           (select coalesce(extract(epoch from now() - min(since)), 0)::float8 as oldest
              from (select greatest(u.not_before, t.updated_at) as since
                      from next u join task t on t.id = u.task_id
                     where u.state in ('queued', 'interrupted') and u.not_before <= now()
                       and t.status not in ('paused', 'failed', 'cancelled')
                    union all
                    select lease_until from open where lease_until < now()
                    union all
                    select created_at from outbox
                     where topic = 'agent_start' and done_at is null) each) due,
           (select coalesce(json_agg(each), '[]') as pods
              from (select driver, state, count(*)::int from pod
                     where state not in ('absent', 'failed') group by driver, state) each) pods,
           (select coalesce(extract(epoch from now() - min(expires_at)), 0)::float8 as expired
              from pod where state not in ('absent', 'failed') and expires_at < now()) expired`);
