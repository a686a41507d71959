import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPeer } from '../../testing/clients/peer.ts';
import { startNameServer } from '../../testing/fakes/name-server.ts';
import { type OutgoingError, openOutgoing } from './outgoing.ts';

/** Names whose addresses are not public, or change between the check and the connection. */

const open = (dns: { address: string }, allowedNetworks: string[] = []) =>
  openOutgoing({ allowedNetworks, allowHttp: true, dnsServers: [dns.address] });

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    (error: OutgoingError) => error.code,
  );

test('a name is refused when one of its addresses is private, and nothing is sent', async () => {
  const peer = await startPeer((_, response) => response.end('secret'));
  for (const addresses of [['127.0.0.1'], ['169.254.169.254'], ['8.8.8.8', '127.0.0.1']]) {
    const dns = await startNameServer(() => addresses);
    const url = `http://erp.example:${peer.port}/`;
    assert.equal(await codeOf(open(dns).send({ url, method: 'GET' })), 'blocked_address');
  }
  assert.deepEqual(peer.received, []);
});

test('rebinding: the address that was checked is the one that is connected to', async () => {
  const permitted = await startPeer((_, response) => response.end('permitted'));
  const inner = await startPeer((_, response) => response.end('inner'), {
    host: '127.0.0.2',
    port: permitted.port,
  });
  const turns = ['127.0.0.1', '127.0.0.2'];
  const dns = await startNameServer(() => [turns[Math.min(dns.asked.length - 1, 1)] as string]);
  const outgoing = open(dns, ['127.0.0.1']);
  const url = `http://erp.example:${permitted.port}/`;
  const first = await outgoing.send({ url, method: 'GET' });
  assert.deepEqual([first.body.toString(), dns.asked], ['permitted', ['erp.example']]);
  // Every later use is checked again: no connection is kept, and no answer of DNS.
  assert.equal(await codeOf(outgoing.send({ url, method: 'GET' })), 'blocked_address');
  assert.deepEqual([dns.asked.length, inner.received], [2, []]);
});

test('names that are not there, or whose servers are silent, are not found', async () => {
  const none = await startNameServer(() => []);
  const url = 'http://erp.example/';
  assert.equal(await codeOf(open(none).send({ url, method: 'GET' })), 'dns');
  const silent = await startNameServer(() => undefined);
  const sent = open(silent).send({ url, method: 'GET', timeout: 300 });
  assert.equal(await codeOf(sent), 'timeout');
});

test('a hundred names whose servers are silent keep no other from being answered', async () => {
  const peer = await startPeer((_, response) => response.end('here'));
  const dns = await startNameServer((name) =>
    name.startsWith('slow') ? undefined : ['127.0.0.1'],
  );
  const outgoing = open(dns, ['127.0.0.1']);
  const slow = Array.from({ length: 100 }, (_, i) =>
    codeOf(outgoing.send({ url: `http://slow${i}.example/`, method: 'GET', timeout: 2_000 })),
  );
  const { body } = await outgoing.send({ url: `http://a.example:${peer.port}/`, method: 'GET' });
  assert.equal(body.toString(), 'here');
  assert.deepEqual([...new Set(await Promise.all(slow))], ['timeout']);
});

test('localhost is loopback whatever DNS says of it', async () => {
  const dns = await startNameServer(() => ['8.8.8.8']);
  for (const name of ['localhost', 'LOCALHOST', 'localhost.', 'a.localhost'])
    assert.equal(
      await codeOf(open(dns).send({ url: `http://${name}/`, method: 'GET' })),
      'blocked_address',
    );
  assert.deepEqual(dns.asked, []);
});
