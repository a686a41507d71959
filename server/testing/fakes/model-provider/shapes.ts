import { randomUUID } from 'node:crypto';

/** The answers of model providers, as a script's reply in each of their APIs. */

export interface Reply {
  text: string;
  /** A tool that the model calls after the text. */
  tool?: { name: string; input: object; id?: string };
  /** `input` includes `cached`; undefined for an answer that does not tell. */
  usage?: { input: number; output: number; cached: number };
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of several APIs, as their clients send them.
type Body = any;

/** What a script sees of a request. */
export interface Asked {
  model: string;
  /** Names of the tools that the model may call. */
  tools: string[];
  /** Whether the last message is the result of a tool. */
  afterTool: boolean;
  /** Everything that the model was sent, as JSON. */
  all: string;
}

interface Shape {
  path: RegExp;
  streams(path: string, body: Body): boolean;
  asked(path: string, body: Body): Omit<Asked, 'all'>;
  whole(asked: Omit<Asked, 'all'>, reply: Reply): object;
  /** Events of a stream, with their names where the API has names. */
  stream(asked: Omit<Asked, 'all'>, reply: Reply, body: Body): { event?: string; data: object }[];
  /** What ends a stream. */
  end: string;
}

const pieces = (text: string) => text.match(/[\s\S]{1,8}/g) ?? [];

const openaiUsage = ({ usage }: Reply) =>
  usage && {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached },
  };
const openaiCall = ({ tool }: Reply) =>
  tool && {
    index: 0,
    id: tool.id ?? 'call-1',
    type: 'function',
    function: { name: tool.name, arguments: JSON.stringify(tool.input) },
  };

const chat: Shape = {
  path: /^\/v1\/chat\/completions$/,
  streams: (_, body) => body.stream === true,
  asked: (_, { model, tools = [], messages = [] }) => ({
    model,
    tools: tools.map((tool: Body) => tool.function.name),
    afterTool: messages.at(-1)?.role === 'tool',
  }),
  whole: ({ model }, reply) => ({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [
      {
        index: 0,
        finish_reason: reply.tool ? 'tool_calls' : 'stop',
        message: {
          role: 'assistant',
          content: reply.text,
          ...(reply.tool ? { tool_calls: [openaiCall(reply)] } : {}),
        },
      },
    ],
    usage: openaiUsage(reply),
  }),
  stream({ model }, reply, body) {
    const base = { id: 'c', object: 'chat.completion.chunk', created: 1, model };
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      data: { ...base, choices: [{ index: 0, delta, finish_reason }] },
    });
    const told = reply.usage !== undefined && body.stream_options?.include_usage === true;
    return [
      chunk({ role: 'assistant', content: '' }),
      ...pieces(reply.text).map((content) => chunk({ content })),
      ...(reply.tool ? [chunk({ tool_calls: [openaiCall(reply)] })] : []),
      chunk({}, reply.tool ? 'tool_calls' : 'stop'),
      ...(told ? [{ data: { ...base, choices: [], usage: openaiUsage(reply) } }] : []),
    ];
  },
  end: 'data: [DONE]\n\n',
};

