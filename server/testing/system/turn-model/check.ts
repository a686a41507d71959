import assert from 'node:assert/strict';
import { sql } from '../../../db/sql.ts';
import { until } from '../../harness/until.ts';
import { CAPS, type TurnTenant, type TurnWorld } from './world.ts';

/** Waits until no turn is at work or can begin. Agents that hang are cancelled. */
export const untilAtRest = ({ db }: TurnWorld, { tasks }: TurnTenant): Promise<void> =>
  until(
    'all turns are at rest',
    async () => {
      await db.many(sql`
        update task_turn set cancel_requested_at = coalesce(cancel_requested_at, now())
         where task_id = any(${tasks}::uuid[]) and state in ('running', 'waiting')
           and started_at < now() - interval '2 seconds'`);
      const busy = await db.many(sql`
        select u.id from task_turn u join task t on t.id = u.task_id
         where t.id = any(${tasks}::uuid[])
           and (u.state in ('running', 'waiting')
                or u.state in ('queued', 'interrupted')
                   and t.status not in ('paused', 'failed', 'cancelled'))`);
      return busy.length === 0;
    },
    60_000,
  );

/** What must hold of a tenant whose turns are at rest and whose usage was settled. */
export async function checkTurns(world: TurnWorld, t: TurnTenant): Promise<void> {
  const { db, charges } = world;
  const held = await db.many(sql`
    select idempotency_key from hold where status = 'open' and idempotency_key like 'turn:%'`);
  assert.deepEqual(held, [], 'a hold is left');
  const pending = await db.many(sql`select id from usage_event where settlement_id is null`);
  assert.deepEqual(pending, [], 'usage is not settled');

  // Deleted turns included: of those, only the usage is left.
  const used = await db.many<{ turnId: string; nano: bigint }>(sql`
    select reference_id as "turnId", sum(amount)::bigint as nano
      from usage_event where reference_type = 'task_turn' group by reference_id`);
  const usage = new Map(used.map(({ turnId, nano }) => [turnId, nano]));
  for (const [turnId, made] of Map.groupBy(charges, (charge) => charge.turnId)) {
    const certain = sum(made.filter(({ recorded }) => recorded === 'yes'));
    const recorded = usage.get(turnId) ?? 0n;
    const said = `turn ${turnId}: ${recorded} recorded, ${certain} certain, ${sum(made)} at most`;
    assert.ok(certain <= recorded && recorded <= sum(made), said);
    usage.delete(turnId);
  }
  assert.deepEqual([...usage], [], 'usage that no agent reported');

  const { taken, owed } = await db.one<{ taken: bigint; owed: bigint }>(sql`
    select (select coalesce(sum(amount), 0)::bigint * 1000 from ledger_transfer
             where idempotency_key like 'usage:%')
           + (select coalesce(sum(carried_out), 0)::bigint from (
               select distinct on (account_id) carried_out from usage_settlement
                order by account_id, number desc) last) as taken,
           (select coalesce(sum(amount), 0)::bigint from usage_event) as owed`);
  assert.equal(taken, owed, 'the ledger took what was used');
  await checkCaps(world, t);
  await checkDebts(world);
}

const sum = (charges: { nano: bigint }[]) => charges.reduce((total, { nano }) => total + nano, 0n);

async function checkCaps({ db }: TurnWorld, { tasks, projects }: TurnTenant): Promise<void> {
  const CENT = 10_000_000n;
  const capped = await db.many<{ spent: bigint }>(sql`
    select sum(spent_nano)::bigint as spent from task_turn
     where task_id = any(${tasks.slice(2)}::uuid[]) group by task_id`);
  for (const { spent } of capped)
    assert.ok(spent <= BigInt(CAPS.task) * CENT, `a task spent ${spent}`);
  const { spent } = await db.one<{ spent: bigint }>(sql`
    select coalesce(sum(u.spent_nano), 0)::bigint as spent
      from task_turn u join task t on t.id = u.task_id where t.project_id = ${projects[1]}`);
  assert.ok(spent <= BigInt(CAPS.project) * CENT, `a project spent ${spent}`);
}

/**
 * No turn leaves a debt: without what disputes took away, no balance was ever below zero after a
 * charge, except for the usage that another service reported without a hold.
 */
async function checkDebts({ db }: TurnWorld): Promise<void> {
  const debts = await db.many(sql`
    with shadow as (
      select account_id, kind, version,
             sum(case when kind in ('dispute', 'dispute_reversal') then 0
                      else balance - previous_balance end)
               over (partition by account_id order by version) as balance
        from ledger_transfer),
    unheld as (
      select account_id, ceil(sum(amount) / 1000.0) as amount
        from usage_event where reference_type = 'test' group by account_id)
    select s.account_id, s.version, s.balance
      from shadow s left join unheld using (account_id)
     where s.kind = 'usage' and s.balance < -coalesce(unheld.amount, 0)`);
  assert.deepEqual(debts, [], 'a turn left a debt');
}
