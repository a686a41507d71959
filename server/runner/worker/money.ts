import { setTimeout as pause } from 'node:timers/promises';
import {
  accountNotActive,
  askedFor,
  endHoldsOf,
  hold,
  insufficientFunds,
  settleAccount,
} from '../../billing/index.ts';
import { type Database, DatabaseUnavailable, type Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { ApiError } from '../../http/errors.ts';
import type { Turn } from './claim.ts';
import { type PaidBy, recordCostOfDeleted } from './cost-of-deleted.ts';
import { LostLease, lockLease } from './lease.ts';
import { lockCap, payerOf, SLICE } from './payer.ts';
import { type Counted, recordCost, recordUncovered, uncoveredOf } from './record-cost.ts';
import { type StopReason, TurnStopped } from './runner.ts';

/**
 * The money of one turn. A hold reserves a slice ahead of what the agent costs; what it costs is
 * recorded as usage, and the hold is never captured, because both would charge twice. Usage is
 * settled in the transaction that releases its hold: what is released first could be spent before
 * the charge, and leave a debt.
 */
export interface TurnMoney {
  /** Holds the first slice. Throws TurnStopped when no one can pay, or a cap or limit is reached. */
  begin(): Promise<void>;
  /**
   * Records what the agent has cost since the last call, in nano-USD, and holds another slice near
   * the end of this one. A cost that is larger than the rest of the slice is charged as far as the
   * free balance, the caps and the limits can hold it. Throws TurnStopped as `begin` does; what
   * could be held is charged then, too. Tokens are counted once, also when they cost nothing or no
   * one pays. `reserved` ends what was reserved for it.
   */
  charge(nano: bigint, counted?: Counted, reserved?: bigint): Promise<void>;
  /**
   * Holds what a call of a model may cost before it is sent: `most` nano-USD, or what is left if that
   * is less, but not less than `least`. While other calls are under way, it waits for what they do not
   * need. The hold is a row of the database, so no other turn can spend it, whichever process has
   * it. Returns what `charge` ends. Throws TurnStopped as `begin` does, and the reason of `signal`.
   */
  reserve(least: bigint, most: bigint, signal: AbortSignal): Promise<bigint>;
  /** Settles what was used since the last settlement, if anything was. */
  settle(): Promise<void>;
}

/** A full slice is renewed when less than a fifth of it is left; one that a cap cut, at its end. */
const SLICE_NANO = SLICE * 1_000n;
const RENEW_BELOW = SLICE_NANO / 5n;

const AGAIN_MS = 500;

interface TurnMoneyOptions {
  /** Whether the turn is no longer this worker's, so that nothing is tried again. */
  lost(): boolean;
  /** Called with each cost that was recorded, in nano-USD. */
  onCharge?: ((nano: bigint) => void) | undefined;
  /** Called when a cost could not be charged whole, in nano-USD. */
  onShortfall?: ((cost: { reported: bigint; charged: bigint }) => void) | undefined;
}

export function turnMoney(
  db: Database,
  turn: Turn,
  { lost, onCharge, onShortfall }: TurnMoneyOptions,
): TurnMoney {
  let [slices, charges, slice, used] = [0, 0, 0n, 0n];
  /** Nano-USD of the slice that calls under way may need. */
  let reserved = 0n;
  let ended = Promise.withResolvers<void>();
  const left = () => slice - used - reserved;
  let payer: PaidBy | undefined;
  /** Of all attempts; undefined until it is needed. */
  let uncovered: bigint | undefined;
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other, in the order of the calls. */
  const inOrder = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };

  /** Again and again while the database does not answer: with its key, it happens once. */
  async function stored<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await db.transaction(work);
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) || lost()) throw error;
      }
      await pause(AGAIN_MS);
    }
  }

  /**
   * `due`: nano-USD that the slice should cover, if funds, caps and limits allow. Throws TurnStopped
   * when they do not allow `least`; the slice stays as it was then.
   */
  async function renew(due = 0n, least = 1n): Promise<void> {
    slices += 1;
    const key = `turn:${turn.turnId}:${turn.attempt}:${slices}`;
    const held = await stored((tx) => nextSlice(tx, turn, key, { due, least }));
    slice = held.amount * 1_000n;
    payer = held;
    used = 0n;
  }

  /**
   * Charges a cost that the slice covers, and returns it; nothing when the hold is gone. Rejects with
   * LostLease, also for a task that was deleted, of which it charges what can be.
   */
  async function take(nano: bigint, counted: Counted): Promise<bigint> {
    charges += 1;
    const key = `turn:${turn.turnId}:${turn.attempt}:use:${charges}`;
    const cost = { ...counted, key, amount: nano };
    const recorded = await stored((tx) => recordCost(tx, turn, cost)).catch(async (error) => {
      const last = payer;
      if (error instanceof LostLease && last !== undefined)
        await stored((tx) => recordCostOfDeleted(tx, turn, last, cost));
      throw error;
    });
    if (nano === 0n) return 0n;
    if (!recorded) {
      slice = used;
      return 0n;
    }
    onCharge?.(nano);
    used += nano;
    return nano;
  }

  /** Records what no one pays, so that it is not charged when the agent reports its total again. */
  async function keepUncovered(nano: bigint): Promise<void> {
    uncovered ??= await stored((tx) => uncoveredOf(tx, turn));
    uncovered += nano;
    const total = uncovered;
    await stored((tx) => recordUncovered(tx, turn, total));
  }

  /** Charges as much as can be held. Throws TurnStopped with the reason why the rest cannot. */
  async function cover(nano: bigint, counted: Counted): Promise<void> {
    let due = nano;
    // Tokens go with what is charged first.
    let rest = counted;
    let stopped: TurnStopped | undefined;
    while (due > 0n && stopped === undefined) {
      if (due > left())
        await renew(due + reserved, reserved + 1n).catch(async (error) => {
          if (error instanceof LostLease) await take(due, rest);
          if (!(error instanceof TurnStopped)) throw error;
          stopped = error;
        });
      const part = due < left() ? due : left();
      const taken = part > 0n ? await take(part, rest) : 0n;
      if (taken > 0n) rest = { model: counted.model };
      due -= taken;
    }
    if (hasTokens(rest)) await take(0n, rest);
    if (due > 0n) {
      onShortfall?.({ reported: nano, charged: nano - due });
      await keepUncovered(due);
    }
    if (stopped !== undefined) throw stopped;
  }

  /** What can be reserved now; undefined while other calls have to end first. */
  async function tryReserve(least: bigint, most: bigint): Promise<bigint | undefined> {
    const alone = reserved === 0n;
    if (left() < most)
      await renew(reserved + most, reserved + least).catch((error) => {
        if (alone || !(error instanceof TurnStopped)) throw error;
      });
    if (alone && left() < least) throw new TurnStopped('insufficient_funds');
    // Less is only given to one that is alone: what the others leave may be enough for all of it.
    if (left() < (alone ? least : most)) return undefined;
    const held = left() < most ? left() : most;
    reserved += held;
    return held;
  }

  async function reserve(least: bigint, most: bigint, signal: AbortSignal): Promise<bigint> {
    for (;;) {
      const tried = await inOrder(async () => {
        signal.throwIfAborted();
        return { held: await tryReserve(least, most), next: ended.promise };
      });
      if (tried.held !== undefined) return tried.held;
      await Promise.race([tried.next, once(signal)]);
    }
  }

  function endReserved(nano: bigint): void {
    reserved -= nano;
    ended.resolve();
    ended = Promise.withResolvers();
  }

  return {
    reserve,
    begin: () => inOrder(() => renew()),
    charge: (nano, counted = {}, wasReserved = 0n) =>
      inOrder(async () => {
        if (wasReserved > 0n) endReserved(wasReserved);
        if (nano > 0n || hasTokens(counted)) await cover(nano, counted);
        const rest = left();
        // What a call did not need is free for other turns again.
        if (wasReserved > 0n && rest > SLICE_NANO) await renew(reserved);
        else if (nano > 0n && wasReserved === 0n)
          if (rest <= 0n || (slice === SLICE_NANO && rest < RENEW_BELOW)) await renew(reserved);
      }),
    settle: () =>
      inOrder(async () => {
        if (used > 0n) await renew(reserved);
      }),
  };
}

