import {
  byType,
  each,
  either,
  FILES,
  type Fields,
  IMAGES,
  oneOf,
  onlyDefault,
  type Rule,
} from './rules.ts';

/** What may pass of a request for content that Gemini generates, or to count its tokens. */

const inlineData: Rule = byType(
  {
    ...each(IMAGES, { data: 'image bytes', displayName: 'left out' }),
    ...each(FILES, { data: 'file', displayName: 'left out' }),
  },
  { key: 'mimeType' },
);

const content: Rule = {
  role: oneOf('user', 'model', 'function', 'system'),
  parts: [
    {
      text: 'text',
      thought: 'flag',
      thoughtSignature: 'text',
      inlineData,
      videoMetadata: { startOffset: 'text', endOffset: 'text', fps: 'number' },
      mediaResolution: { level: 'text' },
      functionCall: { id: 'text', name: 'text', args: 'json' },
      functionResponse: {
        id: 'text',
        name: 'text',
        response: 'json',
        parts: [{ inlineData }],
        scheduling: 'text',
        willContinue: 'flag',
      },
    },
  ],
};

/** The agent runs its functions itself. What the provider would run is left out. */
const tool: Rule = {
  functionDeclarations: [
    {
      name: 'text',
      description: 'text',
      behavior: 'text',
      parameters: 'schema',
      parametersJsonSchema: 'schema',
      response: 'schema',
      responseJsonSchema: 'schema',
    },
  ],
  googleSearch: 'left out',
  googleSearchRetrieval: 'left out',
  googleMaps: 'left out',
  urlContext: 'left out',
  codeExecution: 'left out',
  computerUse: 'left out',
  fileSearch: 'left out',
};

export const geminiFields: Fields = {
  contents: either(content, [content]),
  systemInstruction: content,
  tools: [tool],
  toolConfig: {
    functionCallingConfig: {
      mode: 'text',
      allowedFunctionNames: ['text'],
      streamFunctionCallArguments: 'flag',
    },
  },
  safetySettings: [{ category: 'text', threshold: 'text', method: 'text' }],
  generationConfig: {
    maxOutputTokens: 'number',
    stopSequences: ['text'],
    temperature: 'number',
    topP: 'number',
    topK: 'number',
    seed: 'number',
    presencePenalty: 'number',
    frequencyPenalty: 'number',
    responseLogprobs: 'flag',
    logprobs: 'number',
    responseMimeType: 'text',
    responseSchema: 'schema',
    responseJsonSchema: 'schema',
    // Others are of another price.
    responseModalities: [oneOf('TEXT')],
    mediaResolution: 'text',
    thinkingConfig: {
      includeThoughts: 'flag',
      thinkingBudget: 'number',
      thinkingLevel: 'text',
    },
    // Several answers would be several times the cost.
    candidateCount: onlyDefault(1),
  },
  labels: 'left out',
  store: 'left out',
};
