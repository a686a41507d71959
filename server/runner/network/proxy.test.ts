import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { after, test } from 'node:test';
import { startPeer } from '../../testing/clients/peer.ts';
import { startProxyTo } from '../../testing/fixtures/runner/network.ts';
import { until } from '../../testing/harness/until.ts';

/** What a pod reaches through its proxy, and what it does not. */

const status = (answer: string) => Number(answer.split(' ')[1]);

test('a host of the list is reached by HTTP and by CONNECT, and counted', async () => {
  const peer = await startPeer((request, response) => {
    response.setHeader('X-Host', request.headers.host ?? '');
    response.end('hello');
  });
  const { proxy, refused, get, tunnel } = await startProxyTo([`a.example:${peer.port}`]);
  const answer = await get(`http://A.example:${peer.port}/path?q=1`);
  assert.equal(status(answer), 200);
  assert.match(answer, new RegExp(`X-Host: a.example:${peer.port}\r\n[\\s\\S]*hello`));
  const inner = await tunnel(`a.example:${peer.port}`);
  assert.match(inner, /^HTTP\/1.1 200 Connection established\r\n\r\nHTTP\/1.1 200 OK[\s\S]*hello/);
  assert.deepEqual([peer.received, refused], [['GET /path?q=1', 'GET /inner'], []]);
  await until('both are counted', () => {
    const [use] = proxy.used();
    return use !== undefined && use.bytes_received > 200;
  });
  const [use, ...more] = proxy.used();
  assert.deepEqual([use?.host, use?.requests, more], [`a.example:${peer.port}`, 2, []]);
  assert.ok((use?.bytes_sent ?? 0) > 80);
});

test('a host, or a port, that is not on the list is refused, before its name is resolved', async () => {
  const peer = await startPeer((_, response) => response.end('secret'));
  const { dns, refused, get, tunnel } = await startProxyTo(['a.example', '*.b.example']);
  for (const host of [`a.example:${peer.port}`, `b.example:${peer.port}`, 'evil.example:443']) {
    assert.equal(status(await get(`http://${host}/`)), 403, host);
    assert.equal(status(await tunnel(host)), 403, host);
  }
  assert.deepEqual([peer.received, dns.asked], [[], []]);
  assert.deepEqual(
    refused.map(({ host, port, because }) => `${host}:${port} ${because}`),
    [
      ...Array.from({ length: 2 }, () => `a.example:${peer.port} not_listed`),
      ...Array.from({ length: 2 }, () => `b.example:${peer.port} not_listed`),
      ...Array.from({ length: 2 }, () => 'evil.example:443 not_listed'),
    ],
  );
});

test('a name on the list that stands for an address which is not public is refused', async () => {
  const inner = await startPeer((_, response) => response.end('inner'), { host: '127.0.0.2' });
  const { port } = inner;
  for (const address of ['127.0.0.2', '169.254.169.254', '10.0.0.1', '0.0.0.0', '192.168.1.1']) {
    const { refused, get, tunnel } = await startProxyTo([`a.example:${port}`], {
      addresses: () => ['127.0.0.1', address],
    });
    assert.equal(status(await get(`http://a.example:${port}/`)), 403, address);
    assert.equal(status(await tunnel(`a.example:${port}`)), 403, address);
    assert.equal(refused[0]?.because, 'not_public');
  }
  const literals = ['169.254.169.254', '[::ffff:10.0.0.1]', '[::1]', '0x7f.0.0.2', '2130706434'];
  const listed = ['169.254.169.254', '[::ffff:a00:1]', '[::1]', '127.0.0.2'];
  const { get, tunnel } = await startProxyTo(listed.map((host) => `${host}:${port}`));
  for (const host of literals) {
    assert.equal(status(await get(`http://${host}:${port}/`)), 403, host);
    assert.equal(status(await tunnel(`${host}:${port}`)), 403, host);
  }
  assert.deepEqual(inner.received, []);
});

test('DNS that changes its mind: the address that was checked is connected to, each time', async () => {
  const outer = await startPeer((_, response) => response.end('outer'));
  const inner = await startPeer((_, response) => response.end('inner'), {
    host: '127.0.0.2',
    port: outer.port,
  });
  let asked = 0;
  const { get, tunnel } = await startProxyTo([`a.example:${outer.port}`], {
    addresses: () => [asked++ < 2 ? '127.0.0.1' : '127.0.0.2'],
  });
  assert.match(await get(`http://a.example:${outer.port}/`), /outer$/);
  assert.equal(status(await tunnel(`a.example:${outer.port}`)), 403);
  assert.equal(status(await get(`http://a.example:${outer.port}/`)), 403);
  assert.deepEqual([outer.received.length, inner.received], [1, []]);
});

