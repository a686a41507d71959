import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Api } from '../../platform/catalog/agent-fields.ts';
import { ask, MODEL, makeGateway } from '../../testing/fixtures/runner/gateway.ts';

/**
 * What a pod could reach, or have others pay, through the provider: each request is refused, and the
 * provider sees nothing of it.
 */

const ADDRESS = 'https://attacker.example/?secret';
const say = (content: unknown) => ({ messages: [{ role: 'user', content }] });
const input = (...content: unknown[]) => ({ input: [{ role: 'user', content }] });
const parts = (...all: unknown[]) => ({ contents: [{ role: 'user', parts: all }] });
const own = { type: 'function', name: 'edit', parameters: {} };

const CHAT = '/v1/chat/completions';
const RESPONSES = '/v1/responses';
const _MESSAGES = '/v1/messages';
const GEMINI = `/v1beta/models/${MODEL}:generateContent`;

interface Attack {
  api: Api;
  path: string;
  body: object;
  /** The field that the error names. */
  field: string;
}
const attacks = (api: Api, path: string, bodies: Record<string, object>): Attack[] =>
  Object.entries(bodies).map(([field, body]) => ({ api, path, body, field }));

const ATTACKS = [
  ...attacks('openai', CHAT, {
    'messages[0].content[0].image_url.url': say([
      { type: 'image_url', image_url: { url: ADDRESS } },
    ]),
    'messages[0].content[0].video_url.url': say([
      { type: 'video_url', video_url: { url: ADDRESS } },
    ]),
    'messages[0].content[0].file.file_id': say([{ type: 'file', file: { file_id: 'file-1' } }]),
    'messages[0].content[0].file.file_data': say([{ type: 'file', file: { file_data: ADDRESS } }]),
    'messages[0].content': { messages: [{ role: 'system', content: ' fileid://file-1' }] },
    'messages[0].content[0].text': say([{ type: 'text', text: 'FILEID://file-1,fileid://file-2' }]),
    'messages[0].audio': { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] },
    web_search_options: { ...say('Hello'), web_search_options: {} },
    models: { ...say('Hello'), models: ['dear'] },
    provider: { ...say('Hello'), provider: { order: ['dear'] } },
    plugins: { ...say('Hello'), plugins: [{ id: 'web' }] },
    route: { ...say('Hello'), route: 'fallback' },
    preset: { ...say('Hello'), preset: 'mine' },
    service_tier: { ...say('Hello'), service_tier: 'priority' },
    n: { ...say('Hello'), n: 128 },
    'modalities[1]': { ...say('Hello'), modalities: ['text', 'audio'] },
    prediction: { ...say('Hello'), prediction: { type: 'content', content: 'Hello' } },
    'tools[0].function.parameters.$ref': {
      ...say('Hello'),
      tools: [{ type: 'function', function: { name: 'edit', parameters: { $ref: ADDRESS } } }],
    },
    Tools: { ...say('Hello'), Tools: [{ type: 'web_search' }] },
    ['__proto__']: JSON.parse('{"messages": [], "__proto__": {"tools": []}}'),
    constructor: { ...say('Hello'), constructor: { tools: [] } },
  }),
  ...attacks('openai', RESPONSES, {
    'tools[0].environment.type': {
      input: 'Hello',
      tools: [{ type: 'shell', environment: { type: 'container_auto' } }],
    },
    'tools[0].environment.container_id': {
      input: 'Hello',
      tools: [{ type: 'shell', environment: { type: 'local', container_id: 'c' } }],
    },
    'tools[0].environment': { input: 'Hello', tools: [{ type: 'shell' }] },
    'tools[0].x': {
      input: 'Hello',
      tools: [{ type: 'namespace', name: 'n', description: 'd', x: 1, tools: [own] }],
    },
    'input[0].content[0].image_url': input({ type: 'input_image', image_url: ADDRESS }),
    'input[0].content[0].file_id': input({ type: 'input_image', file_id: 'file-1' }),
    'input[0].content[0].file_url': input({ type: 'input_file', file_url: ADDRESS }),
    'input[0].output[0].file_url': {
      input: [
        {
          type: 'function_call_output',
          call_id: 'c',
          output: [{ type: 'input_file', file_url: ADDRESS }],
        },
      ],
    },
    'input[0].type': { input: [{ type: 'item_reference', id: 'msg_1' }] },
    'input[0].tools': { input: [{ role: 'developer', content: 'Hello', tools: [] }] },
    prompt: { prompt: { id: 'pmpt_1' } },
    previous_response_id: { input: 'Hello', previous_response_id: 'resp_1' },
    conversation: { input: 'Hello', conversation: 'conv_1' },
    background: { input: 'Hello', background: true },
    service_tier: { input: 'Hello', service_tier: 'priority' },
    context_management: { input: 'Hello', context_management: [{ type: 'compaction' }] },
    'reasoning.mode': { input: 'Hello', reasoning: { effort: 'high', mode: 'pro' } },
    'include[0]': { input: 'Hello', include: ['file_search_call.results'] },
  }),
  ...['/v1/messages', '/v1/messages/count_tokens', '/v1/messages?beta=true'].flatMap((path) =>
    attacks('anthropic', path, {
      'messages[0].content[0].source.type': say([
        { type: 'image', source: { type: 'url', url: ADDRESS } },
      ]),
      'messages[0].content[0].content[0].source.type': say([
        {
          type: 'tool_result',
          tool_use_id: 't',
          content: [{ type: 'document', source: { type: 'url', url: ADDRESS } }],
        },
      ]),
      'messages[0].content[0].source.file_id': say([
        { type: 'document', source: { type: 'text', file_id: 'file_1' } },
      ]),
      'messages[0].content[0].type': say([{ type: 'container_upload', file_id: 'file_1' }]),
      mcp_servers: { ...say('Hello'), mcp_servers: [{ type: 'url', url: ADDRESS }] },
      container: { ...say('Hello'), container: 'container_1' },
      speed: { ...say('Hello'), speed: 'fast' },
      service_tier: { ...say('Hello'), service_tier: 'priority' },
      inference_geo: { ...say('Hello'), inference_geo: 'us' },
      fallbacks: { ...say('Hello'), fallbacks: [{ model: 'dear' }] },
      'context_management.edits[0].type': {
        ...say('Hello'),
        context_management: { edits: [{ type: 'compact_20260112' }] },
      },
      'tools[0].allowed_callers[0]': {
        ...say('Hello'),
        tools: [{ name: 'edit', allowed_callers: ['code_execution_20250825'] }],
      },
    }),
  ),
  ...[GEMINI, GEMINI.replace('generateContent', 'countTokens')].flatMap((path) =>
    attacks('gemini', path, {
      'contents[0].parts[0].fileData': parts({ fileData: { fileUri: ADDRESS } }),
      'contents[0].parts[0].file_data': parts({ file_data: { file_uri: ADDRESS } }),
      'contents[0].parts[0].functionResponse.parts[0].fileData': parts({
        functionResponse: { name: 'f', parts: [{ fileData: { fileUri: ADDRESS } }] },
      }),
      'contents[0].parts[0].inlineData.data': parts({
        inlineData: { mimeType: 'image/png', data: ADDRESS },
      }),
      'contents[0].parts[0].inlineData.mimeType': parts({
        inlineData: { mimeType: 'image/svg+xml', data: 'AAAA' },
      }),
      cachedContent: { ...parts({ text: 'Hello' }), cachedContent: 'cachedContents/1' },
      cached_content: { ...parts({ text: 'Hello' }), cached_content: 'cachedContents/1' },
      service_tier: { ...parts({ text: 'Hello' }), service_tier: 'priority' },
      serviceTier: { ...parts({ text: 'Hello' }), serviceTier: 'priority' },
      'generationConfig.responseModalities[0]': {
        ...parts({ text: 'Hello' }),
        generationConfig: { responseModalities: ['IMAGE'] },
      },
      'generationConfig.candidateCount': {
        ...parts({ text: 'Hello' }),
        generationConfig: { candidateCount: 8 },
      },
      generateContentRequest: {
        generateContentRequest: { contents: [{ parts: [{ fileData: { fileUri: ADDRESS } }] }] },
      },
    }),
  ),
];

test('addresses, ids of the operator’s things and other prices are refused, and not sent', async () => {
  const missed: unknown[] = [];
  for (const { api, path, body, field } of ATTACKS) {
    const { gateway, provider, charges } = await makeGateway(api);
    const { status, text } = await ask(
      gateway,
      path,
      api === 'gemini' ? body : { model: MODEL, ...body },
    );
    const message: string = JSON.parse(text).error?.message ?? '';
    const refused = status === 400 && message.startsWith(`${field}: `);
    if (!refused || provider.requests.length > 0 || charges.length > 0)
      missed.push([path, field, status, message]);
  }
  assert.deepEqual(missed, []);
});
