import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import {
  ask,
  begin,
  KEY,
  KINDS,
  MODEL,
  makeGateway,
  REPLY,
} from '../../testing/fixtures/runner/gateway.ts';
import { until } from '../../testing/harness/until.ts';
import type { Reservation } from './options.ts';

/** What the gateway lets through, in each API of providers, and what it charges for it. */

/** What holds for a request, whose charge is this function. */
const held = (charge: Reservation['charge']) => async (_: bigint, nano: bigint) => ({
  nano,
  charge,
  release: async () => undefined,
});

const ANSWERED = { inputTokens: 60, outputTokens: 20, cacheReadTokens: 40 };

for (const { name, api, path, body } of KINDS) {
  for (const stream of [true, false]) {
    const how = stream ? 'streamed' : 'whole';
    test(`${name}, ${how}: the key is added, the answer passed on, its tokens charged`, async () => {
      const { gateway, provider, charges } = await makeGateway(api);
      const { status, text, complete, headers } = await ask(gateway, path(stream), body(stream));
      assert.deepEqual([status, complete], [200, true]);
      assert.match(headers['content-type'] ?? '', stream ? /^text\/event-stream/ : /json/);
      const written = stream
        ? [...text.matchAll(/"(?:content|delta|text)":"([^"]*)"/g)].map(([, part]) => part).join('')
        : text;
      assert.ok(written.includes(REPLY.text), text);
      assert.deepEqual(charges, [{ usage: ANSWERED, estimated: false }]);
      const [sent] = provider.requests;
      assert.ok(Object.values(sent?.headers ?? {}).some((one) => String(one).includes(KEY)));
      assert.ok(!JSON.stringify(sent).includes(gateway.token));
      assert.equal(sent?.headers['accept-encoding'], 'identity');
    });
  }

  test(`${name}: another model, path or method is refused in the provider’s words`, async () => {
    const { gateway, provider, charges } = await makeGateway(api);
    const other = await ask(gateway, path(true).replace(MODEL, 'other'), {
      ...body(true),
      model: 'other',
    });
    assert.equal(other.status, 404);
    assert.match(JSON.parse(other.text).error.message, /has the model model-1 and no other/);
    const elsewheres = [
      '/v1/files',
      '/v1/../v1/files',
      '/',
      '/v1/messages/batches',
      '/v1/batches',
      '//v1/messages',
      '/v1/./messages',
      '/v1/responses/compact',
      '/v1%2Fmessages',
      '/v1/messages%00',
      '/v1/messages/',
      `${path(true).split('?')[0]}?key=x`,
      `http://a.example${path(true)}`,
      '/V1/messages',
      `/v1/x/../${path(true).slice(4)}`,
      `/v1beta/models/${MODEL}:batchGenerateContent`,
    ];
    for (const elsewhere of elsewheres)
      assert.equal((await ask(gateway, elsewhere, body(true))).status, 404, elsewhere);
    assert.equal((await ask(gateway, path(true), body(true), { method: 'PUT' })).status, 404);
    assert.equal((await ask(gateway, path(false), '[1]')).status, 400);
    assert.equal((await ask(gateway, path(false), '{"model":')).status, 400);
    assert.deepEqual([provider.requests, charges], [[], []]);
  });

  test(`${name}: the models are the one of the attempt`, async () => {
    const { gateway, provider } = await makeGateway(api);
    const { status, text } = await ask(gateway, '/v1/models');
    assert.equal(status, 200);
    assert.match(text, new RegExp(`"(models/)?${MODEL}"`));
    assert.deepEqual(provider.requests, []);
  });

  test(`${name}: without the token of this attempt, nothing is read`, async () => {
    const { gateway, provider } = await makeGateway(api);
    const other = await makeGateway(api);
    for (const token of [other.gateway.token, '', 'x', `${gateway.token}x`]) {
      const { status, text } = await ask(gateway, path(true), body(true), { token });
      assert.deepEqual([status, typeof JSON.parse(text).error], [401, 'object']);
    }
    assert.deepEqual(provider.requests, []);
  });

  test(`${name}: when a charge is refused, no further request is sent`, async () => {
    const refuse = () => Promise.reject(new Error('no funds'));
    const { gateway, provider } = await makeGateway(api, {}, { reserve: held(refuse) });
    const first = await ask(gateway, path(true), body(true));
    // It had been passed on already; that it does not end is all that can be said.
    assert.equal(first.complete, false);
    const { status, text, headers } = await ask(gateway, path(true), body(true));
    assert.deepEqual([status, headers['x-should-retry']], [402, 'false']);
    assert.match(JSON.parse(text).error.message, /No more can be spent on this task/);
    assert.equal(provider.requests.length, 1);
  });
}

