import { detailsOfTestCard, testCard } from '../../../billing/cards/test-cards.ts';
import { Failure, invalid, missing, notNow } from './failure.ts';
import type { Params } from './form.ts';
import { cardOf } from './intents.ts';
import { type Card, emit, newId, type SetupObject, type State, seconds } from './state.ts';

const CREATE = ['customer', 'usage', 'allowed_payment_method_types', 'metadata'];

/** POST /v1/setup_intents, always without confirming. */
export function createSetup(state: State, params: Params): SetupObject {
  for (const name of Object.keys(params))
    if (!CREATE.includes(name))
      throw invalid(`Received unknown parameter: ${name}`, name, 'parameter_unknown');
  const { customer } = params;
  if (typeof customer !== 'string' || !state.customers.has(customer))
    throw missing('customer', String(customer), 'customer');
  const id = newId('seti');
  const setup: SetupObject = {
    id,
    object: 'setup_intent',
    client_secret: `${id}_secret_${newId('x').slice(2)}`,
    customer,
    payment_method: null,
    status: 'requires_payment_method',
    usage: String(params.usage ?? 'off_session'),
    last_setup_error: null,
    metadata: (params.metadata ?? {}) as Record<string, string>,
    created: seconds(state),
    livemode: false,
  };
  state.setups.set(id, setup);
  emit(state, 'setup_intent.created', setup);
  return setup;
}

/** The setup, or Stripe's 404. */
export function setupOf(state: State, id: string): SetupObject {
  const setup = state.setups.get(id);
  if (setup === undefined) throw missing('setupintent', id);
  return setup;
}

/** POST /v1/setup_intents/:id/cancel. */
export function cancelSetup(state: State, id: string): SetupObject {
  const setup = setupOf(state, id);
  if (!setup.status.startsWith('requires_'))
    throw notNow(
      'setup_intent_unexpected_state',
      `You cannot cancel this SetupIntent because it has a status of ${setup.status}.`,
    );
  setup.status = 'canceled';
  emit(state, 'setup_intent.canceled', setup);
  return setup;
}

/**
 * What the person and Stripe's script do in the browser: enter a card, which is attached to the
 * customer. `card`: the published test card that it behaves like. Returns the name of the card.
 */
export function completeSetup(
  state: State,
  idOrSecret: string,
  { card = 'pm_card_visa', ...details }: Card['details'] & { card?: string } = {},
): string {
  const setup = setupOf(state, idOrSecret.split('_secret_')[0] as string);
  const behaviour = testCard(card);
  if (behaviour === undefined) throw missing('PaymentMethod', card, 'payment_method');
  if (setup.status !== 'requires_payment_method') throw new Error(`it is ${setup.status}`);
  const token = newId('pm');
  const known = detailsOfTestCard(card);
  state.cards.set(token, {
    behaviour,
    customer: setup.customer,
    details: {
      brand: known?.brand,
      last4: known?.last4,
      fingerprint: `fp_${card}`,
      ...details,
    },
  });
  Object.assign(setup, { status: 'succeeded', payment_method: token });
  emit(state, 'payment_method.attached', paymentMethod(state, token));
  emit(state, 'setup_intent.succeeded', setup);
  return token;
}

/** The bank replaces a card, which Stripe notices by itself. */
export function replaceCard(state: State, token: string, details: Card['details']): void {
  const card = state.cards.get(token);
  if (card === undefined) throw new Error('no such card');
  card.details = { ...card.details, ...details };
  emit(state, 'payment_method.automatically_updated', paymentMethod(state, token));
}

/** GET /v1/payment_methods/:id. */
export function paymentMethod(state: State, id: string) {
  if (!state.detached.has(id)) cardOf(state, id);
  const own = state.cards.get(id);
  const card = {
    brand: 'visa',
    last4: '4242',
    exp_month: 12,
    exp_year: 2040,
    fingerprint: `fp_${id}`,
    ...own?.details,
  };
  const customer = state.detached.has(id) ? null : (own?.customer ?? null);
  return { id, object: 'payment_method', type: 'card', card, customer };
}

/** POST /v1/payment_methods/:id/detach, which Stripe does once. */
export function detachOnce(state: State, id: string): unknown {
  if (paymentMethod(state, id).customer === null)
    throw new Failure(400, {
      type: 'invalid_request_error',
      message:
        'The payment method you provided is not attached to a customer so detachment is impossible.',
    });
  return detach(state, id);
}

/** The cardholder removes a saved card. */
export function detach(state: State, id: string): unknown {
  state.detached.add(id);
  const object = { id, object: 'payment_method', type: 'card', customer: null };
  emit(state, 'payment_method.detached', object);
  return object;
}
