import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { holdsSecret } from '../../telemetry/hide-secrets.ts';
import { ask, KEY, MODEL, makeGateway } from '../../testing/fixtures/runner/gateway.ts';
import { SECRET_FORMS } from '../../testing/fixtures/secret-forms.ts';
import { until } from '../../testing/harness/until.ts';

/** Providers that break off, stall, lie or repeat the key. */

const CHAT = '/v1/chat/completions';
const whole = { model: MODEL, messages: [{ role: 'user', content: 'Hello' }] };
const streamed = { ...whole, stream: true };
/** What is charged of an answer that tells nothing: a token for each byte, and the longest answer. */
const most = (sent: object) => ({
  inputTokens: 4_096 + JSON.stringify(sent).length,
  outputTokens: 32_000,
});
const MOST = most({ ...streamed, stream_options: { include_usage: true } });
const MOST_WHOLE = most(whole);

const piece = (content: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;

/** A gateway to a provider whose answer this function writes. */
const answering = (
  write: (response: ServerResponse) => unknown,
  deadlines: { answer?: number; idle?: number; request?: number } = {},
) =>
  makeGateway(
    'openai',
    {
      handle(_, response) {
        write(response);
        return true;
      },
    },
    { deadlines },
  );
const json = { 'content-type': 'application/json' };
const events = { 'content-type': 'text/event-stream' };

test('a stream that is cut is passed on as far as it came, and estimated', async () => {
  const { gateway, charges } = await answering((response) => {
    response.writeHead(200, events).write(piece('12345678'), () => response.destroy());
  });
  const { complete, text } = await ask(gateway, CHAT, streamed);
  assert.deepEqual([complete, text], [false, piece('12345678')]);
  assert.deepEqual(charges, [{ usage: MOST, estimated: true }]);
});

test('of Anthropic’s, what a cut stream has told of its input is charged, and the most of its answer', async () => {
  const usage = { input_tokens: 7, cache_read_input_tokens: 1_000, output_tokens: 1 };
  const { gateway, charges } = await makeGateway('anthropic', {
    handle(_, response) {
      const begun = { type: 'message_start', message: { usage } };
      const delta = {
        type: 'content_block_delta',
        delta: { type: 'text_delta', text: '12345678' },
      };
      const sent = [begun, delta].map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
      response.writeHead(200, events).write(sent, () => response.destroy());
      return true;
    },
  });
  await ask(gateway, '/v1/messages', streamed);
  const told = { inputTokens: 7, cacheReadTokens: 1_000, outputTokens: 32_000 };
  assert.deepEqual(charges, [{ usage: told, estimated: true }]);
});

test('a stream that stalls is cut', async () => {
  const { gateway, charges } = await answering(
    (response) => response.writeHead(200, events).write(piece('1234')),
    { idle: 300 },
  );
  assert.equal((await ask(gateway, CHAT, streamed)).complete, false);
  await until('charged', () => charges.length === 1);
});

test('a provider that never answers is given up; it may have worked, so it is estimated', async () => {
  const { gateway, charges } = await answering(() => undefined, { answer: 1_000 });
  const { status, text } = await ask(gateway, CHAT, streamed);
  assert.equal(status, 502);
  assert.match(text, /cannot be reached/);
  assert.deepEqual(charges, [{ usage: MOST, estimated: true }]);
});

test('a provider that is not there costs nothing; people and the operator are told once', async () => {
  const delays: string[] = [];
  const onDelay = (sentence: string) => delays.push(sentence);
  const { gateway, charges, provider, faults } = await makeGateway('openai', {}, { onDelay });
  await provider.close();
  for (let n = 0; n < 2; n++) assert.equal((await ask(gateway, CHAT, streamed)).status, 502);
  assert.deepEqual(charges, []);
  assert.deepEqual(
    delays.map((sentence) => sentence.split('.')[0]),
    ['The provider of the model does not answer'],
  );
  assert.match(faults.join(), /^The model of scripted: [^,]*\(ECONNREFUSED\)\.$/);
});

test('people are told once that a provider has not begun to answer, and nothing when it is quick', async () => {
  const delays: string[] = [];
  const onDelay = (sentence: string) => delays.push(sentence);
  const waiting: (() => void)[] = [];
  const late = await makeGateway(
    'openai',
    {
      handle(_, response) {
        waiting.push(() => response.writeHead(400, { 'content-type': 'application/json' }).end());
        return true;
      },
    },
    { onDelay, deadlines: { late: 20 } },
  );
  const asked = [1, 2].map(() => ask(late.gateway, CHAT, streamed));
  await until('told', () => waiting.length === 2 && delays.length > 0);
  for (const answer of waiting) answer();
  await Promise.all(asked);
  assert.deepEqual(delays, [
    'The provider of the model has not begun to answer for 0.02 seconds. The agent waits.',
  ]);
  const quick = await makeGateway('openai', {}, { onDelay });
  assert.equal((await ask(quick.gateway, CHAT, streamed)).status, 200);
  assert.equal(delays.length, 1);
});

test('endless headers and endless hints end the request', async () => {
  const headers = await answering(({ socket }) => {
    socket?.write('HTTP/1.1 200 OK\r\n');
    const timer = setInterval(() => socket?.write(`x-${'y'.repeat(4_000)}: 1\r\n`), 1);
    socket?.on('close', () => clearInterval(timer)).on('error', () => undefined);
  });
  assert.equal((await ask(headers.gateway, CHAT, streamed)).status, 502);
  const hints = await answering(({ socket }) => {
    const timer = setInterval(() => socket?.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 1);
    socket?.on('close', () => clearInterval(timer)).on('error', () => undefined);
  });
  assert.equal((await ask(hints.gateway, CHAT, streamed)).status, 502);
});

test('a redirect is not followed', async () => {
  const elsewhere = await makeGateway('openai');
  const { gateway, charges, faults } = await answering((response) =>
    response.writeHead(307, { location: `${elsewhere.provider.url}${CHAT}` }).end(),
  );
  const { status, headers } = await ask(gateway, CHAT, streamed);
  assert.deepEqual([status, headers.location], [502, undefined]);
  assert.deepEqual([elsewhere.provider.requests, charges], [[], []]);
  assert.match(faults.join(), /scripted redirects \(307\)/);
});

test('what cannot be counted is not passed on, and charged at the most', async () => {
  const compressed = { ...json, 'content-encoding': 'gzip' };
  for (const headers of [compressed, { 'content-type': 'text/html' }, {}]) {
    const { gateway, faults, charges } = await answering((response) =>
      response.writeHead(200, headers).end('Hello'),
    );
    const { status, text } = await ask(gateway, CHAT, whole);
    assert.deepEqual([status, text.includes('Hello'), faults.length], [502, false, 1]);
    assert.deepEqual(charges, [{ usage: MOST_WHOLE, estimated: true }]);
  }
});

test('an answer without a usage, with a wrong one or that is no JSON is estimated', async () => {
  const usages = [{}, { prompt_tokens: -5, completion_tokens: 1 }, { prompt_tokens: '1' }, null];
  const bodies = [
    ...usages.map((usage) => JSON.stringify({ choices: [], usage })),
    '[]',
    '{"usage": ',
    '',
    'null',
    JSON.stringify({ usage: { prompt_tokens: 1e300, completion_tokens: 0.5 } }),
  ];
  for (const body of bodies) {
    const { gateway, charges, faults } = await answering((response) =>
      response.writeHead(200, json).end(body),
    );
    assert.equal((await ask(gateway, CHAT, whole)).text, body);
    assert.match(faults.join(), /does not say what its answers used/);
    assert.deepEqual(charges, [{ usage: MOST_WHOLE, estimated: true }], body);
  }
});

test('a stream that ignores what asks for usage, or has lines of megabytes, is estimated', async () => {
  const { gateway, charges } = await answering((response) => {
    response.writeHead(200, events);
    response.write(`data: ${'x'.repeat(9 * 1024 ** 2)}\n\nnonsense\ndata: [1]\ndata: {\n\n`);
    response.end(`${piece('1234')}data: [DONE]\n\n`);
  });
  const { complete, text } = await ask(gateway, CHAT, streamed);
  assert.ok(complete && text.length > 9 * 1024 ** 2);
  assert.deepEqual(charges, [{ usage: MOST, estimated: true }]);
});

test('errors of the provider go through and cost nothing', async () => {
  const error = { error: { message: 'Slow down', type: 'rate_limit', code: null } };
  const { gateway, charges } = await answering((response) =>
    response.writeHead(429, { ...json, 'retry-after': '7' }).end(JSON.stringify(error)),
  );
  const { status, text, headers } = await ask(gateway, CHAT, streamed);
  assert.deepEqual([status, headers['retry-after'], JSON.parse(text)], [429, '7', error]);
  const plain = await answering((response) => response.writeHead(500).end('<h1>Oops</h1>'));
  const oops = await ask(plain.gateway, CHAT, streamed);
  assert.equal(oops.status, 500);
  assert.match(JSON.parse(oops.text).error.message, /The provider answered 500/);
  const endless = await answering((response) => {
    response.writeHead(500, json);
    const more = () =>
      !response.destroyed && response.write('x'.repeat(65_536), () => setImmediate(more));
    more();
  });
  assert.equal((await ask(endless.gateway, CHAT, streamed)).status, 500);
  assert.deepEqual([charges, plain.charges, endless.charges], [[], [], []]);
});

test('a provider that repeats the key does not give it to the pod, nor to the log', async () => {
  for (const status of [400, 401, 403, 500]) {
    const { gateway, faults } = await answering((response) =>
      response
        .writeHead(status, { ...json, 'request-id': 'r' })
        .end(JSON.stringify({ error: { message: `Incorrect API key: ${KEY}` } })),
    );
    const answer = await ask(gateway, CHAT, streamed);
    assert.ok(answer.status >= 400);
    assert.ok(!JSON.stringify([answer, faults]).includes(KEY), answer.text);
    assert.equal(faults.length, status === 401 || status === 403 ? 1 : 0);
  }
});

test('a provider that repeats the key in another form, or in a header, does not give it to the pod', async () => {
  for (const form of Object.values(SECRET_FORMS)) {
    const said = form(KEY).replaceAll(/[\r\n]/g, '');
    for (const status of [200, 400, 500]) {
      const { gateway } = await answering((response) =>
        response
          .writeHead(status, { ...json, 'request-id': said, 'x-request-id': 'r' })
          .end(JSON.stringify(status === 200 ? {} : { error: { message: `Wrong: ${form(KEY)}` } })),
      );
      const answer = await ask(gateway, CHAT, whole);
      assert.equal(answer.status, status);
      assert.ok(!holdsSecret(JSON.stringify(answer), KEY), answer.text);
      assert.equal(answer.headers['request-id'], undefined);
    }
  }
});

test('usage that is told with every piece is complete only with the last one', async () => {
  const usage = { prompt_tokens: 9, completion_tokens: 1 };
  const begun = { usage, choices: [{ delta: { content: 'a' }, finish_reason: null }] };
  const { gateway, charges } = await answering((response) =>
    response
      .writeHead(200, events)
      .write(`data: ${JSON.stringify(begun)}\n\n`, () => response.destroy()),
  );
  await ask(gateway, CHAT, streamed);
  const charged = { inputTokens: 9, outputTokens: 32_000 };
  assert.deepEqual(charges, [{ usage: charged, estimated: true }]);
});
