import { type Database, DatabaseUnavailable, type Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Reference } from './holds.ts';
import { lockAccountOrSuccessor, post } from './ledger.ts';

/**
 * A usage event. `amount` in nano-USD, 0 to 10^14, and 0 only where something is counted; `key` is
 * unique among all events of all accounts. What the reference, a turn or a task, says of the task,
 * its project and the person is copied, because it may be deleted later.
 */
export interface UsageEvent {
  key: string;
  accountId: string;
  amount: bigint;
  reference: Reference;
  occurredAt: Date;
  /** `model` by default. */
  kind?: 'model' | 'pod' | 'erp_instance';
  /** As the catalog names it. */
  model?: string | undefined;
  /** With those of the cache. */
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  /** How long a pod or an ERP instance ran. */
  podSeconds?: number | undefined;
  /** What the reference would say, where it was deleted meanwhile. */
  of?: { taskId: string; projectId: string; userId: string } | undefined;
}

/**
 * Records events and ignores those whose key is already known. `recorded` and `repeated` count
 * them; `conflicting` lists keys that were used before for a different event: that is the sender's
 * mistake, and the first event stands. Never refused for lack of money, because what was used is
 * owed. An amount out of range fails the whole batch. A trigger adds them to the sums of their day,
 * `usage_day`. At most once in a transaction, so that two of them cannot deadlock.
 */
export async function recordUsage(
  tx: Tx,
  events: readonly UsageEvent[],
): Promise<{ recorded: number; repeated: number; conflicting: string[] }> {
  if (events.length === 0) return { recorded: 0, repeated: 0, conflicting: [] };
  const given = sql`unnest(
    ${events.map(({ key }) => key)}::text[], ${events.map(({ accountId }) => accountId)}::uuid[],
    ${events.map(({ amount }) => amount)}::bigint[],
    ${events.map(({ reference }) => reference.type)}::text[],
    ${events.map(({ reference }) => reference.id)}::uuid[],
    ${events.map(({ occurredAt }) => occurredAt.toISOString())}::timestamptz[],
    ${events.map(({ kind = 'model' }) => kind)}::text[],
    ${events.map(({ model = null }) => model)}::text[],
    ${events.map(({ inputTokens = null }) => inputTokens)}::bigint[],
    ${events.map(({ outputTokens = null }) => outputTokens)}::bigint[],
    ${events.map(({ podSeconds = null }) => podSeconds)}::bigint[],
    ${events.map(({ of }) => of?.taskId ?? null)}::uuid[],
    ${events.map(({ of }) => of?.projectId ?? null)}::uuid[],
    ${events.map(({ of }) => of?.userId ?? null)}::uuid[])
    with ordinality g(key, account_id, amount, reference_type, reference_id, occurred_at,
      kind, model, input_tokens, output_tokens, pod_seconds, task_id, project_id, user_id, place)`;
  // In the order of the keys, so that two overlapping batches cannot deadlock.
  const inserted = await tx.many(sql`
    insert into usage_event (idempotency_key, account_id, amount, reference_type, reference_id,
      occurred_at, kind, model, input_tokens, output_tokens, pod_seconds,
      task_id, project_id, organization_id, user_id)
    select g.key, g.account_id, g.amount, g.reference_type, g.reference_id,
           g.occurred_at, g.kind, g.model, g.input_tokens, g.output_tokens, g.pod_seconds,
           coalesce(t.id, g.task_id), coalesce(t.project_id, g.project_id), a.organization_id,
           coalesce(u.requested_by_user_id, t.created_by_user_id, g.user_id)
      from ${given}
      left join task_turn u on g.reference_type = 'task_turn' and u.id = g.reference_id
      left join task t
        on t.id = case g.reference_type when 'task' then g.reference_id else u.task_id end
      left join billing_account a on a.id = g.account_id
     order by g.key, g.place
    on conflict (idempotency_key) do nothing returning id`);
  const repeated = events.length - inserted.length;
  if (repeated === 0) return { recorded: inserted.length, repeated, conflicting: [] };
  const conflicts = await tx.many<{ key: string }>(sql`
    select distinct g.key from ${given} join usage_event e on e.idempotency_key = g.key
     where (e.account_id, e.amount, e.reference_type, e.reference_id, e.occurred_at,
            e.kind, e.model, e.input_tokens, e.output_tokens, e.pod_seconds)
           is distinct from (g.account_id, g.amount, g.reference_type, g.reference_id,
             g.occurred_at, g.kind, g.model, g.input_tokens, g.output_tokens, g.pod_seconds)
     order by 1`);
  return { recorded: inserted.length, repeated, conflicting: conflicts.map(({ key }) => key) };
}