test('a redirect is an answer: where it leads is checked as any other request', async () => {
  const peer = await startPeer((_, response) =>
    response.writeHead(302, { location: 'http://inner.example/' }).end(),
  );
  const { get } = await startProxyTo([`a.example:${peer.port}`]);
  assert.match(await get(`http://a.example:${peer.port}/`), /^HTTP\/1.1 302 [\s\S]*inner.example/);
  assert.equal(status(await get('http://inner.example/')), 403);
});

test('without the token, or with that of another pod, nothing is reached', async () => {
  const peer = await startPeer((_, response) => response.end('hello'));
  const hosts = [`a.example:${peer.port}`];
  const [mine, other] = [await startProxyTo(hosts), await startProxyTo(hosts)];
  const url = `http://a.example:${peer.port}/`;
  assert.equal(status(await mine.get(url, '', other.proxy.token)), 407);
  assert.equal(status(await mine.tunnel(`a.example:${peer.port}`, other.proxy.token)), 407);
  const bare = await mine.raw(`GET ${url} HTTP/1.1\r\nConnection: close\r\n\r\n`);
  assert.match(bare, /^HTTP\/1.1 407 [\s\S]*Proxy-Authenticate: Basic/);
  assert.deepEqual([peer.received, mine.refused, mine.proxy.used()], [[], [], []]);
});

test('it ends with its attempt: what is open is cut, and the socket is gone', async () => {
  const peer = await startPeer((_, response) => void response.write('begun'));
  const { proxy, ending, authorization } = await startProxyTo([`a.example:${peer.port}`]);
  const open = (head: string) => {
    const client = connect(proxy.socket);
    client.on('error', () => {}).write(head);
    return client;
  };
  const host = `a.example:${peer.port}`;
  const clients = [
    open(`GET http://${host}/ HTTP/1.1\r\nHost: x\r\n${authorization()}\r\n`),
    open(`CONNECT ${host} HTTP/1.1\r\n${authorization()}\r\n`),
  ];
  await Promise.all(clients.map((client) => once(client, 'data')));
  const closed = clients.map((client) => once(client.resume(), 'close'));
  ending.abort();
  await Promise.all(closed);
  await proxy.close();
  await assert.rejects(once(connect(proxy.socket), 'connect'), { code: 'ENOENT' });
});

