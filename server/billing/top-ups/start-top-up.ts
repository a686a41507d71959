import { sqlState, type Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { idempotencyKeyReused, notFound } from '../../http/errors.ts';
import type { Processor } from '../cards/processor.ts';
import { BALANCE_LIMIT, balanceLimit } from '../ledger/balance-limit.ts';
import { testMoneyEnded } from './charge-errors.ts';
import { TEST_MONEY_IS_REFUSED, type TopUp, topUpErrors } from './top-up.ts';

/**
 * A request to charge a card. At most one charge is ever captured under a `clientKey`
 * (Idempotency-Key).
 */
export interface TopUpRequest {
  accountId: string;
  userId: string;
  /** Both are null for an automatic charge. */
  keyId: string | null;
  sessionId?: string | null;
  requestId: string;
  paymentMethodId: string;
  amount: bigint;
  clientKey: string | undefined;
  /** Its cardholder is there, and may confirm it in the browser. */
  attended?: boolean;
}

/** How long the cardholder may take; then the charge is cancelled. */
const ATTENDED_FOR = '30 minutes';

const { paymentMethodNotFound, paymentMethodForbidden, paymentMethodDetached } = topUpErrors;

/**
 * How long after its success an identical request without a key gets the same top-up (ruling 6).
 */
const JOIN_FOR = '10 seconds';

/**
 * Records the intended charge, or finds the top-up that this request belongs to: the one with its
 * key, or, without a key, an identical one that is open or succeeded less than 10 s ago. `joined`
 * is true in the latter case.
 */
export async function startTopUp(
  tx: Tx,
  request: TopUpRequest,
  processor: Processor['name'],
): Promise<{ topUp: TopUp; joined: boolean }> {
  const { accountId, userId, paymentMethodId, amount } = request;
  const account = await tx.maybeOne<{ balance: bigint }>(sql`
    select balance from billing_account where id = ${accountId} and status <> 'closed' for update`);
  // Its workspace was deleted after the request was authorized.
  if (account === undefined) throw notFound();
  const { card, pending, repeated } = await readSituation(tx, request);
  if (card === null) throw paymentMethodNotFound();
  if (card.user_id !== userId) throw paymentMethodForbidden();
  if (card.detached) throw paymentMethodDetached(paymentMethodId);
  if (repeated !== null)
    return { topUp: await tx.one(sql`select * from top_up where id = ${repeated}`), joined: true };
  // Checked before the card is charged, because captured money must always fit.
  if (account.balance + pending + amount > BALANCE_LIMIT) throw balanceLimit();
  return insertOrJoin(tx, request, processor);
}

interface Situation {
  card: { user_id: string; detached: boolean } | null;
  /** Micro-USD that open top-ups may still bring. */
  pending: bigint;
  /** The top-up that an identical request gets. */
  repeated: string | null;
}

// This is a separate statement after the one that locks the account. Credits need that lock, so all
// of them are visible here; a statement that had to wait for the lock would not see them. A top-up
// is not joined if any of its money was returned or is about to be. The card is locked, so that it is
// not removed before the top-up that would keep it from being removed is committed.
const readSituation = (tx: Tx, { accountId, paymentMethodId, amount, clientKey }: TopUpRequest) =>
  tx.one<Situation>(sql`
    select (select json_build_object('user_id', user_id, 'detached', detached_at is not null)
              from payment_method where id = ${paymentMethodId} for share) as card,
           (select coalesce(sum(amount), 0)::bigint from top_up
             where account_id = ${accountId} and status in ('created', 'processing')) as pending,
           (select t.id from ledger_transfer l join top_up t on t.id = l.reference_id
             where ${clientKey === undefined}
               and l.account_id = ${accountId} and l.kind = 'top_up'
               and l.created_at > now() - ${JOIN_FOR}::interval
               and t.account_id = l.account_id and t.payment_method_id = ${paymentMethodId}
               and t.amount = ${amount} and t.client_key is null and t.status = 'succeeded'
               and not exists (select from refund where top_up_id = t.id and status = 'created')
             order by l.created_at desc limit 1) as repeated`);

async function insertOrJoin(
  tx: Tx,
  request: TopUpRequest,
  processor: Processor['name'],
): Promise<{ topUp: TopUp; joined: boolean }> {
  const { accountId, userId, paymentMethodId, amount, clientKey = null } = request;
  // One of two unique indexes decides: on the client's key or, without a key, on account, card and
  // amount of open top-ups.
  const [inserted] = await tx
    .many<TopUp>(sql`
    insert into top_up
      (account_id, user_id, key_id, request_id, payment_method_id, amount, client_key, processor)
    values
      (${accountId}, ${userId}, ${request.keyId}, ${request.requestId}, ${paymentMethodId},
       ${amount}, ${clientKey}, ${processor})
    on conflict do nothing returning *`)
    .catch((error) => {
      throw sqlState(error) === TEST_MONEY_IS_REFUSED ? testMoneyEnded() : error;
    });
  if (inserted !== undefined) {
    if (request.sessionId)
      await tx.many(sql`
        insert into top_up_session (top_up_id, session_id)
        values (${inserted.id}, ${request.sessionId})`);
    if (request.attended)
      await tx.many(sql`
        insert into attended_top_up (top_up_id, until)
        values (${inserted.id}, now() + ${ATTENDED_FOR}::interval)`);
    return { topUp: inserted, joined: false };
  }
  const existing = await tx.maybeOne<TopUp>(
    clientKey === null
      ? sql`
          select * from top_up
           where account_id = ${accountId} and payment_method_id = ${paymentMethodId}
             and amount = ${amount} and client_key is null and status in ('created', 'processing')`
      : sql`select * from top_up where user_id = ${userId} and client_key = ${clientKey}`,
  );
  // It failed between the two statements, so a new one can be inserted now.
  if (existing === undefined) return insertOrJoin(tx, request, processor);
  // The stored answer of a key may be gone, or a 202 may never have been stored. The charge under
  // the key remains.
  const same =
    existing.account_id === accountId &&
    existing.payment_method_id === paymentMethodId &&
    existing.amount === amount;
  if (!same) throw idempotencyKeyReused();
  return { topUp: existing, joined: clientKey === null };
}
