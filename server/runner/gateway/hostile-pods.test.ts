import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { ask, MODEL, makeGateway } from '../../testing/fixtures/runner/gateway.ts';
import { until } from '../../testing/harness/until.ts';

/** Pods that hang up, do not read, send half a request or two in one. */

const CHAT = '/v1/chat/completions';
const whole = { model: MODEL, messages: [{ role: 'user', content: 'Hello' }] };
const streamed = { ...whole, stream: true };
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

test('of a pod that hangs up, the answer is read on to its end, which tells what it has cost', async () => {
  const left = Promise.withResolvers<void>();
  const stream = await answering(async (response) => {
    response.writeHead(200, events).write(piece('1234'));
    await left.promise;
    const usage = { prompt_tokens: 9, completion_tokens: 500 };
    for (let i = 0; i < 100; i += 1) response.write(piece('x'.repeat(10_000)));
    response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\n`);
  });
  await ask(stream.gateway, CHAT, streamed, { onData: () => false });
  left.resolve();
  await until('charged', () => stream.charges.length === 1);
  const usage = { inputTokens: 9, outputTokens: 500 };
  assert.deepEqual(stream.charges, [{ usage, estimated: false }]);

  const { gateway, charges } = await answering((response) => {
    const usage = { prompt_tokens: 9, completion_tokens: 5 };
    setTimeout(() => response.writeHead(200, json).end(JSON.stringify({ usage })), 200);
  });
  const socket = connect(gateway.socket);
  const body = JSON.stringify(whole);
  socket.end(
    `POST ${CHAT} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${gateway.token}\r\n` +
      `content-length: ${body.length}\r\n\r\n${body}`,
  );
  socket.on('finish', () => setTimeout(() => socket.destroy(), 50));
  await until('charged', () => charges.length === 1);
  assert.deepEqual(charges[0], { usage: { inputTokens: 9, outputTokens: 5 }, estimated: false });
});

test('a pod that does not read keeps the provider waiting, then is cut', async () => {
  let written = 0;
  const { gateway, charges } = await answering(
    (response) => {
      response.writeHead(200, events).on('error', () => undefined);
      const more = () => {
        if (response.destroyed) return;
        written += 1;
        response.write(piece('x'.repeat(65_000)), () => setImmediate(more));
      };
      more();
    },
    { idle: 1_000 },
  );
  const socket = connect(gateway.socket).pause();
  const body = JSON.stringify(streamed);
  socket.write(
    `POST ${CHAT} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${gateway.token}\r\n` +
      `content-length: ${body.length}\r\n\r\n${body}`,
  );
  await until('cut and charged', () => charges.length === 1);
  // What buffers of sockets hold, and no more of an endless answer.
  assert.ok(written < 400, `${written} pieces`);
  socket.destroy();
});

test('smuggled requests and trailers do not reach the provider', async () => {
  const { gateway, provider, charges } = await answering((response) =>
    response.writeHead(200, json).end('{"usage":{"prompt_tokens":1,"completion_tokens":1}}'),
  );
  const body = JSON.stringify(whole);
  const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n`;
  const head = `POST ${CHAT} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${gateway.token}\r\n`;
  const hidden = 'GET /v1/models HTTP/1.1\r\nhost: a\r\n\r\n';
  const refused = {
    'two lengths': `${head}content-length: 5\r\ncontent-length: 6\r\n\r\n${body}`,
    'a length and chunks': `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n${chunk}\r\n`,
    'a hidden coding': `${head}transfer-encoding: xchunked\r\n\r\n${chunk}\r\n`,
    'a space before the colon': `${head}transfer-encoding : chunked\r\n\r\n${chunk}\r\n`,
    'a folded line': `${head}x: a\r\n transfer-encoding: chunked\r\n\r\n${body}`,
    'a break in the path': `POST ${CHAT}\r\nx: y HTTP/1.1\r\nhost: a\r\n\r\n`,
  };
  for (const [name, sent] of Object.entries(refused))
    assert.match(await rawly(gateway.socket, sent), /^HTTP\/1\.1 40[01] /, name);
  assert.deepEqual([provider.requests, charges], [[], []]);
  const trailer = `${head}transfer-encoding: chunked\r\ntrailer: x-secret\r\n\r\n${chunk}x-secret: 1\r\n\r\n`;
  const answers = await rawly(gateway.socket, `${trailer}${hidden}`);
  assert.match(answers, /^HTTP\/1\.1 200 [\s\S]+HTTP\/1\.1 401 /);
  const [sent] = provider.requests;
  assert.deepEqual([provider.requests.length, sent?.body], [1, whole]);
  assert.ok(!JSON.stringify(sent?.headers).includes('secret'));
});

/** Sends bytes as they are; resolves with all that is answered within the life of the connection. */
const rawly = (path: string, bytes: string): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    const socket = connect(path);
    socket.setTimeout(1_500, () => socket.destroy());
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('close', () => resolve(text)).on('error', () => undefined);
    socket.write(bytes);
  });

test('a compressed request, or one of another type, is JSON or nothing', async () => {
  const { gateway, provider, charges } = await answering(() => undefined);
  for (const headers of [{ 'content-encoding': 'gzip' }, { 'content-encoding': 'identity, br' }])
    assert.equal((await ask(gateway, CHAT, whole, { headers })).status, 400);
  const form = `model=${MODEL}&messages=Hello`;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  assert.equal((await ask(gateway, CHAT, form, { headers })).status, 400);
  assert.deepEqual([provider.requests, charges], [[], []]);
});

test('a request that is too large, or never arrives, is refused', async () => {
  const large = await answering(() => undefined);
  const padding = 'x'.repeat(17 * 1024 ** 2);
  const { status, text } = await ask(large.gateway, CHAT, { ...whole, padding });
  assert.equal(status, 413);
  assert.match(JSON.parse(text).error.message, /16 MiB/);
  const { gateway, provider } = await answering(() => undefined, { request: 300 });
  await halfARequest(gateway);
  assert.deepEqual([...large.provider.requests, ...provider.requests], []);
});

test('a request that never arrives whole keeps no turn open', async () => {
  const { gateway, charges } = await answering(() => undefined);
  const cut = halfARequest(gateway);
  // Long enough for the gateway to wait for the rest.
  await new Promise((resolve) => setTimeout(resolve, 200));
  const began = performance.now();
  await gateway.close();
  assert.ok(performance.now() - began < 5_000);
  await cut;
  assert.deepEqual(charges, []);
});

/** Sends a request without the end of its body; resolves when the gateway closes. */
const halfARequest = ({ socket, token }: { socket: string; token: string }) =>
  new Promise((resolve) => {
    const sent = connect(socket);
    sent.on('close', resolve).on('error', () => undefined);
    sent.write(
      `POST ${CHAT} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\n` +
        'content-length: 100\r\n\r\n{',
    );
  });
