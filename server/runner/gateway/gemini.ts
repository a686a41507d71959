import { fields, items } from '../agents/read-update.ts';
import { geminiFields } from './fields/gemini-content.ts';
import { FREE, header, type Meter, type ModelApi, tokens } from './model-api.ts';

/** Google's Gemini API: the content that a model generates, streamed or not. */

function meter(): Meter {
  const counted: Meter = {
    usage: {},
    complete: false,
    read({ candidates, promptFeedback, usageMetadata }) {
      const all = items(candidates).map(fields);
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

// Without `alt=sse` a stream is one JSON list, which only its end completes.
const TARGET =
  /^\/v1(?:beta)?\/models\/([\w.-]+):(generateContent|streamGenerateContent(?=\?alt=sse$)|countTokens)(?:\?alt=sse)?$/;

export const gemini: ModelApi = {
  callOf(target) {
    const [, model, verb] = TARGET.exec(target) ?? [];
    if (verb === undefined) return undefined;
    return {
      path: target,
      fields: geminiFields,
      modelOf: () => model,
      complete: (body) => body,
      streams: () => verb === 'streamGenerateContent',
      output: ['generationConfig.maxOutputTokens'],
      limited: (body, tokens) => ({
        ...body,
        generationConfig: { ...fields(body.generationConfig), maxOutputTokens: tokens },
      }),
      meter,
      ...(verb === 'countTokens' ? FREE : {}),
    };
  },
  listPaths: ['/v1/models', '/v1beta/models'],
  list: (model) => ({
    models: [
      {
        name: `models/${model}`,
        displayName: model,
        supportedGenerationMethods: ['generateContent', 'countTokens'],
      },
    ],
  }),
  credentialOf: (headers) => header(headers, 'x-goog-api-key'),
  authorize: (key) => ({ 'x-goog-api-key': key }),
  headers: {},
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
