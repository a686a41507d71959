import { byType, each, either, type Fields, oneOf, onlyDefault, type Rule } from './rules.ts';

/** What may pass of a request to Anthropic's messages, or to count their tokens. */

const cache: Rule = {
  type: oneOf('ephemeral'),
  ttl: oneOf('5m', '1h'),
  scope: 'left out',
};

const text: Fields = { text: 'text', citations: 'json', cache_control: cache };

const image: Fields = {
  source: byType({
    base64: {
      media_type: oneOf('image/png', 'image/jpeg', 'image/gif', 'image/webp'),
      data: 'image bytes',
    },
  }),
  cache_control: cache,
};

const document: Fields = {
  source: byType({
    base64: { media_type: oneOf('application/pdf'), data: 'file' },
    text: { media_type: oneOf('text/plain'), data: 'text' },
    content: { content: either('text', [byType({ text, image })]) },
  }),
  title: 'text',
  context: 'text',
  citations: { enabled: 'flag' },
  cache_control: cache,
};

const searchResult: Fields = {
  source: 'text',
  title: 'text',
  content: [byType({ text })],
  citations: { enabled: 'flag' },
  cache_control: cache,
};

const message: Rule = {
  role: oneOf('user', 'assistant', 'system'),
  content: either('text', [
    byType({
      text,
      image,
      document,
      search_result: searchResult,
      thinking: { thinking: 'text', signature: 'text' },
      redacted_thinking: { data: 'text' },
      tool_use: {
        id: 'text',
        name: 'text',
        input: 'json',
        caller: byType({ direct: {} }),
        cache_control: cache,
      },
      tool_result: {
        tool_use_id: 'text',
        is_error: 'flag',
        content: either('text', [
          byType({
            text,
            image,
            document,
            search_result: searchResult,
            tool_reference: { tool_name: 'text', cache_control: cache },
          }),
        ]),
        cache_control: cache,
      },
    }),
  ]),
};

const tool: Fields = {
  name: 'text',
  strict: 'flag',
  defer_loading: 'flag',
  input_examples: 'json',
  allowed_callers: [oneOf('direct')],
  cache_control: cache,
};

const custom: Fields = {
  ...tool,
  description: 'text',
  input_schema: 'schema',
  eager_input_streaming: 'flag',
};

/** The agent runs these itself, also those whose form the provider knows. */
const tools: Rule = [
  byType(
    {
      custom,
      ...each(['bash_20241022', 'bash_20250124', 'memory_20250818'], tool),
      ...each(
        [
          'text_editor_20241022',
          'text_editor_20250124',
          'text_editor_20250429',
          'text_editor_20250728',
        ],
        { ...tool, max_characters: 'number' },
      ),
      ...each(['computer_20241022', 'computer_20250124', 'computer_20251124'], {
        ...tool,
        display_width_px: 'number',
        display_height_px: 'number',
        display_number: 'number',
        enable_zoom: 'flag',
      }),
    },
    { untyped: custom, othersLeftOut: true },
  ),
];

const format: Rule = byType({ json_schema: { schema: 'schema' } });

export const messagesFields: Fields = {
  model: 'text',
  messages: [message],
  system: either('text', [byType({ text })]),
  max_tokens: 'number',
  stream: 'flag',
  stop_sequences: ['text'],
  temperature: 'number',
  top_k: 'number',
  top_p: 'number',
  thinking: byType({
    enabled: { budget_tokens: 'number', display: 'text' },
    adaptive: { display: 'text' },
    disabled: {},
  }),
  tools,
  tool_choice: byType(
    each(['auto', 'any', 'none', 'tool'], { name: 'text', disable_parallel_tool_use: 'flag' }),
  ),
  cache_control: cache,
  // What clears costs nothing. What compacts asks the model once more, which usage does not tell.
  context_management: {
    edits: [
      byType({
        clear_tool_uses_20250919: {
          trigger: 'json',
          keep: 'json',
          clear_at_least: 'json',
          exclude_tools: ['text'],
          clear_tool_inputs: either('flag', ['text']),
        },
        clear_thinking_20251015: { keep: 'json' },
      }),
    ],
  },
  output_config: {
    effort: 'text',
    format,
    task_budget: { type: 'text', total: 'number', remaining: 'number' },
  },
  output_format: format,
  speed: onlyDefault('standard'),
  service_tier: onlyDefault('auto', 'standard_only'),
  metadata: 'left out',
  diagnostics: 'left out',
};