const responsesItems = ({ text, tool }: Reply) => [
  {
    type: 'message',
    id: 'm1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  },
  ...(tool
    ? [
        {
          type: 'function_call',
          id: 'f1',
          status: 'completed',
          call_id: tool.id ?? 'call-1',
          name: tool.name,
          arguments: JSON.stringify(tool.input),
        },
      ]
    : []),
];
const responsesAnswer = (model: string, reply: Reply) => ({
  id: 'r',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model,
  output: responsesItems(reply),
  usage: reply.usage && {
    input_tokens: reply.usage.input,
    input_tokens_details: { cached_tokens: reply.usage.cached },
    output_tokens: reply.usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: reply.usage.input + reply.usage.output,
  },
});

const responses: Shape = {
  path: /^\/v1\/responses$/,
  streams: (_, body) => body.stream === true,
  asked: (_, { model, tools = [], input = [] }) => ({
    model,
    tools: tools.map((tool: Body) => tool.name ?? tool.type),
    afterTool: /_output$/.test(input.at(-1)?.type ?? ''),
  }),
  whole: ({ model }, reply) => responsesAnswer(model, reply),
  stream({ model }, reply) {
    const event = (type: string, data: object) => ({ event: type, data: { type, ...data } });
    const [message, ...calls] = responsesItems(reply);
    return [
      event('response.created', { response: { id: 'r', object: 'response', model } }),
      event('response.output_item.added', { output_index: 0, item: { ...message, content: [] } }),
      ...pieces(reply.text).map((delta) =>
        event('response.output_text.delta', {
          item_id: 'm1',
          output_index: 0,
          content_index: 0,
          delta,
        }),
      ),
      ...[message, ...calls].map((item, i) =>
        event('response.output_item.done', { output_index: i, item }),
      ),
      event('response.completed', { response: responsesAnswer(model, reply) }),
    ];
  },
  end: '',
};

const anthropicUsage = ({ usage }: Reply) =>
  usage && {
    input_tokens: usage.input - usage.cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cached,
    output_tokens: usage.output,
  };
const anthropicBlocks = ({ text, tool }: Reply) => [
  { type: 'text', text },
  ...(tool
    ? [{ type: 'tool_use', id: tool.id ?? 'call-1', name: tool.name, input: tool.input }]
    : []),
];

/** Agents take answers of the same id for parts of one. */
const messageId = () => `msg_${randomUUID()}`;

const messages: Shape = {
  path: /^\/v1\/messages(\?|$)/,
  streams: (_, body) => body.stream === true,
  asked: (_, { model, tools = [], messages: sent = [] }) => ({
    model,
    tools: tools.map((tool: Body) => tool.name),
    afterTool: JSON.stringify(sent.at(-1) ?? '').includes('"tool_result"'),
  }),
  whole: ({ model }, reply) => ({
    id: messageId(),
    type: 'message',
    role: 'assistant',
    model,
    content: anthropicBlocks(reply),
    stop_reason: reply.tool ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: anthropicUsage(reply),
  }),
  stream({ model }, reply) {
    const event = (type: string, data: object = {}) => ({ event: type, data: { type, ...data } });
    const usage = anthropicUsage(reply);
    const message = { id: messageId(), type: 'message', role: 'assistant', model, content: [] };
    const begun = usage && { ...usage, output_tokens: 1 };
    const block = (index: number, content_block: object, deltas: object[]) => [
      event('content_block_start', { index, content_block }),
      ...deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ];
    const texts = pieces(reply.text).map((text) => ({ type: 'text_delta', text }));
    const { name, input } = reply.tool ?? {};
    const call = { type: 'tool_use', id: reply.tool?.id ?? 'call-1', name, input: {} };
    const json = { type: 'input_json_delta', partial_json: JSON.stringify(input) };
    return [
      event('message_start', { message: { ...message, stop_reason: null, usage: begun } }),
      ...block(0, { type: 'text', text: '' }, texts),
      ...(reply.tool ? block(1, call, [json]) : []),
      event('message_delta', {
        delta: { stop_reason: reply.tool ? 'tool_use' : 'end_turn', stop_sequence: null },
        usage: usage && { output_tokens: usage.output_tokens },
      }),
      event('message_stop'),
    ];
  },
  end: '',
};

const geminiAnswer = (model: string, { text, tool, usage }: Reply) => ({
  candidates: [
    {
      index: 0,
      finishReason: 'STOP',
      content: {
        role: 'model',
        parts: [
          { text },
          ...(tool ? [{ functionCall: { name: tool.name, args: tool.input } }] : []),
        ],
      },
    },
  ],
  usageMetadata: usage && {
    promptTokenCount: usage.input,
    cachedContentTokenCount: usage.cached,
    candidatesTokenCount: usage.output,
    totalTokenCount: usage.input + usage.output,
  },
  modelVersion: model,
});

const gemini: Shape = {
  path: /^\/v1beta\/models\/[^/]+:(streamGenerateContent|generateContent)(\?|$)/,
  streams: (path) => path.includes(':streamGenerateContent'),
  asked: (path, { tools = [], contents = [] }) => ({
    model: /models\/([^/:]+):/.exec(path)?.[1] ?? '',
    tools: tools.flatMap((tool: Body) =>
      (tool.functionDeclarations ?? []).map((one: Body) => one.name),
    ),
    afterTool: JSON.stringify(contents.at(-1) ?? '').includes('"functionResponse"'),
  }),
  whole: ({ model }, reply) => geminiAnswer(model, reply),
  stream: ({ model }, reply) => [{ data: geminiAnswer(model, reply) }],
  end: '',
};

export const SHAPES: readonly Shape[] = [chat, responses, messages, gemini];
