import { randomUUID } from 'node:crypto';
import type Stripe from 'stripe';
import type { CardKeeper, CardState, NewSetup, SetupBegun, SetupState } from './card-keeper.ts';
import { call } from './stripe-client.ts';
import type { ForCustomer } from './stripe-customers.ts';
import { isMissing, reasonOf } from './stripe-outcomes.ts';

/**
 * The cards that Stripe keeps. A browser completes a SetupIntent with Stripe's own script, so that
 * no number of a card ever reaches this server.
 */
export function stripeCards(stripe: Stripe, forCustomer: ForCustomer): CardKeeper {
  return { begin, read, cancel, card, detach };

  async function begin({ setupId, accountId }: NewSetup): Promise<SetupBegun> {
    const begun = await forCustomer(accountId, (customer) =>
      call(() =>
        stripe.setupIntents.create(
          {
            customer,
            usage: 'off_session',
            allowed_payment_method_types: ['card'],
            metadata: { setup_id: setupId, account_id: accountId },
          },
          { idempotencyKey: `setup:${setupId}:create:${customer}` },
        ),
      ),
    );
    if (!begun.ok) return { kind: 'unavailable', reason: reasonOf(begun.error) };
    const { id, client_secret: clientSecret } = begun.value;
    return clientSecret === null
      ? { kind: 'unavailable', reason: 'no client secret' }
      : { kind: 'begun', id, clientSecret };
  }

  async function read(id: string): Promise<SetupState> {
    const found = await call(() => stripe.setupIntents.retrieve(id));
    if (found.ok) return stateOf(found.value);
    // Another Stripe account knows it, if any, and will never report its card here.
    if (isMissing(found.error)) return { kind: 'canceled' };
    return { kind: 'unknown', reason: reasonOf(found.error) };
  }

  async function cancel(id: string): Promise<SetupState> {
    // A new key each time: under a fixed one, a refusal would be replayed for a day.
    const idempotencyKey = `setup:${id}:cancel:${randomUUID()}`;
    await call(() => stripe.setupIntents.cancel(id, {}, { idempotencyKey }));
    return read(id);
  }

  async function card(token: string): Promise<CardState> {
    const found = await call(() => stripe.paymentMethods.retrieve(token));
    if (found.ok) return cardOf(found.value);
    if (isMissing(found.error)) return { kind: 'gone' };
    return { kind: 'unknown', reason: reasonOf(found.error) };
  }

  // Stripe refuses to detach a card twice, so what it says of the card afterwards counts.
  async function detach(token: string): Promise<boolean> {
    const idempotencyKey = `card:${token}:detach:${randomUUID()}`;
    const detached = await call(() => stripe.paymentMethods.detach(token, {}, { idempotencyKey }));
    return detached.ok || (await card(token)).kind === 'gone';
  }
}

function stateOf({ status, payment_method }: Stripe.SetupIntent): SetupState {
  if (status === 'canceled') return { kind: 'canceled' };
  const token = idOf(payment_method);
  if (status === 'succeeded' && token !== undefined) return { kind: 'succeeded', token };
  // After a refusal, too, the person may try another card.
  return { kind: 'open' };
}

function cardOf({ id: token, customer, card }: Stripe.PaymentMethod): CardState {
  const customerId = idOf(customer);
  // Without a customer it was removed, for good. Only cards are saved here.
  if (customerId === undefined || card === undefined) return { kind: 'gone' };
  const { brand, last4, exp_month: expMonth, exp_year: expYear, fingerprint = null } = card;
  return {
    kind: 'attached',
    card: { token, brand, last4, expMonth, expYear, fingerprint },
    customerId,
  };
}

const idOf = (value: string | { id: string } | null): string | undefined =>
  typeof value === 'string' ? value : value?.id;
