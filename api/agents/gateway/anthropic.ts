import { fields } from '../read-update.ts';
import { messagesFields } from './fields/anthropic-messages.ts';
import {
  bearer,
  type Call,
  charactersIn,
  free,
  header,
  type Meter,
  type ModelApi,
  merged,
  tokens,
} from './model-api.ts';

/** Anthropic's API: messages. */

function meter(): Meter {
  const counted: Meter = {
    ...{ usage: {}, complete: false, written: 0 },
    read(event) {
      if (event.type === 'content_block_delta')
        counted.written += charactersIn({ ...fields(event.delta), type: undefined });
      // Those of the message arrive as it begins, and again, complete, as it ends.
      const told = usageOf(fields(event.message ?? event).usage);
      counted.usage = merged(counted.usage, told);
      const ends = event.type === 'message_delta' || event.type === 'message';
      if (ends && told.outputTokens !== undefined && counted.usage.inputTokens !== undefined)
        counted.complete = true;
    },
  };
  return counted;
}

function usageOf(value: unknown) {
  const usage = fields(value);
  return {
    inputTokens: tokens(usage.input_tokens),
    outputTokens: tokens(usage.output_tokens),
    cacheReadTokens: tokens(usage.cache_read_input_tokens) || undefined,
    cacheWriteTokens: tokens(usage.cache_creation_input_tokens) || undefined,
  };
}

const messages = {
  fields: messagesFields,
  modelOf: ({ model }) => model,
  complete: (body) => body,
  streams: ({ stream }) => stream === true,
  meter,
} satisfies Omit<Call, 'path'>;

/** Answers with a number and costs nothing. */
const countTokens: Omit<Call, 'path'> = { ...messages, streams: () => false, meter: free };

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
    ...{ has_more: false, first_id: id, last_id: id },
  }),
  credentialOf: (headers) => header(headers, 'x-api-key') ?? bearer(headers),
  authorize: (key) => ({ 'x-api-key': key }),
  headers: {
    'anthropic-version': ['2023-06-01'],
    // Not among them is what has another price (fast answers, contexts of a million tokens), or
    // reaches further than the model.
    'anthropic-beta': [
      ...['claude-code-20250219', 'interleaved-thinking-2025-05-14', 'effort-2025-11-24'],
      ...['fine-grained-tool-streaming-2025-05-14', 'token-efficient-tools-2025-02-19'],
      ...['prompt-caching-2024-07-31', 'extended-cache-ttl-2025-04-11'],
      ...['prompt-caching-scope-2026-01-05', 'context-management-2025-06-27'],
      ...['structured-outputs-2025-11-13', 'structured-outputs-2025-12-15'],
      ...['advanced-tool-use-2025-11-20', 'tool-examples-2025-10-29', 'pdfs-2024-09-25'],
      ...['adaptive-thinking-2026-01-28', 'redact-thinking-2026-02-12'],
      ...['dev-full-thinking-2025-05-14', 'output-128k-2025-02-19', 'task-budgets-2026-03-13'],
      ...['computer-use-2024-10-22', 'computer-use-2025-01-24', 'computer-use-2025-11-24'],
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
