import type { Usage } from '../agents/agent.ts';
import { fields } from '../agents/read-update.ts';
import { messagesFields } from './fields/anthropic-messages.ts';
import {
  bearer,
  type Call,
  FREE,
  header,
  type Json,
  type Meter,
  type ModelApi,
  tokens,
} from './model-api.ts';

/** Anthropic's API: messages. */

function meter(body: Json): Meter {
  let told: Json = {};
  const counted: Meter = {
    usage: {},
    complete: false,
    read(event) {
      // What a message has used arrives as it begins, and again, complete, as it ends.
      const usage = fields(fields(event.message ?? event).usage);
      told = { ...told, ...Object.fromEntries(Object.entries(usage).filter(isTold)) };
      counted.usage = usageOf(told, keepsLong(body));
      const ends = event.type === 'message_delta' || event.type === 'message';
      if (ends && tokens(usage.output_tokens) !== undefined)
        counted.complete = counted.usage.inputTokens !== undefined;
    },
  };
  return counted;
}

const isTold = ([, value]: [string, unknown]) => value !== null;

/** `long`: what a provider does not tell apart is counted as what costs more. */
function usageOf(usage: Json, long: boolean): Usage {
  const written = tokens(usage.cache_creation_input_tokens) ?? 0;
  const { ephemeral_1h_input_tokens } = fields(usage.cache_creation);
  const kept = Math.min(tokens(ephemeral_1h_input_tokens) ?? (long ? written : 0), written);
  const all = {
    inputTokens: tokens(usage.input_tokens),
    outputTokens: tokens(usage.output_tokens),
    cacheReadTokens: tokens(usage.cache_read_input_tokens) || undefined,
    cacheWriteTokens: written - kept || undefined,
    longCacheWriteTokens: kept || undefined,
  };
  return Object.fromEntries(Object.entries(all).filter(([, n]) => n !== undefined));
}

/** `ttl` of 1h, wherever a request may have it; a text that looks like it costs nothing but care. */
const keepsLong = (body: Json): boolean => JSON.stringify(body).includes('"ttl":"1h"');

const LEAST_THINKING = 1_024;

/** Thinking is part of an answer, and must be shorter. */
function limited({ thinking, ...body }: Json, tokens: number): Json {
  const { type, budget_tokens, ...how } = fields(thinking);
  const sent = { ...body, max_tokens: tokens };
  if (thinking === undefined) return sent;
  if (type !== 'enabled' || Number(budget_tokens) < tokens) return { ...sent, thinking };
  return tokens > LEAST_THINKING
    ? { ...sent, thinking: { ...how, type, budget_tokens: tokens - 1 } }
    : { ...sent, thinking: { type: 'disabled' } };
}

const messages = {
  fields: messagesFields,
  modelOf: ({ model }) => model,
  complete: (body) => body,
  streams: ({ stream }) => stream === true,
  output: ['max_tokens'],
  limited,
  keepsLong,
  meter,
} satisfies Omit<Call, 'path'>;

/** Answers with a number and costs nothing. */
const countTokens: Omit<Call, 'path'> = { ...messages, ...FREE };

const CALLS: Readonly<Record<string, Omit<Call, 'path'>>> = {
  '/v1/messages': messages,
  '/v1/messages?beta=true': messages,
  '/v1/messages/count_tokens': countTokens,
  '/v1/messages/count_tokens?beta=true': countTokens,
};

export const anthropic: ModelApi = {
  callOf(target) {
    const call = Object.hasOwn(CALLS, target) ? CALLS[target] : undefined;
    return call && { ...call, path: target };
  },
  listPaths: ['/v1/models'],
  list: (id) => ({
    data: [{ type: 'model', id, display_name: id, created_at: '1970-01-01T00:00:00Z' }],
    has_more: false,
    first_id: id,
    last_id: id,
  }),
  credentialOf: (headers) => header(headers, 'x-api-key') ?? bearer(headers),
  authorize: (key) => ({ 'x-api-key': key }),
  headers: {
    'anthropic-version': ['2023-06-01'],
    // Not among them is what has another price (fast answers, contexts of a million tokens), or
    // reaches further than the model.
    'anthropic-beta': [
      'claude-code-20250219',
      'interleaved-thinking-2025-05-14',
      'effort-2025-11-24',
      'fine-grained-tool-streaming-2025-05-14',
      'token-efficient-tools-2025-02-19',
      'prompt-caching-2024-07-31',
      'extended-cache-ttl-2025-04-11',
      'prompt-caching-scope-2026-01-05',
      'context-management-2025-06-27',
      'structured-outputs-2025-11-13',
      'structured-outputs-2025-12-15',
      'advanced-tool-use-2025-11-20',
      'tool-examples-2025-10-29',
      'pdfs-2024-09-25',
      'adaptive-thinking-2026-01-28',
      'redact-thinking-2026-02-12',
      'dev-full-thinking-2025-05-14',
      'output-128k-2025-02-19',
      'task-budgets-2026-03-13',
      'computer-use-2024-10-22',
      'computer-use-2025-01-24',
      'computer-use-2025-11-24',
      'token-counting-2024-11-01',
    ],
  },
  error: (status, message) => ({
    type: 'error',
    error: { type: TYPES[status] ?? 'api_error', message },
  }),
};

const TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  404: 'not_found_error',
  413: 'request_too_large',
};