test('only headers that an API needs are sent on, and only harmless ones come back', async () => {
  const { gateway, provider } = await makeGateway('anthropic', {
    handle(_, response) {
      response.writeHead(200, {
        'content-type': 'application/json',
        'set-cookie': 'a=b',
        'request-id': 'r1',
        'anthropic-organization-id': 'org',
      });
      response.end('{"type":"message","usage":{"input_tokens":1,"output_tokens":1}}');
      return true;
    },
  });
  const headers = {
    'anthropic-version': '2023-06-01',
    cookie: 'c=d',
    'x-forwarded-for': '1.2.3.4',
  };
  const answer = await ask(gateway, '/v1/messages', { model: MODEL }, { headers });
  const sent = provider.requests[0]?.headers ?? {};
  assert.deepEqual([sent['anthropic-version'], sent['x-api-key']], ['2023-06-01', KEY]);
  assert.deepEqual([sent.cookie, sent['x-forwarded-for'], sent.authorization].filter(Boolean), []);
  assert.equal(sent['user-agent'], 'guildhall');
  assert.equal(answer.headers['request-id'], 'r1');
  assert.deepEqual(
    [answer.headers['set-cookie'], answer.headers['anthropic-organization-id']],
    [undefined, undefined],
  );
});

test('of a header, only values that change no price are sent on', async () => {
  const { gateway, provider } = await makeGateway('anthropic');
  const betas = 'fast-mode-2026-02-01, effort-2025-11-24,context-1m-2025-08-07';
  const headers = { 'anthropic-version': '2099-01-01', 'anthropic-beta': betas };
  await ask(gateway, '/v1/messages', { model: MODEL }, { headers });
  const sent = provider.requests[0]?.headers ?? {};
  assert.deepEqual(
    [sent['anthropic-version'], sent['anthropic-beta']],
    [undefined, 'effort-2025-11-24'],
  );
  const responses = await makeGateway('openai');
  await ask(
    responses.gateway,
    '/v1/responses',
    { model: MODEL, input: 'Hello' },
    { headers: { 'openai-beta': 'assistants=v2', 'openai-organization': 'org-1' } },
  );
  const ofOpenai = Object.keys(responses.provider.requests[0]?.headers ?? {});
  assert.deepEqual(
    ofOpenai.filter((name) => name.startsWith('openai')),
    [],
  );
});

test('tools that the provider would run, and what agents send without effect, are left out', async () => {
  const sent = async (api: 'openai' | 'anthropic' | 'gemini', path: string, body: object) => {
    const { gateway, provider } = await makeGateway(api);
    await ask(gateway, path, body);
    return provider.requests[0]?.body;
  };
  const own = { type: 'function', name: 'edit' };
  const hosted = [{ type: 'web_search' }, { type: 'mcp', server_url: 'https://a.example' }, null];
  const namespace = { type: 'namespace', name: 'n', description: 'd' };
  assert.deepEqual(
    await sent('openai', '/v1/responses', {
      model: MODEL,
      tools: [own, ...hosted, { ...namespace, tools: [...hosted, own] }],
      background: false,
      service_tier: 'auto',
      store: true,
      metadata: { user: 'u' },
      input: [{ type: 'message', id: 'msg_1', role: 'user', content: 'Hello' }],
    }),
    {
      model: MODEL,
      tools: [own, { ...namespace, tools: [own] }],
      input: [{ type: 'message', role: 'user', content: 'Hello' }],
      store: false,
    },
  );
  assert.deepEqual(await sent('openai', '/v1/responses', { model: MODEL, tools: hosted }), {
    model: MODEL,
    store: false,
  });
  const chat = await sent('openai', '/v1/chat/completions', {
    model: MODEL,
    stream: true,
    stream_options: { include_usage: false },
  });
  assert.deepEqual(chat, { model: MODEL, stream: true, stream_options: { include_usage: true } });
  const bash = { type: 'bash_20250124', name: 'bash' };
  assert.deepEqual(
    await sent('anthropic', '/v1/messages', {
      model: MODEL,
      tools: [{ name: 'Edit' }, bash, { type: 'web_fetch_20250910', name: 'web_fetch' }],
    }),
    { model: MODEL, tools: [{ name: 'Edit' }, bash] },
  );
  assert.deepEqual(
    await sent('gemini', `/v1beta/models/${MODEL}:generateContent`, {
      tools: [{ googleSearch: {}, functionDeclarations: [{ name: 'edit' }] }, { urlContext: {} }],
    }),
    { tools: [{ functionDeclarations: [{ name: 'edit' }] }] },
  );
});

test('counting tokens costs nothing', async () => {
  const { gateway, charges } = await makeGateway('anthropic', {
    handle: (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":7}');
      return true;
    },
  });
  const { text } = await ask(gateway, '/v1/messages/count_tokens', { model: MODEL });
  assert.deepEqual([text, charges], ['{"input_tokens":7}', []]);
});

