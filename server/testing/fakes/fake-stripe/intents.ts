import { AUTHENTICATION_FAILED, type CardDecline } from '../../../billing/cards/processor.ts';
import { testCard } from '../../../billing/cards/test-cards.ts';
import { charged } from './balance.ts';
import { dispute } from './disputes.ts';
import { Failure, invalid, missing, notNow } from './failure.ts';
import type { Params } from './form.ts';
import { type ChargeObject, emit, type Intent, move, newId, type State, seconds } from './state.ts';

const CREATE = [
  'amount',
  'currency',
  'customer',
  'payment_method',
  'allowed_payment_method_types',
  'metadata',
];
const CONFIRM = [
  'off_session',
  'error_on_requires_action',
  'use_stripe_sdk',
  'payment_method',
  'expand',
];

/** POST /v1/payment_intents, always without confirming. */
export function createIntent(state: State, params: Params): Intent {
  known(params, CREATE);
  const amount = Number(params.amount);
  if (!Number.isSafeInteger(amount))
    throw invalid('Invalid integer', 'amount', 'parameter_invalid_integer');
  if (amount < 50) throw invalid('Amount must be at least $0.50 usd', 'amount', 'amount_too_small');
  if (params.currency !== 'usd') throw invalid('Invalid currency', 'currency');
  const { customer, payment_method: token, metadata } = params;
  if (typeof customer === 'string' && !state.customers.has(customer))
    throw missing('customer', customer, 'customer');
  if (typeof token === 'string') cardOf(state, token, customer);
  const id = newId('pi');
  const intent: Intent = {
    id,
    client_secret: `${id}_secret_${newId('x').slice(2)}`,
    object: 'payment_intent',
    amount,
    amount_received: 0,
    currency: 'usd',
    customer: typeof customer === 'string' ? customer : null,
    payment_method: typeof token === 'string' ? token : null,
    status: typeof token === 'string' ? 'requires_confirmation' : 'requires_payment_method',
    last_payment_error: null,
    latest_charge: null,
    metadata: (metadata ?? {}) as Record<string, string>,
    created: seconds(state),
    canceled_at: null,
    livemode: false,
  };
  state.intents.set(intent.id, intent);
  emit(state, 'payment_intent.created', intent);
  return intent;
}

/** POST /v1/payment_intents/:id/confirm. */
export function confirmIntent(state: State, id: string, params: Params): Intent {
  known(params, CONFIRM);
  const intent = intentOf(state, id);
  if (intent.status !== 'requires_confirmation' || intent.payment_method === null)
    throw unexpected(intent, 'confirm');
  const behaviour = cardOf(state, intent.payment_method, intent.customer);
  if (behaviour === 'pays') return capture(state, intent);
  const attended = params.off_session !== 'true' && params.error_on_requires_action !== 'true';
  if (behaviour.code !== 'authentication_required' || !attended)
    return decline(state, intent, behaviour);
  intent.status = 'requires_action';
  emit(state, 'payment_intent.requires_action', intent);
  return intent;
}

/** The cardholder confirms a payment in the browser, or fails to. */
export function authenticate(state: State, idOrSecret: string, passes: boolean): Intent {
  const intent = intentOf(state, idOrSecret.split('_secret_')[0] as string);
  if (intent.status !== 'requires_action') throw new Error(`it is ${intent.status}`);
  if (passes) return capture(state, intent);
  try {
    return decline(state, intent, { code: AUTHENTICATION_FAILED });
  } catch {
    return intent;
  }
}

/** POST /v1/payment_intents/:id/cancel. */
export function cancelIntent(state: State, id: string): Intent {
  const intent = intentOf(state, id);
  if (!intent.status.startsWith('requires_')) throw unexpected(intent, 'cancel');
  intent.status = 'canceled';
  intent.canceled_at = seconds(state);
  emit(state, 'payment_intent.canceled', intent);
  return intent;
}

/** The intent, or Stripe's 404. */
export function intentOf(state: State, id: string): Intent {
  const intent = state.intents.get(id);
  if (intent === undefined) throw missing('payment_intent', id);
  return intent;
}

/**
 * How a saved card behaves. A detached or unknown one, or one of another customer, is
 * `resource_missing`.
 */
export function cardOf(state: State, token: string, customer?: unknown): CardDecline | 'pays' {
  const own = state.cards.get(token);
  const behaviour = own?.behaviour ?? testCard(token);
  const foreign =
    own?.customer !== undefined && customer !== undefined && own.customer !== customer;
  if (behaviour === undefined || foreign || state.detached.has(token))
    throw missing('PaymentMethod', token, 'payment_method');
  return behaviour;
}

function capture(state: State, intent: Intent): Intent {
  const token = intent.payment_method ?? '';
  const charge = newCharge(state, intent, 'succeeded');
  Object.assign(intent, {
    status: 'succeeded',
    amount_received: intent.amount,
    latest_charge: charge.id,
  });
  charge.balance_transaction = charged(state, charge.id, charge.amount).id;
  move(state, 'capture', intent.id, intent.amount);
  emit(state, 'charge.succeeded', charge);
  emit(state, 'payment_intent.succeeded', intent);
  if (/^pm_card_createDispute(ProductNotReceived)?$/.test(token)) dispute(state, intent.id);
  return intent;
}

function decline(state: State, intent: Intent, { code, declineCode }: CardDecline): never {
  const charge = newCharge(state, intent, 'failed');
  const error = {
    type: 'card_error',
    code,
    ...(declineCode ? { decline_code: declineCode } : {}),
    message: `Your card was declined (${declineCode ?? code}).`,
    charge: charge.id,
  };
  Object.assign(intent, {
    status: 'requires_payment_method',
    payment_method: null,
    latest_charge: charge.id,
    last_payment_error: error,
  });
  emit(state, 'charge.failed', charge);
  emit(state, 'payment_intent.payment_failed', intent);
  throw new Failure(402, { ...error, payment_intent: structuredClone(intent) });
}

function newCharge(state: State, intent: Intent, status: ChargeObject['status']): ChargeObject {
  const charge: ChargeObject = {
    id: newId('ch'),
    object: 'charge',
    amount: intent.amount,
    amount_refunded: 0,
    refunded: false,
    disputed: false,
    paid: status === 'succeeded',
    balance_transaction: null,
    status,
    payment_intent: intent.id,
    customer: intent.customer,
    metadata: intent.metadata,
    created: seconds(state),
  };
  state.charges.set(charge.id, charge);
  return charge;
}

const unexpected = (intent: Intent, verb: string): Failure =>
  notNow(
    'payment_intent_unexpected_state',
    `You cannot ${verb} this PaymentIntent because it has a status of ${intent.status}.`,
    { payment_intent: structuredClone(intent) },
  );

// The pinned version has dropped parameters that older ones knew; sending one is an error there
// too.
function known(params: Params, names: string[]): void {
  for (const name of Object.keys(params))
    if (!names.includes(name))
      throw invalid(`Received unknown parameter: ${name}`, name, 'parameter_unknown');
}
