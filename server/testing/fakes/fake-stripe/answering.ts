import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { execute } from './api.ts';
import { type Answer, Failure } from './failure.ts';
import { executes, type Fault } from './faults.ts';
import { parseForm } from './form.ts';
import { once } from './idempotency.ts';
import { newId, type State } from './state.ts';

const BROKEN: Answer = {
  status: 500,
  body: { error: { type: 'api_error', message: 'Something went wrong on our end.' } },
  // Stripe says so too: a repeat would get the same saved 500.
  headers: { 'stripe-should-retry': 'false' },
};

/** A request as it was read. */
export interface Incoming {
  method: string;
  path: string;
  query: string;
  body: string;
  key: string | undefined;
}

export async function read(request: IncomingMessage): Promise<Incoming> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const key = request.headers['idempotency-key'];
  return {
    method: request.method ?? 'GET',
    path,
    query,
    body: Buffer.concat(chunks).toString('utf8'),
    key: request.method === 'POST' && typeof key === 'string' ? key : undefined,
  };
}

/** Stripe's answer, before a fault changes it on its way. */
export async function answer(
  state: State,
  incoming: Incoming,
  fault: Fault | undefined,
): Promise<Answer> {
  const { method, path, query, body, key } = incoming;
  if (fault?.kind === 'rateLimit' || fault?.kind === 'lockTimeout') return turnedAway(fault.kind);
  if (!executes(fault) && fault?.kind !== '500saved') return BROKEN;
  const params = parseForm(method === 'POST' ? body : query);
  const request = [method, path, body].join('\n');
  try {
    return await once(state.answers, key, request, async () => {
      if (fault?.kind === 'slow') await pause(fault.ms ?? 1000);
      const executed = executes(fault)
        ? execute(state, method, path, params)
        : { answer: BROKEN, saved: true };
      return fault?.kind === '500saved' ? { answer: BROKEN, saved: true } : executed;
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { status: error.status, body: { error: error.error } };
  }
}

function turnedAway(kind: 'rateLimit' | 'lockTimeout'): Answer {
  const code = kind === 'rateLimit' ? 'rate_limit' : 'lock_timeout';
  return {
    status: 429,
    body: { error: { type: 'invalid_request_error', code, message: 'Try again later.' } },
  };
}

/** Sends an answer, or what a fault leaves of it. */
export function send(
  response: ServerResponse,
  { status, body, headers }: Answer,
  fault: Fault | undefined,
): void {
  const { socket } = response;
  switch (fault?.kind) {
    case 'refuse':
    case 'dropBefore':
    case 'dropAfter':
      socket?.resetAndDestroy();
      return;
    case 'hang':
      return;
    case '502html':
      response
        .writeHead(502, { 'content-type': 'text/html' })
        .end('<html><h1>502 Bad Gateway</h1></html>');
      return;
  }
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'request-id': newId('req'),
    ...(fault?.kind === 'closeAfter' ? { connection: 'close' } : {}),
    ...headers,
  });
  if (fault?.kind === 'truncate')
    response.write(text.slice(0, text.length / 2), () => socket?.destroy());
  else response.end(text);
}
