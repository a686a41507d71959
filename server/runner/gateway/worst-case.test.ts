import assert from 'node:assert/strict';
import { test } from 'node:test';
import { costBy } from '../../main/choose-agent.ts';
import type { Api } from '../../platform/catalog/agent-fields.ts';
import { ask, MODEL, makeGateway } from '../../testing/fixtures/runner/gateway.ts';
import type { GatewayOptions } from './options.ts';
import { affordable, worstCase } from './worst-case.ts';

/** What is reserved for a request, how long its answer may be then, and what caches cost. */

const costOf = costBy({ input: '3.00', output: '15.00', cache_write: '3.75', cache_read: '0.30' });
const none = { images: 0, files: 0, characters: 0 };
const asked = {
  api: 'openai' as Api,
  body: { messages: [{ role: 'user', content: '思'.repeat(1_000) }] },
  media: none,
  output: undefined,
  keepsLong: false,
  limits: {},
  costOf,
};
const tokensOf = (request: Partial<typeof asked>) =>
  Object.values(worstCase({ ...asked, ...request }).input)[0] ?? 0;

/** What a gateway sends on when so many nano-USD are left. */
async function sentWith(
  left: bigint,
  api: Api,
  path: string,
  body: object,
  options: Partial<GatewayOptions> = {},
) {
  const reserved: bigint[] = [];
  const { gateway, provider, charges } = await makeGateway(
    api,
    {},
    {
      costOf,
      reserve: async (least, most) => {
        reserved.push(least, most);
        if (left < least) throw new Error('nothing is left');
        return {
          nano: left < most ? left : most,
          charge: async (usage, estimated) => void charges.push({ usage, estimated }),
          release: async () => undefined,
        };
      },
      ...options,
    },
  );
  const { status } = await ask(gateway, path, body);
  return { status, sent: provider.requests[0]?.body, reserved, charges };
}

const hello = { model: MODEL, messages: [{ role: 'user', content: 'Hello' }] };
const CHAT = '/v1/chat/completions';
const DOLLAR = 1_000_000_000n;

test('input is a token for each byte, also of Chinese, at what costs most', () => {
  const { input } = worstCase(asked);
  assert.deepEqual(Object.keys(input), ['cacheWriteTokens']);
  assert.ok((input.cacheWriteTokens ?? 0) > 3_000 + 4_000);
  assert.equal(tokensOf({ limits: { context: 5_000 } } as Partial<typeof asked>), 5_000);
  const long = worstCase({ ...asked, keepsLong: true });
  assert.deepEqual(Object.keys(long.input), ['longCacheWriteTokens']);
});

test('images and files count what they may be, and not what they weigh', () => {
  const bytes = 'A'.repeat(100_000);
  const body = { messages: [{ role: 'user', content: bytes }] };
  const without = tokensOf({ body });
  const image = { images: 1, files: 0, characters: bytes.length };
  assert.equal(tokensOf({ body, media: image }), without - 100_000 + 50_000);
  assert.equal(tokensOf({ body, media: image, api: 'anthropic' }), without - 100_000 + 5_000);
  const file = { images: 0, files: 3, characters: bytes.length };
  assert.equal(tokensOf({ body, media: file }), without - 100_000 + 1_048_576);
});

test('an answer is as long as what is left pays for, to the token', () => {
  const worst = worstCase({ ...asked, output: 10_000 });
  const cost = (outputTokens: number) => costOf({ ...worst.input, outputTokens });
  for (const tokens of [0, 1, 1_024, 9_999, 10_000]) {
    assert.equal(affordable(worst, cost(tokens), costOf), tokens);
    if (tokens > 0) assert.equal(affordable(worst, cost(tokens) - 1n, costOf), tokens - 1);
  }
  assert.equal(worst.most, cost(10_000));
  assert.equal(worst.least, cost(1_024));
  assert.equal(worstCase({ ...asked, output: 5 }).least, cost(5));
});

test('what an answer may have is set where it is absent, and lowered to what is left', async () => {
  const { sent } = await sentWith(DOLLAR, 'openai', CHAT, hello);
  assert.equal(sent.max_tokens, 32_000);
  const limits = { output: 8_000 };
  assert.equal((await sentWith(DOLLAR, 'openai', CHAT, hello, { limits })).sent.max_tokens, 8_000);
  const both = { ...hello, max_tokens: 500, max_completion_tokens: 400 };
  const few = (await sentWith(DOLLAR, 'openai', CHAT, both)).sent;
  assert.deepEqual([few.max_tokens, few.max_completion_tokens], [400, undefined]);
  const left = 100_000_000n;
  const lowered = (await sentWith(left, 'openai', CHAT, { ...hello, max_tokens: 9_000 })).sent;
  assert.ok(lowered.max_tokens > 1_024 && lowered.max_tokens < 9_000, `${lowered.max_tokens}`);
  const response = await sentWith(left, 'openai', '/v1/responses', { model: MODEL, input: 'a' });
  assert.ok(response.sent.max_output_tokens < 32_000);
  const path = `/v1beta/models/${MODEL}:generateContent`;
  const config = { generationConfig: { temperature: 0 } };
  const gemini = await sentWith(left, 'gemini', path, { contents: [], ...config });
  assert.ok(gemini.sent.generationConfig.maxOutputTokens < 32_000);
  assert.equal(gemini.sent.generationConfig.temperature, 0);
});

