import { randomUUID } from 'node:crypto';
import type { Database, Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Processor } from '../cards/processor.ts';
import { hold } from '../ledger/holds.ts';
import { lockPayingAccount } from '../ledger/ledger.ts';
import { MICRO_PER_CENT, usdText } from '../ledger/money.ts';
import { endRefund } from './end-refund.ts';
import { synchronize } from './movements.ts';
import type { TopUp } from './top-up.ts';

/** Why a refund cannot be made, as a sentence for the operator. Nothing changed. */
export class RefundRefused extends Error {}

/**
 * The row of a refund. Micro-USD. `created`: requested, and the processor's answer is not known
 * yet.
 */
interface Refund {
  id: string;
  top_up_id: string;
  amount: bigint;
  status: 'created' | 'succeeded' | 'failed';
  failure: string | null;
}

/**
 * Records a refund and holds its money, so that it cannot be spent in the meantime; money that has
 * been spent cannot be refunded. `amount` in micro-USD, whole cents; by default as much as
 * possible. `record` runs in the same transaction.
 *
 * Errors: RefundRefused, also if another processor charged the card.
 */
export function startRefund(
  db: Database,
  processor: Processor,
  topUpId: string,
  amount: bigint | undefined,
  record: (tx: Tx, refund: Refund) => Promise<void>,
): Promise<Refund> {
  return db.transaction(async (tx) => {
    const locked = await tx.maybeOne<Omit<Refundable, 'running'>>(sql`
      select * from top_up where id = ${topUpId} for update`);
    if (locked === undefined)
      throw new RefundRefused(
        `There is no top-up ${topUpId}: see the top_up_id in the answer of add-funds, ` +
          'or the reference_id of its credit in the list of transactions.',
      );
    // A separate statement: one that waits for a lock does not see what was written to other tables
    // in the meantime.
    const topUp = { ...locked, ...(await tx.one<Pick<Refundable, 'running'>>(running(topUpId))) };
    if (['created', 'processing', 'failed'].includes(topUp.status))
      throw new RefundRefused(
        `Top-up ${topUpId} is ${topUp.status}: only money that was charged can be refunded.`,
      );
    if (topUp.processor !== processor.name) throw new RefundRefused(foreign(topUp));
    const account = await lockPayingAccount(tx, topUp);
    const most = mostOf(topUp, account.balance - account.held);
    const wanted = amount ?? most;
    if (wanted % MICRO_PER_CENT !== 0n)
      throw new RefundRefused(`A refund must be in whole cents; ${usdText(wanted)} USD is not.`);
    if (wanted <= 0n || wanted > most)
      throw new RefundRefused(tooMuch(topUp, most, account.balance - account.held));
    const id = randomUUID();
    await hold(tx, {
      accountId: account.id,
      amount: wanted,
      key: `refund:${id}`,
      reference: { type: 'refund', id },
    });
    const refund = await tx.one<Refund>(sql`
      insert into refund (id, top_up_id, amount) values (${id}, ${topUpId}, ${wanted})
        returning *`);
    await record(tx, refund);
    return refund;
  });
}

const running = (topUpId: string) => sql`
  select coalesce(sum(amount), 0)::bigint as running
    from refund where top_up_id = ${topUpId} and status = 'created'`;

/** `running`: the amount held by refunds without an outcome. */
type Refundable = TopUp & { refunded: bigint; disputed: bigint; running: bigint };

/** In whole cents, never below zero. */
function mostOf({ amount, refunded, disputed, running }: Refundable, unspent: bigint): bigint {
  const left = amount - refunded - disputed - running;
  const most = unspent < left ? unspent : left;
  return most > 0n ? (most / MICRO_PER_CENT) * MICRO_PER_CENT : 0n;
}

function tooMuch(
  { id, amount, refunded, disputed, running }: Refundable,
  most: bigint,
  unspent: bigint,
) {
  const parts = [
    [refunded, 'was refunded'],
    [disputed, 'is disputed'],
    [running, 'is in a refund whose outcome is not known yet'],
  ] as const;
  const gone = parts
    .filter(([part]) => part > 0n)
    .map(([part, what]) => `${usdText(part)} of it ${what}`);
  const free = `${usdText(unspent > 0n ? unspent : 0n)} USD of the balance are unspent`;
  const can =
    most > 0n
      ? `At most ${usdText(most)} USD of it can be refunded`
      : 'Nothing of it can be refunded at present';
  return `Top-up ${id} was for ${usdText(amount)} USD. ${can}: ${[...gone, free].join(', ')}.`;
}

const foreign = ({ id, processor }: TopUp) =>
  processor === 'stripe'
    ? `Top-up ${id} was charged by Stripe, but this command uses the sandbox: ` +
      'set STRIPE_SECRET_KEY as it is set for the server.'
    : `Top-up ${id} was charged by the sandbox, which moved no money: ` +
      'Stripe has nothing to refund.';

/**
 * Requests a recorded refund from the processor and posts its outcome. It may be repeated, after a
 * crash or concurrently. A refund of another processor's charge is left as it is.
 */
export async function advanceRefund(
  db: Database,
  processor: Processor,
  refundId: string,
): Promise<Refund> {
  const refund = await read(db, refundId);
  if (refund.status !== 'created' || refund.processor !== processor.name) return refund;
  const outcome = await processor.refund(refund.processor_id, refund.amount, refundId);
  if (outcome.kind === 'refused') await end(db, refund, 'failed', outcome.reason);
  // The debit is posted from the processor's total before the hold is released, so the money can
  // never be spent in between. Normally both happen in one transaction; a refund that the
  // processor's list no longer shows is ended here.
  if (
    outcome.kind === 'refunded' &&
    (await synchronize(db, processor, refund.top_up_id)) !== undefined
  )
    await end(db, refund, 'succeeded');
  return read(db, refundId);
}

const read = (db: Database, refundId: string) =>
  db.one<Refund & Pick<TopUp, 'processor'> & { processor_id: string }>(sql`
    select r.*, t.processor, t.processor_id from refund r join top_up t on t.id = r.top_up_id
      where r.id = ${refundId}`);

// The top-up is locked first, as it is where its movements are applied.
const end = (
  db: Database,
  { id, top_up_id }: Refund,
  status: 'succeeded' | 'failed',
  failure: string | null = null,
) =>
  db.transaction(async (tx) => {
    await tx.many(sql`select id from top_up where id = ${top_up_id} for update`);
    await endRefund(tx, id, status, failure);
  });

/**
 * Continues the refunds that a crash or a lost answer left open; safe in any number of processes.
 */
export async function reconcileRefunds(db: Database, processor: Processor): Promise<number> {
  const due = await db.many<{ id: string }>(sql`
    with due as (
      select r.id, r.checks from refund r join top_up t on t.id = r.top_up_id
       where r.status = 'created' and r.next_check_at <= now() and t.processor = ${processor.name}
       order by r.next_check_at limit 20 for update of r skip locked)
    update refund r
       set checks = r.checks + 1, next_check_at = now() + least(interval '1 hour',
         interval '15 seconds' * 2 ^ least(r.checks, 20))
      from due where due.id = r.id returning r.id`);
  for (const { id } of due) await advanceRefund(db, processor, id);
  return due.length;
}
