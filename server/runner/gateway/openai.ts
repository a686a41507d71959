import type { Usage } from '../agents/agent.ts';
import { fields, items } from '../agents/read-update.ts';
import { chatFields } from './fields/openai-chat.ts';
import { responsesFields } from './fields/openai-responses.ts';
import { bearer, type Call, type Json, type Meter, type ModelApi, tokens } from './model-api.ts';

/** OpenAI's API: chat completions and responses, as many other providers have them, too. */

const chat: Omit<Call, 'path'> = {
  fields: chatFields,
  modelOf: ({ model }) => model,
  streams: ({ stream }) => stream === true,
  complete: (body) =>
    body.stream === true ? { ...body, stream_options: { include_usage: true } } : body,
  output: ['max_tokens', 'max_completion_tokens'],
  // OpenAI takes both, but the old name not for models that reason; many others know only that.
  limited({ max_tokens, max_completion_tokens, ...body }, tokens, baseUrl) {
    const { beside, ...thinking } = thinkingOf(body, tokens);
    const answer = tokens - beside;
    return /^https:\/\/[^/]*\bopenai\.(azure\.)?com(\/|$)/.test(baseUrl)
      ? { ...body, ...thinking, max_completion_tokens: answer }
      : { ...body, ...thinking, max_tokens: answer };
  },
  meter() {
    let finished = false;
    const meter: Meter = {
      usage: {},
      complete: false,
      read({ usage, choices }) {
        const all = items(choices).map(fields);
        finished ||= all.some(({ finish_reason }) => (finish_reason ?? undefined) !== undefined);
        const { prompt_tokens, completion_tokens, prompt_tokens_details } = fields(usage);
        const input = tokens(prompt_tokens);
        const output = tokens(completion_tokens);
        if (input === undefined || output === undefined) return;
        meter.usage = usageOf(input, output, fields(prompt_tokens_details));
        // Some tell with every piece what was used until then.
        meter.complete = finished || all.length === 0;
      },
    };
    return meter;
  },
};

/**
 * Every budget for thinking, at most half of the tokens that are held. `beside`: how many of them
 * may be used in addition to `max_tokens`, as providers count that know `thinking_budget` (Qwen's,
 * also as an argument of a template); within the other two, thinking is part of the answer.
 */
function thinkingOf(
  { enable_thinking, thinking_budget, chat_template_kwargs, reasoning, thinking }: Json,
  tokens: number,
): Json & { beside: number } {
  const half = Math.floor(tokens / 2);
  const bounded = (asked: unknown): number =>
    Number.isSafeInteger(asked) && Number(asked) >= 0 ? Math.min(Number(asked), half) : half;
  const within = (name: string, value: unknown, budget: string): Json => {
    const asked = fields(value)[budget];
    return asked === undefined ? {} : { [name]: { ...fields(value), [budget]: bounded(asked) } };
  };
  const own =
    enable_thinking === true || thinking_budget !== undefined
      ? bounded(thinking_budget)
      : undefined;
  const template = within('chat_template_kwargs', chat_template_kwargs, 'thinking_budget');
  const ofTemplate = Number(fields(template.chat_template_kwargs).thinking_budget ?? 0);
  return {
    ...(own === undefined ? {} : { thinking_budget: own }),
    ...template,
    ...within('reasoning', reasoning, 'max_tokens'),
    ...within('thinking', thinking, 'budget_tokens'),
    beside: Math.max(own ?? 0, ofTemplate),
  };
}

const responses: Omit<Call, 'path'> = {
  fields: responsesFields,
  modelOf: ({ model }) => model,
  streams: ({ stream }) => stream === true,
  // What is kept could be read by whoever learns its id.
  complete: (body) => ({ ...body, store: false }),
  output: ['max_output_tokens'],
  limited: (body, tokens) => ({ ...body, max_output_tokens: tokens }),
  meter() {
    const meter: Meter = {
      usage: {},
      complete: false,
      read(event) {
        // An answer that is not streamed is what the last event of a stream holds.
        const { usage, status } = fields(event.response ?? event);
        const { input_tokens, output_tokens, input_tokens_details } = fields(usage);
        const input = tokens(input_tokens);
        const output = tokens(output_tokens);
        if (input === undefined || output === undefined) return;
        meter.usage = usageOf(input, output, fields(input_tokens_details));
        meter.complete = status !== 'in_progress';
      },
    };
    return meter;
  },
};

/** Tokens that the cache has, or gets, are among those of the input. */
function usageOf(input: number, output: number, details: Json): Usage {
  const read = Math.min(tokens(details.cached_tokens) ?? 0, input);
  const written = Math.min(tokens(details.cache_write_tokens) ?? 0, input - read);
  return {
    inputTokens: input - read - written,
    outputTokens: output,
    ...(read === 0 ? {} : { cacheReadTokens: read }),
    ...(written === 0 ? {} : { cacheWriteTokens: written }),
  };
}

const CALLS: Readonly<Record<string, Call>> = {
  '/v1/chat/completions': { ...chat, path: '/chat/completions' },
  '/v1/responses': { ...responses, path: '/responses' },
};

export const openai: ModelApi = {
  callOf: (target) => (Object.hasOwn(CALLS, target) ? CALLS[target] : undefined),
  listPaths: ['/v1/models'],
  list: (id) => ({
    object: 'list',
    data: [{ id, object: 'model', created: 0, owned_by: 'guildhall' }],
  }),
  credentialOf: bearer,
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  headers: { 'openai-beta': ['responses=experimental'] },
  error: (status, message) => ({
    error: {
      message,
      type: TYPES[status] ?? 'server_error',
      param: null,
      code: CODES[status] ?? null,
    },
  }),
};

const TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'invalid_request_error',
  402: 'insufficient_quota',
  404: 'invalid_request_error',
  413: 'invalid_request_error',
};
const CODES: Record<number, string> = {
  401: 'invalid_api_key',
  402: 'insufficient_quota',
  404: 'model_not_found',
};
