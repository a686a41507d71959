import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fastify, { type FastifyInstance } from 'fastify';
import { openClient } from '../../testing/clients/sockets.ts';
import { until } from '../../testing/harness/until.ts';
import { renderError } from '../render-error.ts';
import { Connections } from './connections.ts';
import { createHttpServer } from './http-server.ts';
import { limitPublicFiles } from './public-files.ts';

// More than the operating system takes for a client that does not read.
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x');

const connections = new Connections({
  total: 200,
  perAddress: 200,
  sendTimeout: 60_000,
  // Everyone is behind one, and says who they are.
  trustedProxies: ['127.0.0.1'],
});
const app = fastify({
  trustProxy: true,
  serverFactory: (answer: RequestListener) =>
    createHttpServer(answer, { requestTimeout: 60_000 }, connections),
} as never) as unknown as FastifyInstance;
app.setErrorHandler(renderError);
await app.register(async (scope) => {
  limitPublicFiles(scope, connections);
  scope.get('/file', async () => LARGE);
  scope.get('/small', async () => 'done');
});
app.get('/operation', async () => 'done');
const url = await app.listen({ port: 0, host: '127.0.0.1' });
after(() => {
  connections.close();
  app.server.closeAllConnections();
  return app.close();
});

/** Clients with one address that ask for a large file and do not read it. */
async function openDeaf(count: number, address: string): Promise<void> {
  const bytes = `GET /file HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${address}\r\n\r\n`;
  for (let i = 0; i < count; i++) await openClient(url, { bytes, deaf: true });
  await pause(100);
}

async function ask(path: string, address: string) {
  const reply = await fetch(`${url}${path}`, { headers: { 'x-forwarded-for': address } });
  return {
    status: reply.status,
    text: await reply.text(),
    retry: reply.headers.get('retry-after'),
  };
}
const cuts = () => connections.cuts.get('not_reading') as number;

test('503: more than 8 at once from an address, until one of them has read nothing for a second', async () => {
  await openDeaf(8, '192.0.2.1');
  const refused = await ask('/small', '192.0.2.1');
  assert.deepEqual([refused.status, refused.retry], [503, '1']);
  assert.equal(JSON.parse(refused.text).code, 'overloaded');
  assert.equal((await ask('/small', '192.0.2.2')).status, 200, 'another address');
  assert.equal((await ask('/operation', '192.0.2.1')).status, 200, 'what is not a public file');
  assert.equal(cuts(), 0);
  await until('an answer', async () => (await ask('/small', '192.0.2.1')).status === 200);
  assert.equal(cuts(), 1);
  assert.equal((await ask('/small', '192.0.2.1')).status, 200);
  assert.equal(cuts(), 1, 'there is room now');
});

test('more than 64 at once in all, whatever their addresses: one that reads nothing gives way', async () => {
  for (let i = 0; i < 8; i++) await openDeaf(8, `198.51.100.${i}`);
  const before = cuts();
  assert.equal((await ask('/operation', '203.0.113.1')).status, 200);
  await until('an answer', async () => (await ask('/small', '203.0.113.1')).status === 200);
  assert.ok(cuts() > before);
});

test('clients that read are all served, and connections that break off leave their places', async () => {
  const address = '203.0.113.7';
  for (let i = 0; i < 20; i++) {
    const reply = await fetch(`${url}/file`, { headers: { 'x-forwarded-for': address } });
    await reply.body?.cancel();
  }
  await until('an answer', async () => (await ask('/small', address)).status === 200);
  for (let i = 0; i < 10; i++) assert.equal((await ask('/small', address)).status, 200);
});
