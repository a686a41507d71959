import { fields } from '../read-update.ts';
import {
  bearer,
  type Call,
  charactersIn,
  header,
  type Json,
  type Meter,
  type ModelApi,
  merged,
  tokens,
} from './model-api.ts';

/** Anthropic's API: messages. */

/** Tools that the agent runs itself: its own, and those whose form the provider knows. */
const OWN_TOOL = /^(custom|bash_|text_editor_|memory_|computer_)/;

/** Without what the provider would run, what changes the price, and what needs files of its own. */
function prepare({ tools, mcp_servers, container, service_tier, ...body }: Json): Json {
  if (!Array.isArray(tools)) return body;
  const own = tools.filter((tool) => {
    const { type } = fields(tool);
    return type === undefined || type === null || OWN_TOOL.test(String(type));
  });
  return own.length === 0 ? body : { ...body, tools: own };
}

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

const messages: Omit<Call, 'path'> = {
  ...{ prepare, meter },
  modelOf: ({ model }) => model,
  streams: ({ stream }) => stream === true,
};

/** Answers with a number and costs nothing. */
const countTokens: Omit<Call, 'path'> = {
  ...{ prepare },
  modelOf: ({ model }) => model,
  streams: () => false,
  meter: () => ({ usage: {}, complete: true, written: 0, read: () => undefined }),
};

export const anthropic: ModelApi = {
  callOf(method, path, query) {
    if (method !== 'POST') return undefined;
    const sent = query === '?beta=true' ? query : '';
    if (path === '/v1/messages') return { ...messages, path: `/v1/messages${sent}` };
    if (path === '/v1/messages/count_tokens')
      return { ...countTokens, path: `/v1/messages/count_tokens${sent}` };
    return undefined;
  },
  listPaths: ['/v1/models'],
  list: (id) => ({
    data: [{ type: 'model', id, display_name: id, created_at: '1970-01-01T00:00:00Z' }],
    ...{ has_more: false, first_id: id, last_id: id },
  }),
  credentialOf: (headers) => header(headers, 'x-api-key') ?? bearer(headers),
  authorize: (key) => ({ 'x-api-key': key }),
  passes: ['anthropic-version', 'anthropic-beta'],
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
