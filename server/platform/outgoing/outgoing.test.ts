import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startPeer } from '../../testing/clients/peer.ts';
import { ELSEWHERE, EXPIRED, LOCALHOST } from '../../testing/fakes/mail-server/certificates.ts';
import { OutgoingError, openOutgoing } from './outgoing.ts';

/** What a server at an address of a caller's choice can do, and what a caller learns of it. */

const local = openOutgoing({ allowedNetworks: ['127.0.0.1'], allowHttp: true });
const strict = openOutgoing({ allowedNetworks: [], allowHttp: false });
const get = (url: string, more: object = {}) => local.send({ url, method: 'GET', ...more });

async function refusal(work: Promise<unknown>): Promise<{ code: string; message: string }> {
  const error = await work.then(() => undefined).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof OutgoingError, String(error));
  return { code: error.code, message: error.message };
}
const codeOf = async (work: Promise<unknown>) => (await refusal(work)).code;

test('a request is answered with the status, the headers and the body', async () => {
  const peer = await startPeer((request, response) => {
    response.writeHead(404, { 'x-seen': `${request.headers.host}`, 'set-cookie': ['a=1', 'b=2'] });
    response.end('nothing here');
  });
  const { status, headers, body, url, redirected } = await get(`${peer.url}/x?y=1#z`);
  assert.deepEqual([status, String(body), redirected], [404, 'nothing here', false]);
  assert.deepEqual(
    [headers['x-seen'], headers['set-cookie']],
    [new URL(peer.url).host, 'a=1, b=2'],
  );
  assert.equal(url, `${peer.url}/x?y=1`);
});

test('private addresses are refused in every spelling, whether or not something listens', async () => {
  const peer = await startPeer((_, response) => response.end('inner'));
  const closed = openOutgoing({ allowedNetworks: [], allowHttp: true });
  const hosts = [
    '127.0.0.1',
    '2130706433',
    '0x7f000001',
    '017700000001',
    '0177.0.0.1',
    '0x7f.1',
    '127.1',
    '127.0.0.1.',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::]',
    '0.0.0.0',
    '0',
    'localhost',
    '%31%32%37.0.0.1',
    '１２７.0.0.1',
    '[64:ff9b::7f00:1]',
    '169.254.169.254',
  ];
  const told = new Set<string>();
  for (const host of hosts)
    for (const port of [peer.port, 1]) {
      const { code, message } = await refusal(
        closed.send({ url: `http://${host}:${port}/`, method: 'GET' }),
      );
      told.add(`${code} ${message}`);
    }
  assert.deepEqual(
    [...told].map((one) => one.split(' ')[0]),
    ['blocked_address'],
  );
  assert.deepEqual(peer.received, []);
});

test('only https is accepted, and no credentials in the address', async () => {
  const bad = ['http://a.example', 'ftp://a.example', 'file:///etc/passwd', 'gopher://a', 'x', ''];
  const logins = [
    'https://u@a.example',
    'https://u:p@a.example',
    `https://a.example/${'x'.repeat(2_000)}`,
  ];
  const ports = ['https://127.0.0.1:0', 'https://127.0.0.1:00/', 'https://127.0.0.1:65536'];
  for (const url of [...bad, ...logins, ...ports])
    assert.equal(await codeOf(strict.send({ url, method: 'GET' })), 'invalid_url', url);
});

test('a closed port, a server that hangs up and one of another protocol are told apart', async () => {
  assert.equal(await codeOf(get('http://127.0.0.1:1/')), 'refused');
  const rude = await startPeer(({ socket }) => socket.destroy());
  assert.equal(await codeOf(get(rude.url)), 'broken');
  const ssh = createServer((socket) => socket.on('error', () => {}).end('SSH-2.0-x\r\n'));
  ssh.listen(0, '127.0.0.1');
  await once(ssh, 'listening');
  const { port } = ssh.address() as { port: number };
  assert.equal(await codeOf(get(`http://127.0.0.1:${port}/`)), 'broken');
  ssh.close();
  const upgrading = await startPeer(() => {});
  assert.equal(await codeOf(get(upgrading.url.replace('http:', 'https:'))), 'broken');
});

test('redirects are followed with method and body, at most three', async () => {
  const peer = await startPeer(async (request, response) => {
    const left = Number(request.url?.slice(1));
    if (left > 0) return response.writeHead(301, { location: `/${left - 1}` }).end();
    let body = '';
    for await (const piece of request) body += piece;
    return response.end(`${request.method} ${body}`);
  });
  const sent = { url: `${peer.url}/3`, method: 'POST', body: 'kept' } as const;
  const answer = await local.send(sent);
  assert.deepEqual([String(answer.body), answer.redirected], ['POST kept', true]);
  assert.equal(answer.url, `${peer.url}/0`);
  assert.equal(await codeOf(local.send({ ...sent, url: `${peer.url}/4` })), 'redirected');
  const first = await local.send({ ...sent, followRedirects: false });
  assert.deepEqual([first.status, first.headers.location], [301, '/2']);
});

