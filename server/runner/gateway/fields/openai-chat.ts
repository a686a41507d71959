import { byType, either, type Fields, oneOf, onlyDefault, type Rule } from './rules.ts';

/** What may pass of a request for chat completions, as OpenAI and many others have them. */

/** One that is kept longer costs more, and answers do not tell it. */
const cache: Rule = { type: oneOf('ephemeral'), ttl: oneOf('5m') };

const content: Rule = either('message text', [
  byType({
    text: { text: 'message text', cache_control: cache },
    refusal: { refusal: 'text' },
    image_url: {
      image_url: { url: 'image address', detail: 'text' },
      min_pixels: 'number',
      max_pixels: 'number',
      cache_control: cache,
    },
    video_url: { video_url: { url: 'file' } },
    input_audio: { input_audio: { data: 'file', format: 'text' } },
    file: { file: { file_data: 'file', filename: 'text' } },
  }),
]);

const message: Rule = {
  role: oneOf('system', 'developer', 'user', 'assistant', 'tool', 'function'),
  content,
  name: 'text',
  tool_call_id: 'text',
  tool_calls: [
    {
      id: 'text',
      index: 'number',
      type: oneOf('function', 'custom'),
      function: { name: 'text', arguments: 'text' },
      custom: { name: 'text', input: 'text' },
      extra_content: { google: { thought_signature: 'text' } },
    },
  ],
  function_call: { name: 'text', arguments: 'text' },
  refusal: 'text',
  reasoning: 'text',
  reasoning_content: 'text',
  reasoning_details: 'json',
  annotations: 'left out',
  partial: 'flag',
  prefix: 'flag',
  cache_control: cache,
};

/** The agent runs these itself. What the provider would run is left out. */
const tool: Rule = byType(
  {
    function: {
      function: { name: 'text', description: 'text', parameters: 'schema', strict: 'flag' },
      cache_control: cache,
    },
    custom: {
      custom: {
        name: 'text',
        description: 'text',
        format: byType({
          text: {},
          grammar: { grammar: { syntax: 'text', definition: 'text' } },
        }),
      },
    },
  },
  { othersLeftOut: true },
);

export const chatFields: Fields = {
  model: 'text',
  messages: [message],
  stream: 'flag',
  stream_options: { include_usage: 'flag', include_obfuscation: 'left out' },
  tools: [tool],
  tool_choice: either(
    'text',
    byType({
      function: { function: { name: 'text' } },
      custom: { custom: { name: 'text' } },
      allowed_tools: { allowed_tools: { mode: 'text', tools: 'json' } },
    }),
  ),
  parallel_tool_calls: 'flag',
  functions: [{ name: 'text', description: 'text', parameters: 'schema' }],
  function_call: either('text', { name: 'text' }),
  max_tokens: 'number',
  max_completion_tokens: 'number',
  response_format: byType({
    text: {},
    json_object: {},
    json_schema: {
      json_schema: { name: 'text', description: 'text', schema: 'schema', strict: 'flag' },
    },
  }),
  reasoning_effort: 'text',
  reasoning: {
    effort: 'text',
    max_tokens: 'number',
    exclude: 'flag',
    enabled: 'flag',
    summary: 'text',
  },
  reasoning_split: 'flag',
  thinking: { type: 'text', budget_tokens: 'number', clear_thinking: 'flag' },
  enable_thinking: 'flag',
  thinking_budget: 'number',
  preserve_thinking: 'flag',
  chat_template_kwargs: {
    enable_thinking: 'flag',
    thinking: 'flag',
    clear_thinking: 'flag',
    preserve_thinking: 'flag',
    thinking_budget: 'number',
    reasoning_effort: 'text',
  },
  verbosity: 'text',
  temperature: 'number',
  top_p: 'number',
  top_k: 'number',
  min_p: 'number',
  frequency_penalty: 'number',
  presence_penalty: 'number',
  repetition_penalty: 'number',
  logit_bias: 'json',
  logprobs: 'flag',
  top_logprobs: 'number',
  seed: 'number',
  stop: either('text', ['text']),
  tool_stream: 'flag',
  vl_high_resolution_images: 'flag',
  prompt_cache_key: 'text',
  modalities: [oneOf('text')],
  // Several answers would be several times the cost.
  n: onlyDefault(1),
  service_tier: onlyDefault('auto', 'default'),
  enable_search: onlyDefault(false),
  store: 'left out',
  metadata: 'left out',
  user: 'left out',
  safety_identifier: 'left out',
  prompt_cache_retention: 'left out',
  usage: 'left out',
};
