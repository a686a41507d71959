import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fastify, { type FastifyInstance } from 'fastify';
import { openClient } from '../../testing/clients/sockets.ts';
import { until } from '../../testing/harness/until.ts';
import { Connections } from './connections.ts';
import { createHttpServer } from './http-server.ts';
import { shutdown } from './shutdown.ts';

const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x');
const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;

/** A server that may take 20 s to end, and whose `/work` is answered when the test says so. */
async function start({ listenAfter = 0 } = {}) {
  const connections = new Connections({
    total: 100,
    perAddress: 100,
    sendTimeout: 60_000,
    trustedProxies: [],
  });
  const app = fastify({
    serverFactory: (answer: RequestListener) =>
      createHttpServer(answer, { requestTimeout: 60_000 }, connections),
  } as never) as unknown as FastifyInstance;
  const work = Promise.withResolvers<string>();
  let begun = 0;
  app.get('/', async () => 'done');
  app.get('/large', async () => LARGE);
  app.get('/work', () => {
    begun++;
    return work.promise;
  });
  app.post('/body', async () => 'done');
  app.addHook('onClose', async () => connections.close());
  const { close } = shutdown(app, connections, { delay: 0, timeout: 20_000 }, () => {});
  after(close);
  if (listenAfter > 0) {
    // As in a process of a group, where the first process makes the socket.
    const { server } = app;
    const listen = server.listen.bind(server) as (...args: unknown[]) => unknown;
    server.listen = ((...args: unknown[]) => {
      setTimeout(() => listen(...args), listenAfter);
      return server;
    }) as never;
  }
  const listening = app.listen({ port: 0, host: '127.0.0.1' });
  return { app, listening, connections, close, work, begun: () => begun };
}

test('a server that is ended before it listens does not listen afterwards', async () => {
  const { app, listening, close } = await start({ listenAfter: 200 });
  const began = once(app.server, 'listening');
  listening.catch(() => {});
  await app.ready();
  await close();
  await began;
  await until('it is closed', () => !app.server.listening);
});

test('a server that is ended before its routes are ready ends, whatever becomes of its listening', async () => {
  const { app, listening, close } = await start();
  const ended = close();
  await Promise.all([ended, listening.catch(() => {})]);
  await until('it is closed', () => !app.server.listening);
});

test('connections on which nothing is worked on do not hold up the end', async () => {
  const { listening, connections, close } = await start();
  const url = await listening;
  const kinds = {
    'nothing sent': {},
    'half a header': { bytes: 'GET / HTTP/1.1\r\nhost' },
    'half a body': { bytes: 'POST /body HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nhalf' },
    'an answer that is not read': { bytes: get('/large'), deaf: true },
    'idle after an answer': { bytes: get('/') },
  };
  for (const options of Object.values(kinds))
    for (let i = 0; i < 20; i++) await openClient(url, options);
  await until('a hundred', () => connections.size === 100);
  await pause(2_000);
  const begun = performance.now();
  await close();
  const took = performance.now() - begun;
  assert.ok(took < 2_000, `${took} ms`);
  assert.equal(connections.size, 0);
});

test('requests under way and those that still come on open connections are answered', async () => {
  const { listening, close, work, begun } = await start();
  const url = await listening;
  const working = await openClient(url, { bytes: get('/work') });
  const idle = await openClient(url, { bytes: get('/') });
  const fresh = await openClient(url);
  await until('work', () => begun() === 1 && idle.text().includes('200'));
  const closed = close();
  await pause(300);
  idle.write(get('/'));
  fresh.write(get('/'));
  await pause(1_500);
  assert.equal(working.isCut(), false);
  work.resolve('done');
  await closed;
  for (const [client, answers] of [
    [working, 1],
    [idle, 2],
    [fresh, 1],
  ] as const) {
    await until('the end', client.isCut);
    assert.equal(client.text().split('HTTP/1.1 200').length - 1, answers);
    assert.match(client.text(), /connection: close\r\n/i);
  }
});