/**
 * A settlement: `events` charged as `micro` micro-USD, with 0 to 999 nano-USD carried over from the
 * previous one and to the next.
 */
interface Settlement {
  id: string;
  events: number;
  totalNano: bigint;
  carriedIn: number;
  carriedOut: number;
  micro: bigint;
}

/**
 * `busy`: accounts locked by another process, left for the next round. `failed`: accounts that
 * could not be charged.
 */
export interface SettlementRound {
  settlements: number;
  events: number;
  busy: number;
  failed: { accountId: string; error: unknown }[];
}

const MOST = 10_000;

/**
 * Charges pending usage account by account, at most `limit` events (1 to 10000) per settlement and
 * transaction. Any number of processes may run it at once and be killed: locked accounts are
 * skipped, and what was not committed remains pending. An account that fails does not stop the
 * others. Throws RangeError for another limit, and DatabaseUnavailable.
 */
export async function settleUsage(db: Database, { limit = 1_000 } = {}): Promise<SettlementRound> {
  const round: SettlementRound = { settlements: 0, events: 0, busy: 0, failed: [] };
  // In random order, so that processes spread over the accounts and a slow one is not always first.
  const accounts = await db.many<{ id: string }>(sql`
    select id from (select distinct account_id as id from usage_event
      where settlement_id is null and charged) pending
     order by random()`);
  for (const { id: accountId } of accounts) {
    try {
      let more = true;
      while (more) {
        const settled = await db.transaction(async (tx) => {
          const free = await tx.maybeOne(sql`
            select id from billing_account where id = ${accountId} for no key update skip locked`);
          return free === undefined ? 'busy' : settleAccount(tx, accountId, limit);
        });
        if (settled === 'busy') round.busy++;
        else if (settled !== undefined) {
          round.settlements++;
          round.events += settled.events;
        }
        more = typeof settled === 'object' && settled.events === limit;
      }
    } catch (error) {
      if (error instanceof DatabaseUnavailable || error instanceof RangeError) throw error;
      round.failed.push({ accountId, error });
    }
  }
  return round;
}

/**
 * Settles at most `limit` pending events of one account, the oldest first; undefined if there are
 * none. Lock the account first: the statement that sums them must begin after the previous
 * settlement has committed. The charge may leave a debt. If the account has been closed since, the
 * account that received its balance pays.
 */
export async function settleAccount(
  tx: Tx,
  accountId: string,
  limit: number = MOST,
): Promise<Settlement | undefined> {
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST)
    throw new RangeError(`a settlement takes 1 to ${MOST} events`);
  // One statement, so that the sum, the marked events and the remainder come from the same
  // snapshot.
  const settlement = await tx.maybeOne<Settlement>(sql`
    with batch as materialized (
      select id, amount from usage_event
       where account_id = ${accountId} and settlement_id is null and charged
       order by occurred_at, id limit ${limit}),
    total as (select count(*) as events, sum(amount)::bigint as nano
      from batch having count(*) > 0),
    last as (
      select number, carried_out from usage_settlement where account_id = ${accountId}
        order by number desc limit 1),
    settlement as (
      insert into usage_settlement (account_id, number, events, total_nano, carried_in,
        carried_out, micro)
      select ${accountId}, coalesce(last.number, 0) + 1, events, nano, coalesce(last.carried_out,
        0),
             (coalesce(last.carried_out, 0) + nano) % 1000, (coalesce(last.carried_out,
               0) + nano) / 1000
        from total left join last on true
      returning id, events, total_nano, carried_in, carried_out, micro),
    marked as (
      update usage_event e set settlement_id = settlement.id from settlement, batch
       where e.id = batch.id and e.settlement_id is null and e.charged)
    select id, events, total_nano as "totalNano", carried_in as "carriedIn",
      carried_out as "carriedOut", micro
      from settlement`);
  if (settlement === undefined || settlement.micro === 0n) return settlement;
  const { status } = await tx.one<{ status: string }>(
    sql`select status from billing_account where id = ${accountId}`,
  );
  // Not earlier, because its FOR UPDATE blocks the recording of usage for the account until this
  // commits.
  const payerId =
    status === 'closed' ? (await lockAccountOrSuccessor(tx, accountId)).id : accountId;
  await post(tx, {
    key: `usage:${settlement.id}`,
    kind: 'usage',
    accountId: payerId,
    side: 'debit',
    counterpart: 'revenue',
    amount: settlement.micro,
    reference: { type: 'usage_settlement', id: settlement.id },
  });
  return settlement;
}
