import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/**
 * The protocol of agents is JSON-RPC with a message in each line. The package of the protocol takes
 * half of the processor time of this agent's start to load, and what it checks is of no use where
 * the other side is this server.
 */
export interface Client {
  notify(method: string, params: object): Promise<void>;
  request(method: string, params: object): Promise<unknown>;
}

// biome-ignore lint/suspicious/noExplicitAny: whoever handles a method names what it is given.
type Handler = (params: any, client: Client) => unknown;

/** What a request is answered with that fails. */
export class Failure extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

interface Message {
  id?: number | string | null;
  method?: string;
  params?: object;
  result?: unknown;
  error?: { code: number; message: string };
}

type Waiting = Pick<PromiseWithResolvers<unknown>, 'resolve' | 'reject'>;

/** Handles what comes in, each request beside the others, until `input` ends. */
export function connect(
  { input, output }: { input: Readable; output: Writable },
  handlers: Record<string, Handler>,
): void {
  const waiting = new Map<number, Waiting>();
  let requests = 0;

  async function send(message: Message): Promise<void> {
    const line = JSON.stringify({ jsonrpc: '2.0', ...message });
    if (!output.write(`${line}\n`)) await once(output, 'drain');
  }

  const client: Client = {
    notify: (method, params) => send({ method, params }),
    async request(method, params) {
      const id = ++requests;
      const answer = Promise.withResolvers<unknown>();
      waiting.set(id, answer);
      await send({ id, method, params });
      return answer.promise;
    },
  };

  async function handle({ id, method = '', params = {} }: Message): Promise<void> {
    const handler = handlers[method];
    if (id === undefined) return void (await handler?.(params, client));
    try {
      if (handler === undefined) throw new Failure(-32601, `Method not found: ${method}`);
      await send({ id, result: await handler(params, client) });
    } catch (error) {
      const { message } = error as Error;
      await send({ id, error: { code: error instanceof Failure ? error.code : -32603, message } });
    }
  }

  function take(line: string): void {
    const message = JSON.parse(line) as Message;
    if (message.method !== undefined) return void handle(message).catch(() => undefined);
    const asked = waiting.get(Number(message.id));
    waiting.delete(Number(message.id));
    if (message.error === undefined) asked?.resolve(message.result);
    else asked?.reject(new Error(message.error.message));
  }

  let rest = '';
  input.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') take(line);
  });
  input.once('end', () => {
    for (const { reject } of waiting.values()) reject(new Error('The connection has ended.'));
  });
}
