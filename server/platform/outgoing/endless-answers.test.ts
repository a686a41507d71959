import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { openOutgoing } from './outgoing.ts';

// Answers that cost little to send and much to read.

const { send } = openOutgoing({ allowedNetworks: ['127.0.0.1'], allowHttp: true });

/** The address of a server that writes this to whoever connects. */
async function writing(write: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => write(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('interim answers without end are broken, long before the time-out', async () => {
  let written = 0;
  const url = await writing((socket) => {
    const more = () => {
      if (socket.destroyed) return;
      written += 1;
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
      setTimeout(more, 2);
    };
    more();
  });
  await assert.rejects(send({ url, method: 'GET', timeout: 60_000 }), { code: 'broken' });
  assert.ok(written < 1_000, String(written));
});

test('a few interim answers are passed over', async () => {
  const url = await writing((socket) =>
    socket.end(
      `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(10)}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`,
    ),
  );
  assert.equal(String((await send({ url, method: 'GET' })).body), 'ok');
});

test('an answer in a million pieces of one byte is refused after some thousands', async () => {
  const url = await writing((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    socket.end(`${'1\r\nx\r\n'.repeat(1_000_000)}0\r\n\r\n`);
  });
  await assert.rejects(send({ url, method: 'GET', timeout: 60_000 }), { code: 'too_large' });
});

test('an answer in pieces as networks make them is read', async () => {
  const piece = 'x'.repeat(536);
  const url = await writing((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    socket.end(`${`218\r\n${piece}\r\n`.repeat(1_900)}0\r\n\r\n`);
  });
  assert.equal((await send({ url, method: 'GET', timeout: 60_000 })).body.length, 536 * 1_900);
});
