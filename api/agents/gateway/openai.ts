import { fields, items } from '../read-update.ts';
import { chatFields } from './fields/openai-chat.ts';
import { responsesFields } from './fields/openai-responses.ts';
import { bearer, type Call, charactersIn, type Meter, type ModelApi, tokens } from './model-api.ts';

/** OpenAI's API: chat completions and responses, as many other providers have them, too. */

const chat: Omit<Call, 'path'> = {
  fields: chatFields,
  modelOf: ({ model }) => model,
  streams: ({ stream }) => stream === true,
  complete: (body) =>
    body.stream === true ? { ...body, stream_options: { include_usage: true } } : body,
  meter() {
    const meter: Meter = {
      ...{ usage: {}, complete: false, written: 0 },
      read({ usage, choices }) {
        for (const choice of items(choices)) meter.written += charactersIn(fields(choice).delta);
        const { prompt_tokens, completion_tokens, prompt_tokens_details } = fields(usage);
        const input = tokens(prompt_tokens);
        const output = tokens(completion_tokens);
        if (input === undefined || output === undefined) return;
        const cached = tokens(fields(prompt_tokens_details).cached_tokens) ?? 0;
        meter.usage = usageOf(input, output, cached);
        meter.complete = true;
      },
    };
    return meter;
  },
};

const responses: Omit<Call, 'path'> = {
  fields: responsesFields,
  modelOf: ({ model }) => model,
  streams: ({ stream }) => stream === true,
  // What is kept could be read by whoever learns its id.
  complete: (body) => ({ ...body, store: false }),
  meter() {
    const meter: Meter = {
      ...{ usage: {}, complete: false, written: 0 },
      read(event) {
        if (typeof event.delta === 'string') meter.written += event.delta.length;
        // An answer that is not streamed is what the last event of a stream holds.
        const { usage } = fields(event.response ?? event);
        const { input_tokens, output_tokens, input_tokens_details } = fields(usage);
        const input = tokens(input_tokens);
        const output = tokens(output_tokens);
        if (input === undefined || output === undefined) return;
        const cached = tokens(fields(input_tokens_details).cached_tokens) ?? 0;
        meter.usage = usageOf(input, output, cached);
        meter.complete = true;
      },
    };
    return meter;
  },
};

/** Tokens from the cache are among those of the input. */
const usageOf = (input: number, output: number, cached: number) => ({
  inputTokens: Math.max(input - cached, 0),
  outputTokens: output,
  ...(cached === 0 ? {} : { cacheReadTokens: Math.min(cached, input) }),
});

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
