import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Api } from '../../platform/catalog/agent-fields.ts';
import { isToken, newToken, openPodSocket } from '../../platform/pods/pod-socket.ts';
import { answerer } from './answer.ts';
import { anthropic } from './anthropic.ts';
import { gemini } from './gemini.ts';
import type { ModelApi } from './model-api.ts';
import { openai } from './openai.ts';
import type { Deadlines, GatewayOptions } from './options.ts';
import { Refusal } from './refusal.ts';

/**
 * The model of one attempt at a turn, as its pod reaches it: a Unix socket at which the provider's
 * API is found, without its key. The gateway adds the key, lets through what asks the model of the
 * attempt and nothing else, and charges what the answers say that they used.
 */

const DEADLINES: Deadlines = {
  request: 60_000,
  answer: 600_000,
  late: 60_000,
  idle: 300_000,
  last: 15_000,
};

export interface Gateway {
  /** Path of the socket on this machine. */
  socket: string;
  /** What requests must bear. It is good for this gateway only. */
  token: string;
  /**
   * Takes no further request, and reads answers that are under way to their end, as far as they
   * come soon: agents ask for something in the background as they end a turn, and what is cut is
   * charged at the most that it may cost. Then closes.
   */
  finish(): Promise<void>;
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
  const [leaving, ending] = [new AbortController(), new AbortController()];
  const deadlines = { ...DEADLINES, ...options.deadlines };
  const ended = AbortSignal.any([signal, ending.signal]);
  const answer = answerer({
    ...options,
    api,
    deadlines,
    signal: ended,
    last: AbortSignal.any([ended, leaving.signal]),
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
  const close = () => {
    closed ??= end();
    return closed;
  };
  return {
    socket: socket.path,
    token,
    async finish() {
      leaving.abort();
      const late = new AbortController();
      await Promise.race([
        answer.settled(),
        pause(deadlines.last, undefined, { signal: late.signal }).catch(() => undefined),
      ]);
      late.abort();
      await close();
    },
    close,
  };
}

const MODEL_APIS: Readonly<Record<Api, ModelApi>> = { openai, anthropic, gemini };
