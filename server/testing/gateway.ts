import { type IncomingHttpHeaders, request } from 'node:http';
import { after } from 'node:test';
import type { Api } from '../platform/catalog/agent-fields.ts';
import type { Usage } from '../runner/agents/agent.ts';
import { type Gateway, openGateway } from '../runner/gateway/gateway.ts';
import type { GatewayOptions } from '../runner/gateway/options.ts';
import { type Script, startProvider } from './fakes/model-provider/provider.ts';

/** For tests of the gateway: one to a scripted provider, and requests as a pod sends them. */

export const KEY = 'sk-provider-key-0123456789';
export const MODEL = 'model-1';

const USED = { input: 100, output: 20, cached: 40 };
/** What each answer of `makeGateway` says, unless its script says otherwise. */
export const REPLY = { text: 'Hello there, this is the answer.', usage: USED };

interface Charge {
  usage: Usage;
  estimated: boolean;
}

/** A gateway to a provider of its own; both end after the test file. */
export async function makeGateway(
  api: Api,
  script: Partial<Script> = {},
  options: Partial<GatewayOptions> = {},
) {
  const provider = await startProvider({ reply: () => REPLY, ...script });
  const charges: Charge[] = [];
  const faults: string[] = [];
  const gateway = await openGateway({
    provider: {
      id: 'scripted',
      api,
      key: () => KEY,
      baseUrl: api === 'openai' ? `${provider.url}/v1` : provider.url,
    },
    model: MODEL,
    signal: new AbortController().signal,
    limits: {},
    costOf: () => 0n,
    reserve: async (_, nano) => ({
      nano,
      charge: async (usage, estimated) => void charges.push({ usage, estimated }),
      release: async () => undefined,
    }),
    onFault: (sentence) => faults.push(sentence),
    ...options,
  });
  after(async () => {
    await gateway.close();
    await provider.close();
  });
  return { provider, gateway, charges, faults };
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** Whether the answer came to its end. */
  complete: boolean;
}

export interface Sending {
  method?: string;
  headers?: Record<string, string>;
  token?: string;
  /** Called with each piece; `false` hangs up. */
  onData?: (text: string) => unknown;
}

/** Sends a request to the socket, with the token in every header that APIs have for it. */
export const ask = (
  { socket, token }: Pick<Gateway, 'socket' | 'token'>,
  path: string,
  body?: unknown,
  { method = body === undefined ? 'GET' : 'POST', headers, onData, ...sending }: Sending = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const credential = sending.token ?? token;
    const sent = request({
      socketPath: socket,
      path,
      method,
      agent: false,
      headers: {
        authorization: `Bearer ${credential}`,
        'x-goog-api-key': credential,
        'x-api-key': credential,
        'content-type': 'application/json',
        ...headers,
      },
    });
    sent.on('error', reject).on('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('error', () => undefined);
      answer.on('data', (chunk) => {
        text += chunk;
        if (onData?.(text) === false) answer.destroy();
      });
      answer.on('close', () => {
        const { statusCode: status = 0, headers: answered, complete } = answer;
        resolve({ status, headers: answered, text, complete });
      });
    });
    sent.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body));
  });

/** The four kinds of requests that APIs have: how each is asked, streamed or not. */
export const KINDS: {
  name: string;
  api: Api;
  path(stream: boolean): string;
  body(stream: boolean): object;
}[] = [
  {
    name: 'chat completions',
    api: 'openai',
    path: () => '/v1/chat/completions',
    body: (stream) => ({ model: MODEL, stream, messages: [{ role: 'user', content: 'Hello' }] }),
  },
  {
    name: 'responses',
    api: 'openai',
    path: () => '/v1/responses',
    body: (stream) => ({ model: MODEL, stream, input: [{ role: 'user', content: 'Hello' }] }),
  },
  {
    name: 'messages',
    api: 'anthropic',
    path: () => '/v1/messages?beta=true',
    body: (stream) => ({
      model: MODEL,
      stream,
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  },
  {
    name: 'generated content',
    api: 'gemini',
    path: (stream) =>
      `/v1beta/models/${MODEL}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: () => ({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }),
  },
];