/** Resolves when the signal aborts. */
const once = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

const hasTokens = ({ inputTokens = 0, outputTokens = 0 }: Counted) =>
  inputTokens > 0 || outputTokens > 0;

/**
 * Settles, releases the slice before, and holds the next one: for `due` nano-USD, what is left of
 * the funds if that is less. Returns its micro-USD, and who pays. Throws TurnStopped for less than
 * `least`.
 */
async function nextSlice(
  tx: Tx,
  turn: Turn,
  key: string,
  { due, least }: { due: bigint; least: bigint },
): Promise<PaidBy & { amount: bigint }> {
  await lockCap(tx, turn.taskId);
  await lockLease(tx, turn);
  // Another amount may be free when a commit without an answer is tried again.
  const known = await tx.maybeOne<PaidBy & { amount: bigint }>(sql`
    select h.amount, h.account_id as "accountId", ${askedFor(sql`u`, sql`t`)} as "userId"
      from hold h join task_turn u on u.id = ${turn.turnId} join task t on t.id = u.task_id
     where h.idempotency_key = ${key}`);
  if (known !== undefined) return known;
  await settleTurn(tx, turn);
  const { accountId, slice, bound } = await payerOf(tx, turn.turnId, due);
  if (accountId === undefined) throw new TurnStopped('account_not_active');
  const needed = (least + 999n) / 1_000n;
  if (slice < needed) throw new TurnStopped(bound, needed);
  await hold(tx, {
    accountId,
    amount: slice,
    key,
    reference: { type: 'task', id: turn.taskId },
  }).catch(refuse);
  const { userId } = await tx.one<{ userId: string }>(sql`
    update task_turn u
       set account_id = ${accountId}, covered_nano = spent_nano + ${slice * 1_000n}::bigint
      from task t
     where u.id = ${turn.turnId} and t.id = u.task_id
    returning ${askedFor(sql`u`, sql`t`)} as "userId"`);
  return { amount: slice, accountId, userId };
}

const REFUSALS: Record<string, StopReason> = {
  [insufficientFunds().code]: 'insufficient_funds',
  [accountNotActive().code]: 'account_not_active',
};

function refuse(error: unknown): never {
  const reason = error instanceof ApiError ? REFUSALS[error.code] : undefined;
  throw reason === undefined ? error : new TurnStopped(reason);
}

/**
 * Charges what the turn has used and releases its holds, in the caller's transaction, which has
 * locked the task. What it used before its holds were ended elsewhere is charged as well.
 */
export async function settleTurn(tx: Tx, turn: Pick<Turn, 'taskId' | 'turnId'>): Promise<void> {
  await endHoldsOf(tx, 'task', sql`select ${turn.taskId}::uuid`);
  const pending = await tx.maybeOne<{ id: string }>(sql`
    select a.id
      from task_turn u join billing_account a on a.id = u.account_id
     where u.id = ${turn.turnId}
       and exists (select from usage_event e
                    where e.account_id = a.id and e.settlement_id is null and e.charged)
       for no key update of a`);
  if (pending !== undefined) await settleAccount(tx, pending.id);
}
