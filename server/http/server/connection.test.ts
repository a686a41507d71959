import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openClient } from '../../testing/clients/sockets.ts';
import { startPlainServer } from '../../testing/harness/plain-server.ts';
import { until } from '../../testing/harness/until.ts';
import type { ApiError } from '../errors.ts';
import { steadyBody } from '../steady-body.ts';

const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x');
const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nhost: x\r\n${headers}\r\n`;

const { url, connections } = await startPlainServer(
  (request, response) => {
    if (request.url !== '/begin') request.resume();
    if (request.url === '/large') response.end(LARGE);
    else if (request.url === '/stream') response.write('an event');
    else if (request.url === '/body') request.on('end', () => response.end('done'));
    else if (request.url === '/begin')
      void steadyBody(request, 10)
        .next()
        .then(() => response.end('done'));
    else response.end('done');
  },
  { sendTimeout: 1_000 },
  500,
);
const none = () => connections.size === 0;

test('a client that does not close what was refused is cut about a second later, and leaves nothing behind', async () => {
  const broken = {
    400: 'nonsense\r\n\r\n',
    431: get('/', `a: ${'x'.repeat(17 * 1024)}\r\n`),
    408: 'GET / HTTP/1.1\r\nhost',
  };
  const clients = await Promise.all(
    Object.entries(broken).map(async ([status, bytes]) => ({
      status,
      client: await openClient(url, { bytes }),
    })),
  );
  for (const { status, client } of clients)
    await until(status, () => client.text().includes(`HTTP/1.1 ${status} `));
  await until('no connection', none, 3_000);
  for (const { client } of clients) {
    // A client that has read the end no longer hears of a reset: it learns of one by writing.
    await until('a reset', () => {
      if (!client.socket.destroyed) client.write('more');
      return client.socket.destroyed;
    });
  }
});

test('a body that stops coming is a 408, and never becomes a request after that', async () => {
  const bytes = 'POST /body HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nha';
  const client = await openClient(url, { bytes });
  await until('408', () => client.text().includes('HTTP/1.1 408 '));
  client.write('lf');
  await until('no connection', none, 3_000);
  assert.equal(client.text().split('HTTP/1.1 ').length, 2);
});

test('the rest of a body whose request was answered is not waited for, and gets no second answer', async () => {
  const bytes = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nha';
  const client = await openClient(url, { bytes });
  await until('200', () => client.text().includes('HTTP/1.1 200 '));
  await until('the end', client.isCut, 5_000);
  assert.equal(client.text().split('HTTP/1.1 ').length, 2);
});

test('a file that was slow and is refused gets its own answer', async () => {
  const own = await startPlainServer(
    async (request, response) => {
      try {
        for await (const _ of steadyBody(request, 10));
      } catch (error) {
        // What was stored of it is removed.
        await pause(800);
        response.writeHead((error as ApiError).status, { connection: 'close' }).end('refused');
      }
    },
    {},
    1_500,
  );
  const bytes = 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabcde\r\n';
  const client = await openClient(own.url, { bytes });
  await pause(2_000);
  client.write('6\r\nfghijk\r\n1\r\n');
  await until('an answer', () => client.text().includes('\r\n\r\n'), 3_000);
  assert.match(client.text(), /^HTTP\/1\.1 413 .*refused/s);
  assert.equal(client.text().split('HTTP/1.1 ').length, 2);
  await until('no connection', () => own.connections.size === 0, 5_000);
});

test('a file whose reader has answered before its end is not waited for', async () => {
  const bytes = 'POST /begin HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\na';
  const client = await openClient(url, { bytes });
  await until('200', () => client.text().includes('HTTP/1.1 200 '));
  await until('no connection', none, 3_000);
});

test('what is no HTTP behind a request gets no answer that would be taken for that of the request', async () => {
  const client = await openClient(url, { bytes: `${get('/')}nonsense\r\n\r\n` });
  await until('the end', client.isCut);
  assert.match(client.text(), /^HTTP\/1\.1 200 [^{]*done$/s);
  await until('no connection', none, 3_000);
});

test('a client that does not read is cut after SEND_TIMEOUT_MS, one that reads slowly is not', async (t) => {
  const slow = await openClient(url, { bytes: get('/large', 'connection: close\r\n'), deaf: true });
  let received = 0;
  slow.socket.on('data', (chunk: Buffer) => {
    received += chunk.length;
    slow.socket.pause();
  });
  // In a few seconds: several times as long as a client may read nothing at all.
  const reading = setInterval(() => slow.socket.resume(), 8);
  t.after(() => clearInterval(reading));
  const begun = performance.now();
  const deaf = await openClient(url, { bytes: get('/large'), deaf: true });
  await until('a cut', () => connections.cuts.get('not_reading') === 1, 5_000);
  assert.ok(performance.now() - begun > 900);
  assert.equal(connections.size, 1);
  await until('all of it', () => received > LARGE.length, 60_000);
  assert.ok(performance.now() - begun > 2_000, 'it was read slowly');
  await until('no connection', none);
  assert.equal(connections.cuts.get('not_reading'), 1);
  deaf.socket.destroy();
});

test('a response that has nothing to send for longer than that is not cut', async () => {
  const client = await openClient(url, { bytes: get('/stream') });
  await until('an event', () => client.text().endsWith('an event\r\n'));
  await pause(2_000);
  assert.equal(client.isCut(), false);
  client.socket.destroy();
  await until('no connection', none);
});

test('a connection that says close is gone once its answer was sent, whether or not the client closes it', async () => {
  const client = await openClient(url, { bytes: get('/', 'connection: close\r\n') });
  await until('200', () => client.text().includes('HTTP/1.1 200 '));
  await until('no connection', none, 2_000);
});
