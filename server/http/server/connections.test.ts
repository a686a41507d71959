import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, openClient } from '../../testing/clients/sockets.ts';
import { startPlainServer } from '../../testing/harness/plain-server.ts';
import { until } from '../../testing/harness/until.ts';
import type { ConnectionLimits, Connections } from './connections.ts';

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
const isAnswered = (client: Client, times = 1) =>
  until('an answer', () => client.text().split('HTTP/1.1 200').length === times + 1);

/**
 * A server with a `/proven` whose caller has a credential, and a `/held` that is worked on until
 * `release`.
 */
async function start(limits: Partial<ConnectionLimits>) {
  const held: ServerResponse[] = [];
  let own: Connections | undefined;
  const server = await startPlainServer((request: IncomingMessage, response) => {
    const exchange = own?.exchange(request);
    if (exchange !== undefined && request.url === '/proven') exchange.proven = () => true;
    if (request.url === '/held') held.push(response);
    else request.resume().on('end', () => response.end('done'));
  }, limits);
  own = server.connections;
  const client = (bytes = '') => openClient(server.url, { bytes });
  const release = () => {
    for (const response of held.splice(0)) response.end('done');
  };
  return { ...server, client, held, release };
}

test('at the limit of an address the connection that has waited longest for nothing gives way', async () => {
  const { client, connections } = await start({ perAddress: 3 });
  const proven = await client(get('/proven'));
  await isAnswered(proven);
  const [first, second] = [await client('GET / HT'), await client()];
  await until('three', () => connections.size === 3);
  const third = await client(get('/'));
  await isAnswered(third);
  assert.deepEqual([first.isCut(), second.isCut()], [true, false]);
  const fourth = await client(get('/'));
  await isAnswered(fourth);
  assert.deepEqual([second.isCut(), third.isCut()], [true, false]);
  proven.write(get('/proven'));
  await isAnswered(proven, 2);
  assert.equal(connections.size, 3);
  assert.equal(connections.cuts.get('limit'), 2);
});

test('a request that is arriving or an answer that is not read gives way as well, one that is worked on does not', async () => {
  const { client, connections, held, release } = await start({ perAddress: 2 });
  const working = await client(get('/held'));
  await until('work', () => held.length === 1);
  const arriving = await client('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nhalf');
  await until('two', () => connections.size === 2);
  const next = await client(get('/'));
  await isAnswered(next);
  assert.equal(arriving.isCut(), true);
  release();
  await isAnswered(working);
});

test('proven connections give way last and only when idle; with none idle the new one is refused', async () => {
  const { client, connections, held, release } = await start({ perAddress: 2 });
  const older = await client(get('/proven'));
  await isAnswered(older);
  const newer = await client(get('/proven'));
  await isAnswered(newer);
  const working = await client(get('/held'));
  await until('work', () => held.length === 1);
  assert.deepEqual([older.isCut(), newer.isCut()], [true, false]);
  const second = await client(get('/held'));
  await until('more work', () => held.length === 2);
  assert.equal(newer.isCut(), true);
  // The reset may come before the client knows that it is connected.
  const refused = await client(get('/')).catch(() => undefined);
  await until('a refusal', () => refused === undefined || refused.isCut());
  assert.equal(refused?.text() ?? '', '');
  assert.equal(connections.cuts.get('refused'), 1);
  release();
  await isAnswered(working);
  await isAnswered(second);
});

test('the limit of the server counts every address, trusted proxies too; theirs are shed last', async () => {
  const { client, connections } = await start({
    total: 2,
    perAddress: 1,
    trustedProxies: ['127.0.0.0/8'],
  });
  const first = await client(get('/'));
  const second = await client(get('/'));
  await isAnswered(first);
  await isAnswered(second);
  assert.equal(connections.size, 2, 'the limit of an address is not for proxies');
  await isAnswered(await client(get('/')));
  assert.deepEqual([first.isCut(), second.isCut()], [true, false]);
  assert.equal(connections.size, 2);
});

test('a server that had to refuse a connection says that it is full, unless it was one of too many from an address', async () => {
  for (const [limits, full] of [
    [{ total: 1 }, true],
    [{ perAddress: 1 }, false],
  ] as const) {
    const { client, connections, held } = await start(limits);
    await client(get('/held'));
    await until('work', () => held.length === 1);
    assert.equal(connections.isFull(), false);
    await client().catch(() => {});
    await until('a refusal', () => connections.cuts.get('refused') === 1);
    assert.equal(connections.isFull(), full);
  }
});

test('a client that sends request after request without an answer is cut', async () => {
  const { client, connections, held } = await start({});
  const patient = await client(get('/held').repeat(8));
  await until('eight', () => held.length === 8);
  const flood = await client(get('/held').repeat(9));
  await until('a cut', flood.isCut);
  assert.equal(patient.isCut(), false);
  assert.equal(connections.cuts.get('pipelining'), 1);
  assert.equal(connections.size, 1);
});

test('connections that their clients close are forgotten, with the requests that were under way on them', async () => {
  const { client, connections, held } = await start({});
  const clients = await Promise.all(
    Array.from({ length: 5 }, () => client(get('/held').repeat(2))),
  );
  await until('ten requests', () => held.length === 10);
  let ended = 0;
  for (const connection of connections)
    for (const exchange of connection.exchanges)
      exchange.onEnd = () => {
        ended++;
      };
  for (const { socket } of clients) socket.destroy();
  await until('none', () => connections.size === 0);
  assert.equal(ended, 10, 'those that waited behind another one too');
  await pause(600);
  assert.equal(connections.size, 0);
});
