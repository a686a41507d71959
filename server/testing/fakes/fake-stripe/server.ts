import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { takeFault } from '../faults.ts';
import { type Listener, listen } from '../listener.ts';
import { answer, type Incoming, read, send } from './answering.ts';
import { billed, payOut } from './balance.ts';
import { completeSetup, detach, replaceCard } from './cards.ts';
import { control } from './control.ts';
import { closeDispute, dispute } from './disputes.ts';
import { deliver, follow, sign, type Target } from './events.ts';
import type { FakeStripe } from './fake.ts';
import type { Fault } from './faults.ts';
import { authenticate } from './intents.ts';
import { failRefund } from './refunds.ts';
import { type EventObject, type Movement, newState, type State } from './state.ts';

const FAKE_SECRET_KEY = 'sk_test_fake';
export const FAKE_WEBHOOK_SECRET = 'whsec_fake';

/** `state`: of an earlier fake, to go on with. `port`: default any. */
interface FakeStripeOptions {
  port?: number;
  webhookUrl?: string;
  webhookSecret?: string;
  secretKey?: string;
  state?: State;
}

const OUTWARD: ReadonlySet<Movement['kind']> = new Set(['refund', 'dispute_withdrawn']);

/** Starts a stateful fake of Stripe's API that the real SDK can talk to. */
export async function startFakeStripe(options: FakeStripeOptions = {}): Promise<FakeStripe> {
  const {
    secretKey = FAKE_SECRET_KEY,
    webhookSecret = FAKE_WEBHOOK_SECRET,
    state = newState(),
  } = options;
  const target: Target = { url: options.webhookUrl, secret: webhookSecret };
  const faults: Fault[] = [];
  const requests: FakeStripe['requests'] = [];
  let reopening: NodeJS.Timeout | undefined;
  state.onEvent = () => undefined;

  const handle = (request: IncomingMessage, response: ServerResponse) => {
    // A client that disconnects halfway is not an error here.
    serve(request, response).catch(() => response.destroy());
  };
  const listener: Listener = await listen(options.port ?? 0, handle);
  const controlListener = await listen(0, handle);

  const fake: FakeStripe = {
    url: `http://127.0.0.1:${listener.port}`,
    controlUrl: `http://127.0.0.1:${controlListener.port}`,
    secretKey,
    get webhookSecret() {
      return target.secret;
    },
    state,
    requests,
    faults,
    movements: state.movements,
    captured: (topUpId) =>
      sum(state.movements.filter((one) => one.topUpId === topUpId && one.kind === 'capture')),
    net: (topUpId) =>
      sum(state.movements.filter((one) => topUpId === undefined || one.topUpId === topUpId)),
    fault: (fault) => void faults.push({ ...fault }),
    clearFaults: () => void faults.splice(0),
    webhook: (url, secret = target.secret) => void Object.assign(target, { url, secret }),
    deliver: (delivery) => deliver(state, target, delivery),
    automatic: (how) => {
      state.onEvent = (event: EventObject) => void (how && follow(state, target, event, how));
    },
    sign: (event, { secret = target.secret, ...rest } = {}) => sign(event, { secret, ...rest }),
    dispute: (intentId, how) => dispute(state, intentId, how),
    closeDispute: (id, outcome) => closeDispute(state, id, outcome),
    failRefund: (id) => failRefund(state, id),
    card: (token, card) => void state.cards.set(token, card),
    detach: (token) => void detach(state, token),
    completeSetup: (setup, details) => completeSetup(state, setup, details),
    replaceCard: (token, details) => replaceCard(state, token, details),
    payOut: () => payOut(state),
    bill: (cents) => billed(state, cents),
    authenticate: (intent, passes) => void authenticate(state, intent, passes),
    closePort,
    openPort: () => listener.open(),
    forgetKeys: () => state.answers.clear(),
    close: async () => {
      clearTimeout(reopening);
      state.onEvent = () => undefined;
      await Promise.all([listener.close(), controlListener.close()]);
    },
  };
  return fake;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const incoming = await read(request);
    if (incoming.path.startsWith('/_control/'))
      return send(response, await commanded(incoming), undefined);
    if (request.headers.authorization !== `Bearer ${secretKey}`)
      return send(response, { status: 401, body: { error: unauthorized(request) } }, undefined);
    const fault = takeFault(faults, incoming.method, incoming.path);
    requests.push({
      method: incoming.method,
      path: incoming.path,
      key: incoming.key,
      fault: fault?.kind,
    });
    const answered = await answer(state, incoming, fault);
    if (fault?.kind === 'closeAfter') response.once('finish', () => void closePort(fault.ms));
    send(response, answered, fault);
    if (fault?.kind === 'refuse') await closePort(fault.ms);
  }

  function commanded({ method, path, query, body }: Incoming) {
    const input =
      method === 'GET' ? Object.fromEntries(new URLSearchParams(query)) : JSON.parse(body || '{}');
    return control(fake, method, path.slice('/_control/'.length), input);
  }

  async function closePort(ms?: number): Promise<void> {
    await listener.refuse();
    // Clients notice first: a request on a dead kept-alive connection is reset instead of refused.
    await pause(25);
    if (ms !== undefined) reopening = setTimeout(() => void listener.open(), ms);
  }
}

// Stripe masks the key; quoting it in full is the worst case for code that logs the message.
const unauthorized = (request: IncomingMessage) => ({
  type: 'invalid_request_error',
  message: `Invalid API Key provided: ${request.headers.authorization?.replace('Bearer ', '')}`,
});

const sum = (movements: Movement[]): bigint =>
  movements.reduce(
    (total, { kind, amount }) => (OUTWARD.has(kind) ? total - amount : total + amount),
    0n,
  );
