import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Provider } from '../../catalog/agent-fields.ts';
import type { Usage } from '../agent.ts';
import { answerer } from './answer.ts';
import { MODEL_APIS } from './model-apis.ts';
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
  /**
   * Charges an answer. `estimated`: its provider did not say what it used. Rejects when the turn
   * cannot go on; every further request is refused then.
   */
  spend(usage: Usage, estimated: boolean): Promise<void>;
  /** What an operator must know, as a sentence; never with the text of an answer. */
  onFault?: (sentence: string) => void;
  /** Ends the gateway when it aborts. */
  signal: AbortSignal;
  /** Milliseconds; only tests set them. */
  deadlines?: Partial<Deadlines>;
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

/** More connections than this are closed at once. */
const MAX_CONNECTIONS = 32;

/** Rejects with an Error when the socket cannot be made. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { provider, signal } = options;
  const api = MODEL_APIS[provider.api];
  const token = randomBytes(32).toString('base64url');
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-model-'));
  const socket = join(folder, 'model');
  const ending = new AbortController();
  const deadlines = { ...DEADLINES, ...options.deadlines };
  const answer = answerer({
    ...{ ...options, api, deadlines },
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

  const server = createServer(
    { maxHeaderSize: 16_384, headersTimeout: 10_000, requestTimeout: DEADLINES.answer },
    (incoming, response) => void handle(incoming, response),
  );
  server.maxConnections = MAX_CONNECTIONS;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(socket, resolve);
    });
    // The user of the pod must pass the folder; the driver gives it the socket.
    await chmod(folder, 0o711);
    await chmod(socket, 0o600);
  } catch (error) {
    server.close();
    await rm(folder, { recursive: true, force: true });
    throw error;
  }

  const end = async () => {
    ending.abort();
    server.close();
    await answer.settled();
    server.closeAllConnections();
    await rm(folder, { recursive: true, force: true });
  };
  let closed: Promise<void> | undefined;
  return {
    ...{ socket, token },
    close: () => {
      closed ??= end();
      return closed;
    },
  };
}

/** In constant time, whatever is presented. */
const isToken = (token: string, presented: string | undefined): boolean =>
  timingSafeEqual(hash('sha256', token, 'buffer'), hash('sha256', presented ?? '', 'buffer'));
