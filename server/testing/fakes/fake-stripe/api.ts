import { balanceTransaction, listBalance } from './balance.ts';
import { cancelSetup, createSetup, detachOnce, paymentMethod, setupOf } from './cards.ts';
import { listEvents } from './events.ts';
import { type Answer, Failure, missing } from './failure.ts';
import type { Params } from './form.ts';
import { cancelIntent, confirmIntent, createIntent, intentOf } from './intents.ts';
import { createRefund } from './refunds.ts';
import { emit, newId, type State, seconds } from './state.ts';

type Handler = (state: State, params: Params, id: string) => unknown;

const ROUTES: Record<string, Handler> = {
  'POST /v1/payment_intents': (state, params) => createIntent(state, params),
  'GET /v1/payment_intents/:id': (state, params, id) => retrieveIntent(state, params, id),
  'POST /v1/payment_intents/:id/confirm': (state, params, id) => confirmIntent(state, id, params),
  'POST /v1/payment_intents/:id/cancel': (state, _, id) => cancelIntent(state, id),
  'POST /v1/setup_intents': (state, params) => createSetup(state, params),
  'GET /v1/setup_intents/:id': (state, _, id) => setupOf(state, id),
  'POST /v1/setup_intents/:id/cancel': (state, _, id) => cancelSetup(state, id),
  'POST /v1/customers': (state, params) => createCustomer(state, params),
  'GET /v1/customers/:id': (state, _, id) => found('customer', state.customers, id),
  'GET /v1/payment_methods/:id': (state, _, id) => paymentMethod(state, id),
  'POST /v1/payment_methods/:id/detach': (state, _, id) => detachOnce(state, id),
  'POST /v1/refunds': (state, params) => createRefund(state, params),
  'GET /v1/refunds/:id': (state, _, id) => found('refund', state.refunds, id),
  'GET /v1/charges/:id': (state, _, id) => found('charge', state.charges, id),
  'GET /v1/disputes': (state, params) => list('/v1/disputes', state.disputes, params),
  'GET /v1/disputes/:id': (state, _, id) => found('dispute', state.disputes, id),
  'GET /v1/refunds': (state, params) => list('/v1/refunds', state.refunds, params),
  'GET /v1/balance_transactions': listBalance,
  'GET /v1/balance_transactions/:id': (state, _, id) => balanceTransaction(state, id),
  'GET /v1/events': listEvents,
  'GET /v1/events/:id': (state, _, id) =>
    found('event', new Map(state.events.map((e) => [e.id, e])), id),
};

/** Executes a request immediately. `saved`: whether an idempotency key may store the answer. */
export function execute(
  state: State,
  method: string,
  path: string,
  params: Params,
): { answer: Answer; saved: boolean } {
  try {
    const [, , resource = '', id = '', verb] = path.split('/');
    const pattern = ['', 'v1', resource, ...(id ? [':id'] : []), ...(verb ? [verb] : [])].join('/');
    const handler = ROUTES[`${method} ${pattern}`];
    if (handler === undefined) throw missing('URL', path);
    return {
      answer: { status: 200, body: structuredClone(handler(state, params, id)) },
      saved: true,
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { answer: { status: error.status, body: { error: error.error } }, saved: error.saved };
  }
}

function retrieveIntent(state: State, params: Params, id: string): unknown {
  const intent = intentOf(state, id);
  const expand = typeof params.expand === 'object' ? Object.values(params.expand) : [];
  if (!expand.some((path) => /^latest_charge(\.|$)/.test(String(path)))) return intent;
  const charge = state.charges.get(intent.latest_charge ?? '');
  if (charge === undefined || !expand.includes('latest_charge.refunds'))
    return { ...intent, latest_charge: charge ?? null };
  const refunds = list('/v1/refunds', state.refunds, { payment_intent: id });
  return { ...intent, latest_charge: { ...charge, refunds } };
}

function createCustomer(state: State, params: Params): unknown {
  const metadata = (params.metadata ?? {}) as Record<string, string>;
  const customer = {
    id: newId('cus'),
    object: 'customer' as const,
    metadata,
    created: seconds(state),
  };
  state.customers.set(customer.id, customer);
  emit(state, 'customer.created', customer);
  return customer;
}

function found<T>(what: string, from: Map<string, T>, id: string): T {
  const object = from.get(id);
  if (object === undefined) throw missing(what, id);
  return object;
}

function list<T extends { payment_intent: string }>(
  url: string,
  from: Map<string, T>,
  params: Params,
): unknown {
  const data = [...from.values()].filter(
    ({ payment_intent }) =>
      params.payment_intent === undefined || payment_intent === params.payment_intent,
  );
  return { object: 'list', url, has_more: false, data: data.reverse() };
}
