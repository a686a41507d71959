import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Delivery } from '../deliveries.ts';
import { takeFault } from '../faults.ts';
import { type Listener, listen } from '../listener.ts';
import { answer, type Incoming, read, send } from './answering.ts';
import { billed, payOut } from './balance.ts';
import { completeSetup, detach, replaceCard } from './cards.ts';
import { control } from './control.ts';
import { closeDispute, dispute } from './disputes.ts';
import { deliver, follow, type Signed, sign, type Target } from './events.ts';
import type { Fault, FaultKind } from './faults.ts';
import { authenticate } from './intents.ts';
import { failRefund } from './refunds.ts';
import {
  type BalanceTransaction,
  type Card,
  type DisputeObject,
  type EventObject,
  type Movement,
  newState,
  type RefundObject,
  type State,
} from './state.ts';

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

/**
 * A Stripe of one's own. Everything here can be done over HTTP as well: `/_control/...`
 * (control.ts).
 */
export interface FakeStripe {
  /** For STRIPE_API_BASE. */
  readonly url: string;
  /** `/_control/...` while the other port is closed. */
  readonly controlUrl: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly state: State;
  /** Every request to the API, in order of arrival. */
  readonly requests: {
    method: string;
    path: string;
    key: string | undefined;
    fault: FaultKind | undefined;
  }[];
  /** The faults that have not struck yet. */
  readonly faults: Fault[];
  readonly movements: Movement[];
  /** Micro-USD captured for a top-up, refunds and disputes not deducted. */
  captured(topUpId: string): bigint;
  /** What Guildhall holds at Stripe after all movements, in micro-USD. */
  net(topUpId?: string): bigint;
  fault(fault: Fault): void;
  clearFaults(): void;
  webhook(url: string, secret?: string): void;
  deliver(delivery?: Delivery): Promise<{ id: string; type: string; status: number }[]>;
  /** Sends each event as it happens; without an argument no more. */
  automatic(how?: Delivery): void;
  sign(event: unknown, options?: { secret?: string; timestamp?: number }): Signed;
  /** `amount` in cents. */
  dispute(intentId: string, options?: { amount?: number }): DisputeObject;
  closeDispute(id: string, outcome: 'won' | 'lost'): DisputeObject;
  failRefund(id: string): RefundObject;
  /** A saved card of the test's own. */
  card(token: string, card: Card): void;
  detach(token: string): void;
  /** Enters a card in the browser, for a setup or its client secret; returns the card's name. */
  completeSetup(setup: string, details?: Parameters<typeof completeSetup>[2]): string;
  replaceCard(token: string, details: Card['details']): void;
  /** Pays out what was not paid out before. */
  payOut(): BalanceTransaction;
  /** Stripe bills the account, in cents. */
  bill(cents: number): BalanceTransaction;
  /** Confirms a payment in the browser, for an intent or its client secret, or fails to. */
  authenticate(intent: string, passes: boolean): void;
  /** Connections are refused; after `ms` no more. */
  closePort(ms?: number): Promise<void>;
  openPort(): Promise<void>;
  /** As after 24 hours: Stripe prunes idempotency keys. */
  forgetKeys(): void;
  close(): Promise<void>;
}

const OUTWARD: ReadonlySet<Movement['kind']> = new Set(['refund', 'dispute_withdrawn']);

/** Starts a stateful stand-in for Stripe's API that the real SDK can talk to. */
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
    await listener.close();
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