test('the end of the turn cuts what runs, charges it, and leaves no socket', async () => {
  const ending = new AbortController();
  const { gateway, charges, provider } = await makeGateway(
    'openai',
    {
      handle(_, response) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: {"choices":[{"delta":{"content":"12345678"}}]}\n\n');
        return true;
      },
    },
    { signal: ending.signal },
  );
  const body = { model: MODEL, stream: true };
  const asked = ask(gateway, '/v1/chat/completions', body, { onData: () => ending.abort() });
  assert.equal((await asked).complete, false);
  assert.equal((await ask(gateway, '/v1/chat/completions', body)).status, 503);
  await gateway.close();
  await gateway.close();
  assert.equal(charges.length, 1);
  assert.deepEqual([charges[0]?.estimated, charges[0]?.usage.outputTokens], [true, 32_000]);
  assert.equal(provider.requests.length, 1);
  assert.ok(!existsSync(gateway.socket));
  await assert.rejects(ask(gateway, '/v1/models'));
});

test('as a turn ends by itself, what is under way is read to its end, and nothing else is taken', async () => {
  const release = Promise.withResolvers<void>();
  const { gateway, charges, provider } = await makeGateway('openai', {
    handle(_, response) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"choices":[{"delta":{"content":"12345678"}}]}\n\n');
      const usage = { prompt_tokens: 60, completion_tokens: 20 };
      void release.promise.then(() =>
        response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\n`),
      );
      return true;
    },
  });
  const body = { model: MODEL, stream: true };
  const begun = Promise.withResolvers<void>();
  const asked = ask(gateway, '/v1/chat/completions', body, { onData: () => begun.resolve() });
  await begun.promise;
  const finished = gateway.finish();
  assert.equal((await ask(gateway, '/v1/chat/completions', body)).status, 503);
  assert.deepEqual(charges, []);
  release.resolve();
  await finished;
  assert.equal((await asked).complete, true);
  const usage = { inputTokens: 60, outputTokens: 20 };
  assert.deepEqual(charges, [{ usage, estimated: false }]);
  assert.equal(provider.requests.length, 1);
  assert.ok(!existsSync(gateway.socket));
});

test('an answer that does not come soon after the end of a turn is cut, and charged at the most', async () => {
  const { gateway, charges } = await makeGateway(
    'openai',
    {
      handle(_, response) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: {"choices":[{"delta":{"content":"12345678"}}]}\n\n');
        return true;
      },
    },
    { deadlines: { last: 100 } },
  );
  const begun = Promise.withResolvers<void>();
  const body = { model: MODEL, stream: true };
  const asked = ask(gateway, '/v1/chat/completions', body, { onData: () => begun.resolve() });
  await begun.promise;
  await gateway.finish();
  assert.equal((await asked).complete, false);
  assert.deepEqual([charges[0]?.estimated, charges[0]?.usage.outputTokens], [true, 32_000]);
});

test('a request that has not arrived whole as a turn ends does not hold that up', async () => {
  const last = 60_000;
  const { gateway, provider, charges } = await makeGateway('openai', {}, { deadlines: { last } });
  const { sent, failed } = begin(gateway, '/v1/chat/completions', '{"model":');
  // An answer to one that came after it: the first has been read as far as it is there.
  assert.equal((await ask(gateway, '/v1/models')).status, 200);
  const began = performance.now();
  await gateway.finish();
  assert.ok(performance.now() - began < last);
  await failed;
  sent.destroy();
  assert.deepEqual([provider.requests, charges], [[], []]);
});

test('two attempts at once are charged each for its own', async () => {
  const [one, two] = await Promise.all([makeGateway('openai'), makeGateway('openai')]);
  const body = { model: MODEL, stream: true };
  await Promise.all(
    [one, one, two].map(({ gateway }) => ask(gateway, '/v1/chat/completions', body)),
  );
  assert.deepEqual([one.charges.length, two.charges.length], [2, 1]);
  await one.gateway.close();
  assert.equal((await ask(two.gateway, '/v1/chat/completions', body)).status, 200);
});

test('more requests than eight wait for each other', async () => {
  let at = 0;
  let most = 0;
  const release = new AbortController();
  const { gateway, provider } = await makeGateway('openai', {
    handle(_, response) {
      at += 1;
      most = Math.max(most, at);
      const answer = () => {
        at -= 1;
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{"usage":{"prompt_tokens":1,"completion_tokens":1}}');
      };
      if (release.signal.aborted) answer();
      else release.signal.addEventListener('abort', answer);
      return true;
    },
  });
  const all = Array.from({ length: 20 }, () =>
    ask(gateway, '/v1/chat/completions', { model: MODEL }),
  );
  await until('eight at the provider', async () => provider.requests.length === 8);
  release.abort();
  assert.ok((await Promise.all(all)).every(({ status }) => status === 200));
  assert.deepEqual([most, provider.requests.length], [8, 20]);
});