test('a request is written anew: no hop-by-hop header, no other host, no second request', async () => {
  const heads: string[] = [];
  const server = createTcpServer((socket) => {
    socket.once('data', (chunk) => {
      heads.push(chunk.toString('latin1'));
      socket.end(
        'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: X-Secret\r\nX-Secret: 1\r\n' +
          'Proxy-Authenticate: Basic\r\nX-Kept: 1\r\n\r\nok',
      );
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  after(() => server.close());
  const { port } = server.address() as { port: number };
  const { raw, authorization } = await startProxyTo([`a.example:${port}`]);
  const url = `http://a.example:${port}/`;
  const more =
    'Host: inner.example\r\nConnection: X-Hop, Content-Length, close\r\nX-Hop: 1\r\nTE: trailers\r\n' +
    'Upgrade: h2c\r\nHTTP2-Settings: x\r\nProxy-Connection: keep-alive\r\nX-Kept: 1\r\n';
  const answer = await raw(
    `GET ${url} HTTP/1.1\r\n${authorization()}${more}Content-Length: 4\r\n\r\nbody`,
  );
  assert.match(answer, /^HTTP\/1.1 200 OK[\s\S]*X-Kept: 1[\s\S]*ok$/);
  assert.doesNotMatch(answer, /X-Secret|Proxy-Authenticate/);
  const [head = ''] = heads;
  assert.deepEqual(head.match(/^host: .*$/gim), [`Host: a.example:${port}`]);
  assert.match(head, /X-Kept: 1\r\n[\s\S]*Content-Length: 4\r\n/);
  assert.doesNotMatch(head, /X-Hop|TE:|Upgrade|HTTP2|Proxy-|guildhall/i);

  await raw(
    `POST ${url} HTTP/1.1\r\nHost: x\r\n${authorization()}Connection: close\r\nContent-Length: 4\r\n\r\nbody`,
  );
  assert.deepEqual(heads[1]?.match(/^content-length: .*$/gim), ['Content-Length: 4']);

  const smuggled = `GET ${url}other HTTP/1.1\r\nHost: inner.example\r\n\r\n`;
  for (const framing of [
    `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    `Content-Length: 0\r\nContent-Length: 5\r\n\r\n${smuggled}`,
    `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${smuggled}`,
    `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    `X: a\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  ]) {
    const told = await raw(`POST ${url} HTTP/1.1\r\nHost: x\r\n${authorization()}${framing}`);
    assert.equal(status(told), 400, framing);
  }
  // The second of two on one connection has no token of its own.
  const two = await raw(`GET ${url} HTTP/1.1\r\nHost: x\r\n${authorization()}\r\n${smuggled}`);
  assert.match(two, /^HTTP\/1.1 200 [\s\S]*HTTP\/1.1 407 /);
  assert.equal(two.match(/HTTP\/1.1 200/g)?.length, 1);
  assert.equal(
    heads.some((each) => each.includes('other')),
    false,
  );
});

test('other forms of requests, schemes and logins are refused', async () => {
  const { raw, authorization } = await startProxyTo(['a.example']);
  for (const line of [
    'GET / HTTP/1.1',
    'GET https://a.example/ HTTP/1.1',
    'GET ftp://a.example/ HTTP/1.1',
    'GET http://u:p@a.example/ HTTP/1.1',
    'GET http://a.example:0/ HTTP/1.1',
    'GET file:///etc/passwd HTTP/1.1',
    'CONNECT a.example HTTP/1.1',
    'CONNECT a.example:99999 HTTP/1.1',
    'CONNECT http://a.example/ HTTP/1.1',
    'CONNECT u@a.example:443 HTTP/1.1',
  ]) {
    const answer = await raw(
      `${line}\r\nHost: a.example\r\nConnection: close\r\n${authorization()}\r\n`,
    );
    assert.equal(status(answer), 400, line);
  }
});

test('names that are not there, and hosts that do not answer, are told within time', async () => {
  const silent = createServer(() => {});
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  after(() => silent.close());
  const { port } = silent.address() as { port: number };
  const hosts = ['none.example', 'slow.example', `a.example:${port}`, 'a.example:1'];
  const { get, tunnel } = await startProxyTo(hosts, {
    addresses: (name) =>
      name === 'slow.example' ? undefined : name === 'none.example' ? [] : ['127.0.0.1'],
    limits: { connect: 300, answer: 300 },
  });
  assert.equal(status(await get('http://none.example/')), 502);
  assert.equal(status(await get('http://slow.example/')), 504);
  assert.equal(status(await get(`http://a.example:${port}/`)), 504);
  assert.equal(status(await tunnel('a.example:1')), 502);
});

test('a hundred slow clients keep no other out, and idle tunnels end', async () => {
  const peer = await startPeer((_, response) => response.end('hello'));
  const { proxy, get, authorization } = await startProxyTo([`a.example:${peer.port}`], {
    limits: { idle: 200 },
  });
  const slow = Array.from({ length: 100 }, () => {
    const client = connect(proxy.socket);
    client.on('error', () => {}).write('GET http://a.example/ HTTP/1.1\r\nX: ');
    return client;
  });
  await Promise.all(slow.map((client) => once(client, 'connect')));
  assert.equal(status(await get(`http://a.example:${peer.port}/`)), 200);
  const idle = connect(proxy.socket);
  idle.write(`CONNECT a.example:${peer.port} HTTP/1.1\r\n${authorization()}\r\n`);
  await once(idle, 'data');
  await once(idle.resume(), 'close');
  for (const client of slow) client.destroy();
});

test('an attempt uses so many bytes, then what is open is cut and the rest refused', async () => {
  const peer = await startPeer((_, response) => response.end('x'.repeat(100_000)));
  const { get } = await startProxyTo([`a.example:${peer.port}`], { limits: { bytes: 50_000 } });
  assert.equal(status(await get(`http://a.example:${peer.port}/`)), 200);
  assert.match(
    await get(`http://a.example:${peer.port}/`),
    /^HTTP\/1.1 403 [\s\S]*as much of the network/,
  );
});

test('hosts below a pattern are counted by name up to a bound, and the others together', async () => {
  const peer = await startPeer((_, response) => response.end());
  const { proxy, get } = await startProxyTo([`*.a.example:${peer.port}`]);
  for (let i = 0; i < 60; i += 1) await get(`http://h${i}.a.example:${peer.port}/`);
  const used = proxy.used();
  assert.equal(used.length, 51);
  assert.equal(used.find(({ host }) => host === null)?.requests, 10);
});