test('what cannot be paid for is refused, and no further request is sent', async () => {
  const { status, sent, charges, reserved } = await sentWith(1_000n, 'openai', CHAT, hello);
  assert.deepEqual([status, sent, charges], [402, undefined, []]);
  assert.equal(reserved.length, 2);
});

test('a length that is no whole number above 0 is refused', async () => {
  for (const max_tokens of [0, -1, 1.5, 1e300]) {
    const { status, sent } = await sentWith(DOLLAR, 'openai', CHAT, { ...hello, max_tokens });
    assert.deepEqual([status, sent], [400, undefined], `${max_tokens}`);
  }
});

test('of a model without a price, nothing is changed', async () => {
  const { sent } = await sentWith(0n, 'openai', CHAT, hello, { costOf: () => 0n });
  assert.deepEqual(sent, hello);
});

test('thinking stays shorter than an answer that was lowered, or is off', async () => {
  const body = {
    ...hello,
    max_tokens: 30_000,
    thinking: { type: 'enabled', budget_tokens: 20_000 },
  };
  const some = (await sentWith(100_000_000n, 'anthropic', '/v1/messages', body)).sent;
  assert.ok(some.max_tokens < 20_000);
  assert.equal(some.thinking.budget_tokens, some.max_tokens - 1);
  const short = { ...body, max_tokens: 1_000 };
  const little = (await sentWith(DOLLAR, 'anthropic', '/v1/messages', short)).sent;
  assert.deepEqual([little.max_tokens, little.thinking], [1_000, { type: 'disabled' }]);
});

test('thinking that a provider counts beside the answer shares what is held for both', async () => {
  for (const [thinking, budget] of [
    [{ thinking_budget: 5_000 }, 5_000],
    [{ thinking_budget: 500_000 }, 10_000],
    [{ thinking_budget: -1 }, 10_000],
    [{ enable_thinking: true }, 10_000],
  ] as const) {
    const body = { ...hello, max_tokens: 20_000, ...thinking };
    const { sent } = await sentWith(DOLLAR, 'openai', CHAT, body);
    assert.deepEqual([sent.thinking_budget, sent.max_tokens], [budget, 20_000 - budget]);
  }
  const plain = { ...hello, max_tokens: 20_000, enable_thinking: false };
  const { sent } = await sentWith(DOLLAR, 'openai', CHAT, plain);
  assert.deepEqual([sent.thinking_budget, sent.max_tokens], [undefined, 20_000]);
});

test('no other budget for thinking is larger than half of what is held', async () => {
  const asked = 1_000_000_000;
  for (const [body, sent, answer] of [
    [{ reasoning: { effort: 'high', max_tokens: asked } }, { effort: 'high', max_tokens: 10_000 }],
    [{ reasoning: { max_tokens: 100 } }, { max_tokens: 100 }],
    [
      { thinking: { type: 'enabled', budget_tokens: asked } },
      { type: 'enabled', budget_tokens: 10_000 },
    ],
    // It may be counted beside the answer.
    [{ chat_template_kwargs: { thinking_budget: asked } }, { thinking_budget: 10_000 }, 10_000],
  ] as [object, object, number?][]) {
    const found = await sentWith(DOLLAR, 'openai', CHAT, { ...hello, max_tokens: 20_000, ...body });
    const [name = ''] = Object.keys(body);
    assert.deepEqual([found.sent[name], found.sent.max_tokens], [sent, answer ?? 20_000]);
  }
});

test('what the cache keeps for an hour is charged as that, also where the answer does not tell', async () => {
  const charged = async (usage: object, body: object = hello) => {
    const { gateway, charges } = await makeGateway('anthropic', {
      handle(_, response) {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ type: 'message', usage }));
        return true;
      },
    });
    await ask(gateway, '/v1/messages', body);
    return charges[0]?.usage;
  };
  const written = { input_tokens: 1, cache_creation_input_tokens: 100, output_tokens: 2 };
  const told = { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 70 };
  const all = { inputTokens: 1, outputTokens: 2 };
  assert.deepEqual(await charged({ ...written, cache_creation: told }), {
    ...all,
    cacheWriteTokens: 30,
    longCacheWriteTokens: 70,
  });
  assert.deepEqual(await charged(written), { ...all, cacheWriteTokens: 100 });
  const system = [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } }];
  assert.deepEqual(await charged(written, { ...hello, system }), {
    ...all,
    longCacheWriteTokens: 100,
  });
});
