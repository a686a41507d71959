import { account, askedFor, leftUnder, limits } from '../../billing/index.ts';
import type { Tx } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { StopReason } from './runner.ts';

/** What one hold reserves for a turn, in micro-USD, unless a cap or a limit leaves less. */
export const SLICE = 500_000n;

/** The most that one usage event, and so one hold for it, can say, in micro-USD. */
const MOST = 100_000_000_000n;

/** SQL: what the cap of a task `t` leaves, in micro-USD; null without one. */
export const leftToTask: Sql = sql`
  t.spend_cap - case when t.spend_cap is not null then
    (select ceil(sum(s.spent_nano) / 1000)::bigint from task_turn s where s.task_id = t.id) end`;

/**
 * SQL: what the cap of a project `p` leaves, in micro-USD; null without one. What it has spent is read
 * from its usage, which stays when a task is deleted: its turns do not. What its turns at work hold is
 * left to them, but for `turn`, the id of the one that asks, or null.
 */
export const leftToProject = (turn: Sql): Sql => sql`
  p.spend_cap - case when p.spend_cap is not null then ceil((
    (select coalesce(sum(d.amount), 0) from usage_day d
      where d.project_id = p.id and d.kind = 'model')
    + (select coalesce(sum(greatest(0, s.covered_nano - s.spent_nano)), 0)
         from task_turn s join task o on o.id = s.task_id
        where o.project_id = p.id and s.state in ('running', 'waiting')
          and s.id is distinct from ${turn})) / 1000)::bigint end`;

/**
 * Who pays for a turn: the owner of its project as it is now, undefined if the project has none.
 * `slice`: what to hold, in micro-USD; not more than zero when a cap is reached.
 */
interface Payer {
  accountId: string | undefined;
  slice: bigint;
  /** Why it is not more. */
  bound: StopReason;
}

/**
 * `due`: nano-USD that are to be paid now, or 0. The slice is for all of them, but for no more than
 * the account has free, nor than one usage event can say; it is 1 where nothing is free, which a
 * hold then refuses.
 */
export async function payerOf(tx: Tx, turnId: string, due: bigint): Promise<Payer> {
  const needed = (due + 999n) / 1_000n;
  const wanted = needed > MOST ? MOST : needed > SLICE ? needed : SLICE;
  const locked = due > 0n ? await lockPayer(tx, turnId) : [];
  const free = due > 0n ? sql`greatest(1, a.balance - a.held)` : sql`null::bigint`;
  const read = () =>
    tx.one<{
      account_id: string | null;
      free: bigint | null;
      left_to_caps: bigint | null;
      left_to_limits: bigint | null;
    }>(sql`
      select a.id as account_id, ${free} as free, left_to.limits as left_to_limits,
             least(${leftToTask}, ${leftToProject(sql`u.id`)}) as left_to_caps
        from task_turn u
        join task t on t.id = u.task_id
        join project p on p.id = t.project_id
        left join lateral (${account}) a on true
       cross join lateral (${leftToLimits(sql`u.id`)}) left_to
       where u.id = ${turnId}`);
  for (;;) {
    const { account_id: id, free: balance, left_to_caps, left_to_limits } = await read();
    if (id === null || left_to_limits === null || locked.includes(id)) {
      const { least, bound } = leastOf(wanted, {
        spend_cap: left_to_caps,
        spend_limit: left_to_limits,
        insufficient_funds: balance,
      });
      return { accountId: id ?? undefined, slice: least, bound };
    }
    // What a limit leaves is only sure while no other turn can hold of it. The project may be given
    // to another owner meanwhile, whose limits then count.
    locked.push(...(await lockPayer(tx, turnId)));
  }
}

/** The first of the smallest; null is no bound. A cap or a limit that leaves nothing comes first. */
function leastOf(
  wanted: bigint,
  bounds: Partial<Record<StopReason, bigint | null>>,
): { least: bigint; bound: StopReason } {
  let found: { least: bigint; bound: StopReason } = { least: wanted, bound: 'insufficient_funds' };
  for (const [bound, amount] of Object.entries(bounds) as [StopReason, bigint | null][])
    if (amount !== null && amount < found.least && found.least > 0n)
      found = { least: amount, bound };
  return found;
}

/**
 * SQL: a select of `limits`: what the limits of the month leave to a turn `u` of a task `t` in a
 * project `p`, paid by the account `a`, in micro-USD; null without one. `turn` as for the project.
 */
const leftToLimits = (turn: Sql): Sql => sql`
  select min(${leftUnder(turn)}) as limits
    from spend_limit l
   where l.account_id = a.id and ${limits({
     project: sql`p.id`,
     task: sql`t.id`,
     person: askedFor(sql`u`, sql`t`),
   })}`;

/** So that what is read next, the free balance and what limits leave, is also there to be held. */
const lockPayer = async (tx: Tx, turnId: string): Promise<string[]> =>
  (
    await tx.many<{ id: string }>(sql`
    select id from billing_account
     where id in (
       select a.id from task_turn u
         join task t on t.id = u.task_id
         join project p on p.id = t.project_id
        cross join lateral (${account}) a
        where u.id = ${turnId})
       for no key update`)
  ).map(({ id }) => id);

/**
 * Locks the project of a task if it has a cap, so that of two turns the second one sees what the
 * first one holds. Before the task, as whoever deletes a project does.
 */
export const lockCap = (tx: Tx, taskId: string): Promise<unknown> =>
  tx.many(sql`
    select p.id from project p join task t on t.project_id = p.id
     where t.id = ${taskId} and p.spend_cap is not null
       for no key update of p`);
