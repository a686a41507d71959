import { sqlState, type Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { apiError } from '../../http/errors.ts';
import { post } from './ledger.ts';

export const insufficientFunds = apiError(
  402,
  'insufficient_funds',
  'The balance does not cover this: add funds, then try again',
);
export const accountNotActive = apiError(
  402,
  'account_not_active',
  'Nothing can be spent from this account now: if it is in debt, add funds to repay the debt',
);
const holdKeyReused = apiError(
  409,
  'hold_key_reused',
  'This key was used for a different hold: use a new key',
);
const holdNotFound = apiError(404, 'hold_not_found', 'No hold has this id');
const holdEnded = apiError(409, 'hold_ended', 'This hold has already been captured or released');
const captureOutOfRange = apiError(
  409,
  'capture_out_of_range',
  'A capture must be more than zero and at most the amount of its hold',
);

/**
 * Part of a balance, reserved for running work. Micro-USD; `captured` is 0 until the hold is
 * captured.
 */
export interface Hold {
  id: string;
  accountId: string;
  amount: bigint;
  captured: bigint;
  status: 'open' | 'captured' | 'released';
  createdAt: Date;
  endedAt: Date | null;
}

/** What the money is for: a type and a UUID. */
export interface Reference {
  type: string;
  id: string;
}

const columns = sql`
  id, account_id as "accountId", amount, captured, status, created_at as "createdAt",
  ended_at as "endedAt"`;

/**
 * Reserves `amount` micro-USD > 0 of the available balance: the database refuses what the balance
 * minus all open holds does not cover, however many requests arrive at once. Repeating a key
 * returns its hold in its current state, even if nothing is available any more. Throws
 * insufficientFunds, accountNotActive (frozen by a debt, or closed) or holdKeyReused (another
 * account, amount or reference). After that, the transaction can only be rolled back.
 */
export async function hold(
  tx: Tx,
  request: { accountId: string; amount: bigint; key: string; reference: Reference },
): Promise<Hold> {
  const { accountId, amount, key, reference } = request;
  const inserted = await tx
    .maybeOne<Hold>(sql`
      insert into hold (account_id, amount, idempotency_key, reference_type, reference_id)
      values (${accountId}, ${amount}, ${key}, ${reference.type}, ${reference.id})
      on conflict (idempotency_key) do nothing returning ${columns}`)
    .catch(refuse);
  if (inserted !== undefined) return inserted;
  const known = await tx.maybeOne<Hold>(sql`
    select ${columns} from hold
     where idempotency_key = ${key} and account_id = ${accountId} and amount = ${amount}
       and reference_type = ${reference.type} and reference_id = ${reference.id}`);
  if (known === undefined) throw holdKeyReused();
  return known;
}

// The error codes of hold_reserves() in the schema.
function refuse(error: unknown): never {
  if (sqlState(error) === 'GH001') throw insufficientFunds();
  if (sqlState(error) === 'GH002') throw accountNotActive();
  throw error;
}

/**
 * Ends a hold by charging `amount` micro-USD of it (0 < amount <= its amount); the rest becomes
 * available again. A hold is charged even if a dispute has frozen the account since. Repeatable:
 * the same amount returns the first result. Throws holdNotFound, captureOutOfRange or holdEnded
 * (released, or captured with another amount), and then changes nothing.
 */
export async function capture(tx: Tx, holdId: string, amount: bigint): Promise<Hold> {
  const held = await lockHold(tx, holdId);
  if (held.status === 'captured' && held.captured === amount) return held;
  if (held.status !== 'open') throw holdEnded();
  if (amount <= 0n || amount > held.amount) throw captureOutOfRange();
  await post(tx, {
    key: `hold:${holdId}:capture`,
    kind: 'usage',
    accountId: held.accountId,
    side: 'debit',
    counterpart: 'revenue',
    amount,
    reference: { type: 'hold', id: holdId },
  });
  return tx.one(sql`
    update hold set status = 'captured', captured = ${amount}
     where id = ${holdId} and status = 'open' returning ${columns}`);
}

/**
 * Ends a hold without a charge. Repeatable. Throws holdNotFound, or holdEnded if it was captured.
 */
export async function release(tx: Tx, holdId: string): Promise<Hold> {
  const held = await lockHold(tx, holdId);
  if (held.status === 'released') return held;
  if (held.status !== 'open') throw holdEnded();
  return tx.one(
    sql`
      update hold set status = 'released' where id = ${holdId} and status = 'open'
        returning ${columns}`,
  );
}

async function lockHold(tx: Tx, holdId: string): Promise<Hold> {
  const held = await tx.maybeOne<Hold>(sql`
    select ${columns} from hold where id = ${holdId} for no key update`);
  if (held === undefined) throw holdNotFound();
  return held;
}
