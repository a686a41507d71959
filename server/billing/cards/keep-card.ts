import { randomBytes } from 'node:crypto';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import type { CardDetails } from './card-keeper.ts';
import { testCard } from './test-cards.ts';

/** How many cards a person may have saved at a time. */
export const CARDS_PER_PERSON = 20;

/** Who saved a card, for the audit trail; without a user it was the processor that reported it. */
export interface SavedBy {
  caller: Caller | { userId: null; keyId: null };
  requestId: string;
}

/** The row of a card; `tooMany`: the person has as many as they may. */
type Kept = { kind: 'kept'; id: string } | { kind: 'tooMany' } | { kind: 'anothers' };

/**
 * Gives a card that the processor keeps for this person its row, once. The person's account must be
 * locked, so that of two who report the same card, or one too many, the second one sees it.
 */
export async function keepCard(
  tx: Tx,
  userId: string,
  card: CardDetails,
  by: SavedBy,
): Promise<Kept> {
  const { token, brand, last4, expMonth, expYear, fingerprint } = card;
  const existing = await find(tx, token);
  if (existing !== undefined)
    return existing.user_id === userId ? { kind: 'kept', id: existing.id } : { kind: 'anothers' };
  const { count } = await tx.one<{ count: number }>(sql`
    select count(*)::int as count from payment_method
     where user_id = ${userId} and detached_at is null`);
  if (count >= CARDS_PER_PERSON) return { kind: 'tooMany' };
  const id = `pm_${randomBytes(12).toString('hex')}`;
  await tx.many(sql`
    insert into payment_method (id, user_id, token, brand, last4, exp_month, exp_year, fingerprint)
    values (${id}, ${userId}, ${token}, ${brand}, ${last4}, ${expMonth}, ${expYear}, ${fingerprint})`);
  await recordChange(tx, {
    ...by,
    action: 'payment_method.save',
    target: id,
    before: {},
    after: { brand, last4, exp_month: expMonth, exp_year: expYear },
  });
  return { kind: 'kept', id };
}

/** Locks the account of a person, so that their cards are saved one after another. */
export const lockPerson = (tx: Tx, userId: string): Promise<unknown> =>
  tx.one(sql`select id from billing_account where user_id = ${userId} for no key update`);

// A published test card belongs to everyone, so it is another card each time it is saved.
const find = async (tx: Tx, token: string): Promise<{ id: string; user_id: string } | undefined> =>
  testCard(token) !== undefined
    ? undefined
    : tx.maybeOne(sql`
        select id, user_id from payment_method
         where token = ${token} and token ~ '^pm_[0-9A-Za-z]+$'`);
