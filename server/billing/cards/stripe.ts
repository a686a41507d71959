import { randomUUID } from 'node:crypto';
import type Stripe from 'stripe';
import { MICRO_PER_CENT } from '../ledger/money.ts';
import type { CustomerStore } from './customers.ts';
import type { AttendedOutcome, Charge, Movements, Outcome, Processor } from './processor.ts';
import { balanceBetween } from './stripe-balance.ts';
import { stripeCards } from './stripe-cards.ts';
import { type Called, call, type StripeAccess, stripeClient } from './stripe-client.ts';
import { customersAt, isCustomerGone } from './stripe-customers.ts';
import { eventsSince } from './stripe-events.ts';
import {
  attendedOutcomeOf,
  isRejected,
  outcomeOf,
  outcomeOfFailure,
  reasonOf,
} from './stripe-outcomes.ts';
import { counts, refundOnce } from './stripe-refunds.ts';

export { verifyWebhook } from './stripe-events.ts';

/**
 * Charges cards through the official SDK: creates an intent without confirming it, then confirms
 * it, each under our own idempotency key.
 */
export function stripeProcessor(options: StripeAccess & { customers: CustomerStore }): Processor {
  const stripe = stripeClient(options);
  const forCustomer = customersAt(stripe, options.customers);

  return {
    name: 'stripe',
    cards: stripeCards(stripe, forCustomer),
    create,
    confirm,
    attend,
    retrieve,
    cancel,
    refund: async (intentId, amount, refundId) => {
      const inCents = cents(amount);
      if (inCents === undefined)
        return { kind: 'refused', reason: 'the amount is not in whole cents' };
      return refundOnce(stripe, intentId, inCents, refundId);
    },
    movements,
    events: (since) => eventsSince(stripe, since),
    balance: (from, to) => balanceBetween(stripe, from, to),
  };

  async function create(charge: Charge): Promise<Outcome> {
    const amount = cents(charge.amount);
    if (amount === undefined)
      return { kind: 'notExecuted', reason: 'the amount is not in whole cents' };
    const created = await forCustomer(charge.payerAccountId, (customer) =>
      createFor(customer, charge, amount),
    );
    if (!created.ok && isCustomerGone(created.error))
      return { kind: 'notExecuted', reason: reasonOf(created.error) };
    return conclude(created);
  }

  // The key includes the customer, the only part of the request that may change between two calls
  // for one top-up, because a key stands for one request. A second intent that this may leave
  // behind is not recorded, and so never confirmed.
  function createFor(customer: string, { topUpId, accountId, token }: Charge, amount: number) {
    return call(() =>
      stripe.paymentIntents.create(
        {
          amount,
          currency: 'usd',
          customer,
          payment_method: token,
          allowed_payment_method_types: ['card'],
          metadata: { top_up_id: topUpId, account_id: accountId },
        },
        { idempotencyKey: `topup:${topUpId}:create:${customer}` },
      ),
    );
  }

  async function confirm(intentId: string, { topUpId }: Charge): Promise<Outcome> {
    const confirmed = await call(() =>
      stripe.paymentIntents.confirm(
        intentId,
        // Without the second parameter, a 3-D Secure request suspends the intent, and no one is
        // there to answer it.
        { off_session: true, error_on_requires_action: true },
        { idempotencyKey: `topup:${topUpId}:confirm` },
      ),
    );
    if (confirmed.ok) return outcomeOf(confirmed.value);
    const outcome = outcomeOfFailure(confirmed);
    // The intent is in another state than this call expected (`payment_intent_unexpected_state`),
    // so that state counts.
    return outcome.kind === 'unknown' && isRejected(confirmed.error) ? retrieve(intentId) : outcome;
  }

  // Without `off_session`, Stripe parks an intent whose bank asks for the cardholder, and its script
  // in the browser takes over with the client secret.
  async function attend(intentId: string, { topUpId }: Charge): Promise<AttendedOutcome> {
    const found = await call(() => stripe.paymentIntents.retrieve(intentId));
    if (!found.ok) return { kind: 'unknown', reason: reasonOf(found.error) };
    if (found.value.status !== 'requires_confirmation') return attendedOutcomeOf(found.value);
    const confirmed = await call(() =>
      stripe.paymentIntents.confirm(
        intentId,
        { use_stripe_sdk: true },
        { idempotencyKey: `topup:${topUpId}:attend` },
      ),
    );
    if (confirmed.ok) return attendedOutcomeOf(confirmed.value);
    const outcome = outcomeOfFailure(confirmed);
    if (outcome.kind !== 'unknown' || !isRejected(confirmed.error)) return outcome;
    const again = await call(() => stripe.paymentIntents.retrieve(intentId));
    return again.ok ? attendedOutcomeOf(again.value) : outcome;
  }

  // A failed read says nothing about the charge, not even that it was not executed.
  async function retrieve(intentId: string): Promise<Outcome> {
    const found = await call(() => stripe.paymentIntents.retrieve(intentId));
    return found.ok ? outcomeOf(found.value) : { kind: 'unknown', reason: reasonOf(found.error) };
  }

  async function cancel(intentId: string): Promise<Outcome> {
    // A new key each time: a cancel during a charge is refused, and under a fixed key that refusal
    // would be replayed for a day.
    const idempotencyKey = `intent:${intentId}:cancel:${randomUUID()}`;
    await call(() => stripe.paymentIntents.cancel(intentId, {}, { idempotencyKey }));
    return retrieve(intentId);
  }

  async function movements(intentId: string): Promise<Movements | undefined> {
    const found = await call(() =>
      Promise.all([
        stripe.paymentIntents.retrieve(intentId, { expand: ['latest_charge.refunds'] }),
        stripe.disputes.list({ payment_intent: intentId, limit: 100 }),
      ]),
    );
    return found.ok ? movementsOf(...found.value) : undefined;
  }
}

