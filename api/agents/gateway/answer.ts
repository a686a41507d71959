import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Usage } from '../agent.ts';
import { permitted } from './fields/permitted.ts';
import type { Deadlines, GatewayOptions } from './gateway.ts';
import { type Call, header, type Json, type Meter, type ModelApi } from './model-api.ts';
import { pass } from './pass.ts';
import { parse } from './read-events.ts';
import { Refusal } from './refusal.ts';
import { ProviderSilent, send, TooLarge, textOf } from './relay.ts';
import { turnstile } from './turnstile.ts';

/** Answers the requests of one attempt, and charges each answer once. */

interface Options extends GatewayOptions {
  api: ModelApi;
  deadlines: Deadlines;
}

/** Requests that are at the provider at once; more wait. */
const AT_ONCE = 8;
const MAX_REQUEST = 16 * 1024 ** 2;
/** What an estimate counts as one token. */
const CHARACTERS_A_TOKEN = 4;

export function answerer(options: Options) {
  const { api, provider, model, spend, signal, deadlines } = options;
  const running = new Set<Promise<unknown>>();
  const enter = turnstile(AT_ONCE);
  let refused = false;

  /** Every charge is waited for before the next request is sent. */
  const charge = async (meter: Meter, sent: string) => {
    const usage = meter.complete ? meter.usage : estimate(meter, sent);
    if (Object.values(usage).every((count) => count === 0)) return;
    await spend(usage, !meter.complete).catch((error) => {
      refused = true;
      throw error;
    });
  };

  const permit = () => {
    if (signal.aborted) throw new Refusal(503, 'The turn has ended.');
    if (refused)
      throw new Refusal(402, 'No more can be spent on this task: a cap or the balance is reached.');
  };

  async function relay(call: Call, body: Json, incoming: IncomingMessage, to: ServerResponse) {
    const { body: kept } = permitted(call.fields, body);
    const sent = JSON.stringify(call.complete(kept));
    const meter = call.meter();
    const gone = new AbortController();
    // Of a stream, the rest is not paid for; any other answer is worked on all the same.
    if (call.streams(body)) to.once('close', () => gone.abort());
    const finish = await send({
      url: `${provider.baseUrl}${call.path}`,
      headers: headersOf(options, incoming, call.streams(body)),
      body: sent,
      signal: AbortSignal.any([signal, gone.signal]),
      deadlines,
    })
      .then((answer) => pass(answer, to, { ...options, meter }))
      .catch(async (error) => {
        if (error instanceof Refusal) throw error;
        // Part of an answer is paid for, too.
        if (!(error instanceof ProviderSilent) || error.unsure) await charge(meter, sent);
        if (!(error instanceof ProviderSilent)) throw error;
        throw new Refusal(502, `The model cannot be reached: ${error.message}.`, true);
      });
    if (finish === undefined) return;
    await charge(meter, sent);
    finish();
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: target = '' } = incoming;
    if (method === 'GET' && api.listPaths.includes(target.replace(/\?.*/, ''))) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(api.list(model)));
      return;
    }
    const call = method === 'POST' ? api.callOf(target) : undefined;
    if (call === undefined)
      throw new Refusal(404, `The gateway does not let ${method} ${target} through.`);
    if ((incoming.headers['content-encoding'] ?? 'identity') !== 'identity')
      throw new Refusal(400, 'The body must not be compressed.');
    permit();
    const leave = await enter();
    try {
      const body = await bodyOf(incoming, deadlines.request);
      if (call.modelOf(body) !== model)
        throw new Refusal(404, `This task has the model ${model} and no other one.`);
      permit();
      await relay(call, body, incoming, response);
    } finally {
      leave();
    }
  }

  return {
    answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
      const work = answer(incoming, response);
      running.add(work);
      return work.finally(() => running.delete(work));
    },
    async settled(): Promise<void> {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

function headersOf({ api, provider }: Options, { headers }: IncomingMessage, streams: boolean) {
  const sent: Record<string, string> = {
    accept: streams ? 'text/event-stream' : 'application/json',
  };
  for (const [name, values] of Object.entries(api.headers)) {
    const given = header(headers, name)?.split(',') ?? [];
    const kept = new Set(given.map((value) => value.trim()).filter((one) => values.includes(one)));
    if (kept.size > 0) sent[name] = [...kept].join(',');
  }
  const key = provider.key();
  return { ...sent, ...(key === undefined ? {} : api.authorize(key)) };
}

/** The JSON object of a request. */
async function bodyOf(incoming: IncomingMessage, limit: number): Promise<Json> {
  const late = setTimeout(() => incoming.destroy(), limit);
  try {
    const body = parse(await textOf(incoming, MAX_REQUEST));
    if (body === undefined) throw new Refusal(400, 'The body must be a JSON object.');
    return body;
  } catch (error) {
    if (error instanceof TooLarge)
      throw new Refusal(413, `A request may have ${MAX_REQUEST / 1024 ** 2} MiB.`);
    throw error;
  } finally {
    clearTimeout(late);
  }
}

/** What was reported before an answer was cut, and for the rest a token for four characters. */
function estimate({ usage, written }: Meter, sent: string): Usage {
  const tokensOf = (characters: number) => Math.ceil(characters / CHARACTERS_A_TOKEN);
  return {
    ...usage,
    inputTokens: usage.inputTokens ?? tokensOf(sent.length),
    outputTokens: Math.max(usage.outputTokens ?? 0, tokensOf(written)),
  };
}