test('a redirect inward, to another protocol or with a login leads nowhere', async () => {
  const inner = await startPeer((_, response) => response.end('inner'), { host: '127.0.0.2' });
  const targets = [
    [inner.url, 'blocked_address'],
    [`http://[::ffff:127.0.0.1]:${inner.port}/`, 'blocked_address'],
    ['file:///etc/passwd', 'redirected'],
    ['http://u:p@127.0.0.1/', 'redirected'],
    ['http://', 'redirected'],
  ] as const;
  for (const [location, code] of targets) {
    const peer = await startPeer((_, response) => response.writeHead(302, { location }).end());
    assert.equal(await codeOf(get(peer.url)), code, location);
  }
  assert.deepEqual(inner.received, []);
});

test('what is secret goes to no other origin', async () => {
  const seen: unknown[] = [];
  const other = await startPeer(({ headers }, response) => {
    seen.push(headers.authorization, headers['x-odoo-database'], headers.accept);
    response.end();
  });
  const peer = await startPeer((_, response) =>
    response.writeHead(307, { location: other.url }).end(),
  );
  const headers = { authorization: 'Bearer s', 'x-odoo-database': 'd', accept: 'text/html' };
  await get(peer.url, { headers });
  assert.deepEqual(seen, [undefined, undefined, 'text/html']);
  assert.equal(await codeOf(get(peer.url, { headers, carriesSecret: true })), 'redirected');
  assert.equal(other.received.length, 1);
});

test('an answer that drips or never begins ends with the time of the whole request', async () => {
  const drips = await startPeer((_, response) => {
    const timer = setInterval(() => response.write('x'), 20);
    response.once('close', () => clearInterval(timer));
  });
  const silent = await startPeer(() => {});
  const loop = await startPeer((_, response) => {
    setTimeout(() => response.writeHead(302, { location: '/' }).end(), 150);
  });
  for (const { url } of [drips, silent, loop])
    assert.equal(await codeOf(get(url, { timeout: 300 })), 'timeout');
});

test('an endless answer is cut, and a compressed one is not unpacked', async () => {
  let written = 0;
  const endless = await startPeer((_, response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536))) written += 65_536;
    };
    response.on('drain', more);
    more();
  });
  assert.equal(await codeOf(get(endless.url)), 'too_large');
  assert.ok(written < 32 * 1024 ** 2, `${written}`);
  const bomb = await startPeer((request, response) => {
    assert.equal(request.headers['accept-encoding'], 'identity');
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(900_000)));
  });
  assert.equal(await codeOf(get(bomb.url)), 'broken');
  const heads = await startPeer((_, response) =>
    response.writeHead(200, { 'x-long': 'y'.repeat(200_000) }).end(),
  );
  assert.equal(await codeOf(get(heads.url)), 'broken');
});

test('a certificate must be trusted, in time and for the name', async () => {
  const answer = (_: unknown, response: { end(text: string): void }) => response.end('safe');
  const ca = [LOCALHOST, ELSEWHERE, EXPIRED].map(({ cert }) => cert).join('\n');
  const trusting = openOutgoing({ allowedNetworks: ['127.0.0.1', '::1'], allowHttp: false, ca });
  const good = await startPeer(answer, { tls: LOCALHOST });
  const { body } = await trusting.send({ url: good.url, method: 'GET' });
  assert.equal(String(body), 'safe');
  const cases = [
    [
      LOCALHOST,
      openOutgoing({ allowedNetworks: ['127.0.0.1', '::1'], allowHttp: false }),
      'tls_untrusted',
    ],
    [ELSEWHERE, trusting, 'tls_name'],
    [EXPIRED, trusting, 'tls_expired'],
  ] as const;
  for (const [tls, outgoing, code] of cases) {
    const peer = await startPeer(answer, { tls });
    assert.equal(await codeOf(outgoing.send({ url: peer.url, method: 'GET' })), code);
    assert.deepEqual(peer.received, []);
  }
});

test('no proxy of the environment is used', async () => {
  const proxy = await startPeer((_, response) => response.end('proxied'));
  const peer = await startPeer((_, response) => response.end('direct'));
  const program = `
    const { openOutgoing } = await import(${JSON.stringify(join(import.meta.dirname, 'outgoing.ts'))});
    const outgoing = openOutgoing({ allowedNetworks: ['127.0.0.1'], allowHttp: true });
    const { body } = await outgoing.send({ url: '${peer.url}', method: 'GET' });
    process.stdout.write(body);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.url, http_proxy: proxy.url, NO_PROXY: '' },
  });
  const [text] = await once(child.stdout, 'data');
  assert.deepEqual([String(text), proxy.received], ['direct', []]);
});

test('what the caller ends is ended, with their reason', async () => {
  const silent = await startPeer(() => {});
  const ending = new AbortController();
  const sent = get(silent.url, { signal: ending.signal });
  const reason = new Error('the turn has ended');
  setTimeout(() => ending.abort(reason), 50);
  await assert.rejects(sent, reason);
});