const conclude = (created: Called<Stripe.PaymentIntent>): Outcome =>
  created.ok ? outcomeOf(created.value) : outcomeOfFailure(created);

function cents(micro: bigint): number | undefined {
  return micro > 0n && micro % MICRO_PER_CENT === 0n ? Number(micro / MICRO_PER_CENT) : undefined;
}

function movementsOf(
  intent: Stripe.PaymentIntent,
  { data }: Stripe.ApiList<Stripe.Dispute>,
): Movements {
  const charge = typeof intent.latest_charge === 'object' ? intent.latest_charge : null;
  const foreign = data.find((dispute) => foreignCurrency(dispute) !== undefined);
  return {
    captured: BigInt(intent.amount_received) * MICRO_PER_CENT,
    refunded: BigInt(charge?.amount_refunded ?? 0) * MICRO_PER_CENT,
    refundIds: includedRefunds(charge),
    // Withdrawals are negative, reinstatements positive; an inquiry moves nothing.
    disputes: data
      .filter((dispute) => foreignCurrency(dispute) === undefined)
      .map(({ id, balance_transactions }) => ({
        id,
        withdrawn:
          -balance_transactions.reduce((sum, { amount }) => sum + BigInt(amount), 0n) *
          MICRO_PER_CENT,
      })),
    ...(foreign && {
      unpostable:
        `dispute ${foreign.id} is in ${foreignCurrency(foreign)}, ` +
        'and only USD can be posted: settle it by hand',
    }),
  };
}

// Stripe lists the latest ten. None are named unless the total covers all of them: a refund that is
// considered posted before its debit would let its money be spent.
function includedRefunds(charge: Stripe.Charge | null): string[] {
  const made = (charge?.refunds?.data ?? []).filter(counts);
  if (made.reduce((sum, { amount }) => sum + amount, 0) > (charge?.amount_refunded ?? 0)) return [];
  return made.flatMap(({ metadata }) => metadata?.refund_id ?? []);
}

// Every charge is in USD; a dispute withdraws money in the currency of the Stripe account's
// balance.
const foreignCurrency = ({ currency, balance_transactions }: Stripe.Dispute): string | undefined =>
  [currency, ...balance_transactions.map((each) => each.currency)].find((each) => each !== 'usd');
