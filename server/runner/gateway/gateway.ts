import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ModelLimits, Provider } from '../../platform/catalog/agent-fields.ts';
import type { Usage } from '../agents/agent.ts';
import { answerer } from './answer.ts';
import { MODEL_APIS } from './model-apis.ts';
import { isToken, newToken, openPodSocket } from './pod-socket.ts';
import { Refusal } from './refusal.ts';

/**
 * The model of one attempt at a turn, as its pod reaches it: a Unix socket at which the provider's
 * API is found, without its key. The gateway adds the key, lets through what asks the model of the
 * attempt and nothing else, and charges what the answers say that they used.
 */

export interface GatewayOptions {
  provider: Provider;
  /** As the provider names it. */
  model: string;
  limits: ModelLimits;
  /** Nano-USD of tokens. */
  costOf(usage: Usage): bigint;
  /**
   * Holds what a request may cost before it is sent: `most` nano-USD, or what is left, but not less
   * than `least`. Waits while other requests may leave enough. Rejects when the turn cannot go on;
   * every further request is refused then.
   */
  reserve(least: bigint, most: bigint, signal: AbortSignal): Promise<Reservation>;
  /** What an operator must know, as a sentence; never with the text of an answer. */
  onFault?: (sentence: string) => void;
  /** Ends the gateway when it aborts. */
  signal: AbortSignal;
  /** Milliseconds; only tests set them. */
  deadlines?: Partial<Deadlines>;
}

/** What is held for one request. Either of its functions ends it, and is called once. */
export interface Reservation {
  nano: bigint;
  /**
   * Charges the answer. `estimated`: its provider did not say what it used. Rejects when the turn
   * cannot go on.
   */
  charge(usage: Usage, estimated: boolean): Promise<void>;
  /** The request has cost nothing. */
  release(): Promise<void>;
}

export interface Deadlines {
  /** Until a request has arrived. */
  request: number;
  /**
   * Until the provider begins to answer. Answers that are not streamed begin when they are done.
   */
  answer: number;
  /** Between two pieces of an answer, and for the pod to take one. */
  idle: number;
}

const DEADLINES: Deadlines = { request: 60_000, answer: 600_000, idle: 300_000 };

export interface Gateway {
  /** Path of the socket on this machine. */
  socket: string;
  /** What requests must bear. It is good for this gateway only. */
  token: string;
  /**
   * Ends what runs and charges it. Resolves when all of that is recorded, also when a charge was
   * refused. May be called more than once.
   */
  close(): Promise<void>;
}

/** Rejects with an Error when the socket cannot be made. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { provider, signal } = options;
  const api = MODEL_APIS[provider.api];
  const token = newToken();
  const ending = new AbortController();
  const deadlines = { ...DEADLINES, ...options.deadlines };
  const answer = answerer({
    ...options,
    api,
    deadlines,
    signal: AbortSignal.any([signal, ending.signal]),
  });

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    try {
      // Before anything is read of who has no token.
      if (!isToken(token, api.credentialOf(incoming.headers)))
        throw new Refusal(401, 'This is not the token of this attempt.');
      await answer.answer(incoming, response);
    } catch (error) {
      const refusal = error instanceof Refusal ? error : undefined;
      if (refusal === undefined || response.headersSent) {
        response.destroy();
        return;
      }
      const body = JSON.stringify(api.error(refusal.status, refusal.message));
      // SDKs try again on many errors, and none of these goes away.
      const again = refusal.again ? {} : { 'x-should-retry': 'false' };
      response.writeHead(refusal.status, { 'content-type': 'application/json', ...again });
      response.end(body);
    }
  };

  const socket = await openPodSocket(
    'model',
    DEADLINES.answer,
    (incoming, response) => void handle(incoming, response),
  );
  const end = () => {
    ending.abort();
    return socket.close(answer.settled);
  };
  let closed: Promise<void> | undefined;
  return {
    socket: socket.path,
    token,
    close: () => {
      closed ??= end();
      return closed;
    },
  };
}
