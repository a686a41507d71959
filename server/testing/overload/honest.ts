import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';

/** What an honest caller asks. */
export interface Ask {
  method: string;
  path: string;
  key: string;
  body?: object;
}

/** What came of it: a status, or the code of an error such as ECONNRESET. */
export interface Outcome {
  at: number;
  ms: number;
  status: number | string;
  ask: Ask;
}

const EVERY_MS = 50;
const PATIENCE_MS = 30_000;

/**
 * Asks one thing every 50 ms, whether or not the last one was answered: in turn on a connection
 * that it keeps and on a new one. `stop` waits for what is still under way, and returns everything
 * that happened.
 */
export function startHonest(url: string, asks: Ask[]): { stop(): Promise<Outcome[]> } {
  const kept = new Agent({ keepAlive: true });
  const outcomes: Promise<Outcome>[] = [];
  let turn = 0;
  const timer = setInterval(() => {
    const ask = asks[turn % asks.length] as Ask;
    // Each of them on either kind of connection.
    const agent = Math.floor(turn / asks.length) % 2 === 0 ? kept : undefined;
    outcomes.push(send(url, ask, agent));
    turn++;
  }, EVERY_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      const all = await Promise.all(outcomes);
      kept.destroy();
      return all;
    },
  };
}

function send(url: string, ask: Ask, agent: Agent | undefined): Promise<Outcome> {
  const at = performance.now();
  const body = ask.body === undefined ? undefined : JSON.stringify(ask.body);
  return new Promise((resolve) => {
    const done = (status: number | string) =>
      resolve({ at, ms: performance.now() - at, status, ask });
    const sent = request(`${url}${ask.path}`, {
      method: ask.method,
      agent: agent ?? false,
      timeout: PATIENCE_MS,
      headers: {
        authorization: `Bearer ${ask.key}`,
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      },
    });
    sent.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.on('response', (reply) => {
      reply.resume().on('error', () => {});
      reply.once('close', () => done(reply.complete ? (reply.statusCode ?? 0) : 'incomplete'));
    });
    sent.end(body);
  });
}
