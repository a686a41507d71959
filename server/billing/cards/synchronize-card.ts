import type { Database, Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import type { CardDetails, CardKeeper, CardState } from './card-keeper.ts';
import { requestDetach } from './detach-cards.ts';
import { keepCard, lockPerson, type SavedBy } from './keep-card.ts';

const TRIES = 5;

const BY_PROCESSOR: SavedBy = { caller: { userId: null, keyId: null }, requestId: 'processor' };

/** A card that was saved under Stripe's name for it; a published test card belongs to everyone. */
const OWN_TOKEN = /^pm_[0-9A-Za-z]+$/;

/**
 * Makes the row of a card agree with the processor: it is saved if it belongs to the customer of one
 * of our people, updated when its bank has replaced it, and removed when it was removed there. It
 * asks for the current state, so order, repetition and loss of events do not matter. False if the
 * processor could not be asked.
 */
export async function synchronizeCard(
  db: Database,
  cards: CardKeeper,
  token: string,
): Promise<boolean> {
  if (!OWN_TOKEN.test(token)) return true;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const row = await db.maybeOne<{ look: bigint }>(sql`
      update payment_method set look = look + 1 where ${hasToken(token)} returning look`);
    const state = await cards.card(token);
    if (state.kind === 'unknown') return false;
    if (row !== undefined) {
      if (await db.transaction((tx) => update(tx, token, row.look, state))) return true;
    } else if (state.kind === 'gone') return true;
    // What is new is looked at again, because it may have been removed before it had a row.
    else if (!(await db.transaction((tx) => save(tx, state)))) return true;
  }
  return false;
}

const hasToken = (token: string) => sql`token = ${token} and token ~ '^pm_[0-9A-Za-z]+$'`;

// False if another process has asked since, whose answer may be more recent than this one.
async function update(tx: Tx, token: string, look: bigint, state: CardState): Promise<boolean> {
  const row = await tx.maybeOne<Row>(sql`
    select id, brand, last4, exp_month, exp_year, detached_at is not null as removed
      from payment_method where ${hasToken(token)} and look = ${look} for update`);
  if (row === undefined) return false;
  if (row.removed) return true;
  if (state.kind === 'gone') {
    await tx.many(sql`update payment_method set detached_at = now() where id = ${row.id}`);
    await record(tx, row.id, 'payment_method.remove', shown(row), {});
  } else if (state.kind === 'attached') await change(tx, row, state.card);
  return true;
}

interface Row {
  id: string;
  brand: string;
  last4: string;
  exp_month: number | null;
  exp_year: number | null;
  removed: boolean;
}

const shown = ({ brand, last4, exp_month, exp_year }: Omit<Row, 'id' | 'removed'>) => ({
  brand,
  last4,
  ...(exp_month === null ? {} : { exp_month, exp_year }),
});

async function change(tx: Tx, row: Row, card: CardDetails): Promise<void> {
  const { brand, last4, expMonth: exp_month, expYear: exp_year, fingerprint } = card;
  const [before, after] = [shown(row), shown({ brand, last4, exp_month, exp_year })];
  await tx.many(sql`
    update payment_method
       set brand = ${brand}, last4 = ${last4}, exp_month = ${exp_month}, exp_year = ${exp_year},
           fingerprint = ${fingerprint}
     where id = ${row.id}`);
  if (JSON.stringify(before) !== JSON.stringify(after))
    await record(tx, row.id, 'payment_method.update', before, after);
}

// True if it has a row now. A customer that is nobody's here belongs to other software.
async function save(
  tx: Tx,
  { card, customerId }: Extract<CardState, { kind: 'attached' }>,
): Promise<boolean> {
  const owner = await tx.maybeOne<{ user_id: string }>(sql`
    select user_id from billing_account
     where customer_id = ${customerId ?? null} and user_id is not null`);
  if (owner === undefined) return false;
  await lockPerson(tx, owner.user_id);
  const kept = await keepCard(tx, owner.user_id, card, BY_PROCESSOR);
  if (kept.kind === 'tooMany') await requestDetach(tx, card.token);
  return kept.kind === 'kept';
}

const record = (tx: Tx, target: string, action: string, before: object, after: object) =>
  recordChange(tx, { ...BY_PROCESSOR, action, target, before, after });
