import { fields, items } from '../read-update.ts';
import {
  type Call,
  charactersIn,
  header,
  type Json,
  type Meter,
  type ModelApi,
  tokens,
} from './model-api.ts';

/** Google's Gemini API: the content that a model generates, streamed or not. */

/** Only functions of the agent's own: others are run by the provider. */
function prepare({ tools, cachedContent, ...body }: Json): Json {
  const own = items(tools).flatMap((tool) => {
    const { functionDeclarations } = fields(tool);
    return functionDeclarations === undefined ? [] : [{ functionDeclarations }];
  });
  return own.length === 0 ? body : { ...body, tools: own };
}

function meter(): Meter {
  const counted: Meter = {
    ...{ usage: {}, complete: false, written: 0 },
    read({ candidates, promptFeedback, usageMetadata }) {
      const all = items(candidates).map(fields);
      for (const { content } of all) counted.written += charactersIn(fields(content).parts);
      const usage = fields(usageMetadata);
      const input = tokens(usage.promptTokenCount);
      if (input === undefined) return;
      const cached = Math.min(tokens(usage.cachedContentTokenCount) ?? 0, input);
      const output = tokens(usage.candidatesTokenCount) ?? 0;
      // Each chunk says what the answer has used until then.
      counted.usage = {
        inputTokens: input - cached + (tokens(usage.toolUsePromptTokenCount) ?? 0),
        outputTokens: output + (tokens(usage.thoughtsTokenCount) ?? 0),
        ...(cached === 0 ? {} : { cacheReadTokens: cached }),
      };
      counted.complete =
        promptFeedback !== undefined || all.some((one) => one.finishReason !== undefined);
    },
  };
  return counted;
}

const PATH =
  /^\/(v1|v1beta)\/models\/([\w.-]+):(generateContent|streamGenerateContent|countTokens)$/;

export const gemini: ModelApi = {
  callOf(method, path, query) {
    const [, version, model, verb] = PATH.exec(path) ?? [];
    if (method !== 'POST' || verb === undefined) return undefined;
    const streams = verb === 'streamGenerateContent';
    // Without `alt=sse` a stream is one JSON list, which only its end completes.
    if (streams && query !== '?alt=sse') return undefined;
    const free = { usage: {}, complete: true, written: 0, read: () => undefined };
    return {
      path: `/${version}/models/${model}:${verb}${streams ? query : ''}`,
      ...{ prepare, modelOf: () => model, streams: () => streams },
      meter: verb === 'countTokens' ? () => free : meter,
    } satisfies Call;
  },
  listPaths: ['/v1/models', '/v1beta/models'],
  list: (model) => ({
    models: [
      {
        ...{ name: `models/${model}`, displayName: model },
        supportedGenerationMethods: ['generateContent', 'countTokens'],
      },
    ],
  }),
  credentialOf: (headers) => header(headers, 'x-goog-api-key'),
  authorize: (key) => ({ 'x-goog-api-key': key }),
  passes: [],
  error: (status, message) => ({
    error: { code: status, message, status: STATUSES[status] ?? 'UNAVAILABLE' },
  }),
};

const STATUSES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'RESOURCE_EXHAUSTED',
  404: 'NOT_FOUND',
  413: 'INVALID_ARGUMENT',
};
