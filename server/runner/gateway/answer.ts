import type { IncomingMessage, ServerResponse } from 'node:http';
import { concurrencyLimit } from '../../platform/concurrency-limit.ts';
import { TooLarge, textOf } from '../../platform/pods/pod-socket.ts';
import type { Usage } from '../agents/agent.ts';
import { permitted } from './fields/permitted.ts';
import {
  askedOutput,
  type Call,
  header,
  type Json,
  type Meter,
  type ModelApi,
} from './model-api.ts';
import type { Deadlines, GatewayOptions } from './options.ts';
import { pass, Uncounted } from './pass.ts';
import { parse } from './read-events.ts';
import { Refusal } from './refusal.ts';
import { ProviderSilent, send } from './relay.ts';
import { affordable, worstCase } from './worst-case.ts';

/** Answers the requests of one attempt, and charges each answer once. */

interface Options extends GatewayOptions {
  api: ModelApi;
  deadlines: Deadlines;
  /** From when it aborts on, no request is taken; at the latest as `signal` aborts. */
  last: AbortSignal;
}

/** Requests that are at the provider at once; more wait. */
const AT_ONCE = 8;
const MAX_REQUEST = 16 * 1024 ** 2;
const NO_MORE = 'No more can be spent on this task: a cap or the balance is reached.';

const LATE = (ms: number) =>
  `The provider of the model has not begun to answer for ${ms / 1_000} seconds. The agent waits.`;
const UNREACHABLE =
  'The provider of the model does not answer. The agent may try again; the log of the server has ' +
  'the reason.';

/** A request that is paid for. */
interface Held {
  body: Json;
  /** Charges what the answer has told, and otherwise the most; nothing without a meter. */
  end(meter: Meter | undefined): Promise<void>;
}

export function answerer(options: Options) {
  const { api, provider, model, limits, signal, last, deadlines, onFault } = options;
  const running = new Set<Promise<unknown>>();
  const enter = concurrencyLimit(AT_ONCE);
  let refused = false;
  let silent = false;
  const told = new Set<string>();
  const tell = (sentence: string) => {
    if (!told.has(sentence) && !signal.aborted) options.onDelay?.(sentence);
    told.add(sentence);
  };

  const permit = () => {
    if (last.aborted) throw new Refusal(503, 'The turn has ended.');
    if (refused) throw new Refusal(402, NO_MORE);
  };

  /** Reserves what a request may cost, and lowers the length of its answer to what is left. */
  async function hold(call: Call, given: Json, gone: AbortSignal): Promise<Held> {
    const { body: kept, media } = permitted(call.fields, given);
    const body = call.complete(kept);
    const costOf = call.free ? () => 0n : options.costOf;
    const worst = worstCase({
      api: provider.api,
      body,
      media,
      output: askedOutput(body, call),
      keepsLong: call.keepsLong?.(body) ?? false,
      limits,
      costOf,
    });
    const held = await options
      .reserve(worst.least, worst.most, AbortSignal.any([last, gone]))
      .catch((error) => {
        if (gone.aborted) throw error;
        if (error === last.reason) throw new Refusal(503, 'The turn has ended.');
        refused = true;
        throw new Refusal(402, NO_MORE);
      });
    const priced = worst.most > 0n;
    const output = priced ? affordable(worst, held.nano, costOf) : worst.output;
    const most = { ...worst.input, outputTokens: output };
    return {
      body: priced ? call.limited(body, output, provider.baseUrl) : body,
      async end(meter) {
        const usage = meter === undefined ? {} : meter.complete ? meter.usage : untold(meter, most);
        if (Object.values(usage).every((count) => count === 0)) return held.release();
        await held.charge(usage, meter?.complete === false).catch((error) => {
          refused = true;
          throw error;
        });
      },
    };
  }

  async function relay(call: Call, given: Json, incoming: IncomingMessage, to: ServerResponse) {
    const gone = new AbortController();
    to.once('close', () => gone.abort());
    const held = await hold(call, given, gone.signal);
    const meter = call.meter(held.body);
    const late = setTimeout(() => tell(LATE(deadlines.late)), deadlines.late);
    const finish = await send({
      url: `${provider.baseUrl}${call.path}`,
      headers: headersOf(options, incoming, call.streams(given)),
      body: JSON.stringify(held.body),
      signal,
      deadlines,
    })
      .finally(() => clearTimeout(late))
      .then((answer) => pass(answer, to, { ...options, meter }))
      .catch(async (error) => {
        await held.end(costsNothing(error) ? undefined : meter);
        if (!(error instanceof ProviderSilent)) throw error;
        if (!told.has(UNREACHABLE)) onFault?.(`The model of ${provider.id}: ${error.message}.`);
        tell(UNREACHABLE);
        throw new Refusal(502, `The model cannot be reached: ${error.message}.`, true);
      });
    if (finish !== undefined && !meter.complete) noteSilence();
    await held.end(finish === undefined ? undefined : meter);
    finish?.();
  }

  /** People pay more at a provider that does not tell what its answers used. */
  const noteSilence = () => {
    if (!silent)
      onFault?.(
        `The provider ${provider.id} does not say what its answers used: each is charged at the ` +
          'most that it may have cost.',
      );
    silent = true;
  };

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: target = '' } = incoming;
    if (method === 'GET' && api.listPaths.includes(target.replace(/\?.*/, ''))) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(api.list(model)));
      return;
    }
    const call = method === 'POST' ? api.callOf(target) : undefined;
    if (call === undefined)
      throw new Refusal(404, `The gateway does not let ${method} ${target.slice(0, 200)} through.`);
    if ((incoming.headers['content-encoding'] ?? 'identity') !== 'identity')
      throw new Refusal(400, 'The body must not be compressed.');
    permit();
    const leave = await enter();
    try {
      permit();
      const body = await bodyOf(incoming, deadlines.request, last);
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

/** The JSON object of a request. One that has not arrived as `last` aborts would not be taken. */
async function bodyOf(incoming: IncomingMessage, limit: number, last: AbortSignal): Promise<Json> {
  const cut = () => incoming.destroy();
  const late = setTimeout(cut, limit);
  last.addEventListener('abort', cut);
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
    last.removeEventListener('abort', cut);
  }
}

/** Part of an answer is paid for, and so is one that cannot be read. */
const costsNothing = (error: unknown): boolean =>
  error instanceof ProviderSilent
    ? !error.unsure
    : error instanceof Refusal && !(error instanceof Uncounted);

/** What an answer has not told is charged at the most that it can be, and so is hidden reasoning. */
const untold = ({ usage }: Meter, most: Usage): Usage => ({
  ...(usage.inputTokens === undefined ? most : usage),
  outputTokens: most.outputTokens ?? 0,
});
