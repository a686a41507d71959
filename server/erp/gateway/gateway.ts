import type { IncomingMessage, ServerResponse } from 'node:http';
import { newToken, openPodSocket } from '../../platform/pods/pod-socket.ts';
import type { Deadlines, ErpGatewayOptions } from './answer.ts';
import { answerer } from './answer.ts';
import { json } from './protocol.ts';
import { Refusal } from './refusal.ts';

/**
 * The Odoo servers of one attempt at a turn, as its pod reaches them: a Unix socket at which each is
 * found below its id, without its credential. The gateway adds the credential and lets through what
 * the connection allows to agents, and nothing else (docs/decisions/0064-odoo.md).
 */

const DEADLINES: Deadlines = { request: 30_000, answer: 120_000 };

interface ErpGateway {
  /** Path of the socket on this machine. */
  socket: string;
  /** What requests must bear, as a bearer token or as the password. It is good for this one only. */
  token: string;
  /** Ends what runs, and resolves when all of that is logged. May be called more than once. */
  close(): Promise<void>;
}

/** Rejects with an Error when the socket cannot be made. */
export async function openErpGateway(options: ErpGatewayOptions): Promise<ErpGateway> {
  const token = newToken();
  const ending = new AbortController();
  const deadlines = { ...DEADLINES, ...options.deadlines };
  const signal = AbortSignal.any([options.signal, ending.signal]);
  const answer = answerer({ ...options, token, deadlines, signal });

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    try {
      const shown = await answer.answer(incoming).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
        return json(error.status, { name: 'guildhall.Refused', message: error.message });
      });
      response.writeHead(shown.status, { 'content-type': shown.type }).end(shown.body);
    } catch {
      response.destroy();
    }
  };

  const socket = await openPodSocket(
    'erp',
    deadlines.request,
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
