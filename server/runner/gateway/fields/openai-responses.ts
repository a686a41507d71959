import { byType, either, type Fields, oneOf, onlyDefault, type Rule, required } from './rules.ts';

/**
 * What may pass of a request for OpenAI's responses. Ids of items are left out: the provider would
 * look up what it has kept of them, whoever they belong to.
 */

const content: Rule = either('text', [
  byType({
    input_text: { text: 'text' },
    output_text: { text: 'text', annotations: 'left out', logprobs: 'left out' },
    text: { text: 'text' },
    summary_text: { text: 'text' },
    reasoning_text: { text: 'text' },
    refusal: { refusal: 'text' },
    input_image: { image_url: 'image address', detail: 'text' },
    input_file: { file_data: 'file', filename: 'text', detail: 'text' },
    input_audio: { input_audio: { data: 'file', format: 'text' } },
  }),
]);

const message: Fields = {
  id: 'left out',
  role: oneOf('user', 'assistant', 'system', 'developer'),
  content,
  status: 'text',
  phase: 'text',
};

const call: Fields = { id: 'left out', call_id: 'text', status: 'text' };

const local: Rule = byType({
  local: { skills: [{ name: 'text', description: 'text', path: 'text' }] },
});

const ownTool = {
  name: 'text',
  description: 'text',
  defer_loading: 'flag',
  allowed_callers: [oneOf('direct')],
} satisfies Fields;

const functionTool: Fields = {
  ...ownTool,
  parameters: 'schema',
  output_schema: 'schema',
  strict: 'flag',
};

const customTool: Fields = {
  ...ownTool,
  format: byType({ text: {}, grammar: { syntax: 'text', definition: 'text' } }),
};

/** The agent runs these itself. What the provider would run is left out. */
const tools: Rule = [
  byType(
    {
      function: functionTool,
      custom: customTool,
      local_shell: {},
      // Without it, the provider would choose where the shell is.
      shell: { environment: required(local), allowed_callers: [oneOf('direct')] },
      apply_patch: { allowed_callers: [oneOf('direct')] },
      namespace: {
        name: 'text',
        description: 'text',
        tools: [byType({ function: functionTool, custom: customTool }, { othersLeftOut: true })],
      },
      tool_search: {
        execution: required(oneOf('client')),
        description: 'text',
        parameters: 'schema',
      },
    },
    { othersLeftOut: true },
  ),
];

const item: Rule = byType(
  {
    message,
    reasoning: {
      id: 'left out',
      summary: content,
      content,
      encrypted_content: 'text',
      status: 'text',
    },
    function_call: { ...call, name: 'text', namespace: 'text', arguments: 'text' },
    function_call_output: { ...call, output: content },
    custom_tool_call: { ...call, name: 'text', namespace: 'text', input: 'text' },
    custom_tool_call_output: { ...call, output: content },
    local_shell_call: {
      ...call,
      action: {
        type: oneOf('exec'),
        command: ['text'],
        env: 'json',
        timeout_ms: 'number',
        user: 'text',
        working_directory: 'text',
      },
    },
    local_shell_call_output: { ...call, output: 'text' },
    shell_call: {
      ...call,
      action: { commands: ['text'], timeout_ms: 'number', max_output_length: 'number' },
      environment: local,
    },
    shell_call_output: {
      ...call,
      max_output_length: 'number',
      output: [
        {
          stdout: 'text',
          stderr: 'text',
          outcome: byType({ exit: { exit_code: 'number' }, timeout: {} }),
        },
      ],
    },
    apply_patch_call: {
      ...call,
      operation: { type: 'text', path: 'text', diff: 'text' },
    },
    apply_patch_call_output: { ...call, output: 'text' },
    tool_search_call: { ...call, execution: required(oneOf('client')), arguments: 'json' },
    tool_search_output: { ...call, execution: required(oneOf('client')), tools },
  },
  { untyped: message },
);

export const responsesFields: Fields = {
  model: 'text',
  input: either('text', [item]),
  instructions: 'text',
  stream: 'flag',
  stream_options: { include_obfuscation: 'flag' },
  tools,
  tool_choice: either(
    'text',
    byType({
      function: { name: 'text' },
      custom: { name: 'text' },
      allowed_tools: { mode: 'text', tools: 'json' },
      shell: {},
      apply_patch: {},
    }),
  ),
  parallel_tool_calls: 'flag',
  max_tool_calls: 'number',
  max_output_tokens: 'number',
  reasoning: {
    effort: 'text',
    summary: 'text',
    generate_summary: 'text',
    context: 'text',
    mode: onlyDefault('standard'),
  },
  text: {
    verbosity: 'text',
    format: byType({
      text: {},
      json_object: {},
      json_schema: { name: 'text', description: 'text', schema: 'schema', strict: 'flag' },
    }),
  },
  include: [oneOf('reasoning.encrypted_content', 'message.output_text.logprobs')],
  temperature: 'number',
  top_p: 'number',
  top_logprobs: 'number',
  truncation: 'text',
  prompt_cache_key: 'text',
  background: onlyDefault(false),
  service_tier: onlyDefault('auto', 'default'),
  store: 'left out',
  metadata: 'left out',
  client_metadata: 'left out',
  user: 'left out',
  safety_identifier: 'left out',
  prompt_cache_retention: 'left out',
};
