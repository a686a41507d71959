import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OutgoingCode, OutgoingError } from '../../platform/outgoing/outgoing.ts';
import { EXPIRED } from '../../testing/fakes/fake-odoo/certificates.ts';
import type { FakeOdooOptions } from '../../testing/fakes/fake-odoo/server.ts';
import { ELSEWHERE, LOCALHOST } from '../../testing/fakes/mail-server/certificates.ts';
import { outgoingTo, startOdoo } from '../../testing/fixtures/erp/fake-server.ts';
import { probeUrl } from './probing.ts';

const outgoing = outgoingTo();

for (const version of ['16.0', '17.0', '18.0', '19.0'] as const)
  test(`${version}: the server, its edition and its databases are found`, async () => {
    const two = await startOdoo({ version, databases: ['one', 'two'] });
    const { latency_ms, ...found } = await probeUrl(outgoing, `${two.url}/web/login?db=one#top`);
    assert.deepEqual(found, {
      reachable: true,
      tls: false,
      server_version: version,
      edition: 'unknown',
      databases: ['one', 'two'],
      login_ok: false,
      access: 'none',
      message: 'Odoo answers.',
    });
    assert.ok(Number.isInteger(latency_ms));
    const paid = await startOdoo({ version, edition: 'enterprise' });
    const { edition, server_version, database } = await probeUrl(outgoing, paid.url);
    assert.deepEqual([edition, server_version, database], ['enterprise', version, 'main']);
  });

test('a server that lists no databases, or has XML-RPC closed, is found all the same', async () => {
  const silent = await startOdoo({ listDatabases: false });
  const { code, databases, server_version } = await probeUrl(outgoing, silent.url);
  assert.deepEqual([code, databases, server_version], [undefined, undefined, '19.0']);
  const closed = await startOdoo({ version: '17.0', closed: ['/xmlrpc'] });
  const found = await probeUrl(outgoing, closed.url);
  assert.deepEqual([found.code, found.server_version], [undefined, '17.0']);
});

test('TLS with a certificate that is trusted is shown', async () => {
  const { url } = await startOdoo({ tls: LOCALHOST });
  const { tls, code } = await probeUrl(outgoingTo({ ca: LOCALHOST.cert }), url);
  assert.deepEqual([tls, code], [true, undefined]);
});

const TLS = [
  ['tls_untrusted', LOCALHOST, undefined],
  ['tls_name', ELSEWHERE, ELSEWHERE.cert],
  ['tls_expired', EXPIRED, EXPIRED.cert],
] as const;

for (const [code, tls, ca] of TLS)
  test(`${code}: the certificate is refused`, async () => {
    const fake = await startOdoo({ tls });
    const found = await probeUrl(outgoingTo(ca === undefined ? {} : { ca }), fake.url);
    assert.deepEqual([found.code, found.reachable, found.tls], [code, false, false]);
    assert.equal(fake.requests.length, 0);
  });

test('refused: nothing listens at the port', async () => {
  const fake = await startOdoo();
  await fake.close();
  const found = await probeUrl(outgoing, fake.url);
  assert.deepEqual([found.code, found.reachable], ['refused', false]);
});

test('timeout: all requests together end after ten seconds', async () => {
  const fake = await startOdoo({ slow: 6_000 });
  const started = performance.now();
  const { code } = await probeUrl(outgoing, fake.url);
  const seconds = (performance.now() - started) / 1000;
  assert.equal(code, 'timeout');
  assert.ok(seconds > 9 && seconds < 11.5, `${seconds} s`);
});

const ANSWERS: [string, FakeOdooOptions][] = [
  ['not_odoo', { instead: { status: 404 } }],
  ['not_odoo', { instead: { status: 502 } }],
  ['not_odoo', { instead: { status: 200, type: 'text/xml', body: '<rss/>' } }],
  ['not_odoo', { instead: { status: 200, body: 'x'.repeat(2 ** 20 + 1) } }],
  ['rate_limited', { rateLimited: 30 }],
  ['database_down', { postgresDown: true }],
  ['database_down', { postgresDown: true, listDatabases: false }],
  ['database_down', { postgresDown: true, version: '16.0' }],
];

for (const [code, options] of ANSWERS)
  test(`${code}: ${JSON.stringify(options).slice(0, 60)}`, async () => {
    const fake = await startOdoo(options);
    const found = await probeUrl(outgoing, fake.url);
    assert.deepEqual([found.code, found.reachable], [code, true]);
    assert.ok(fake.requests.length <= 4);
  });

for (const status of [301, 302, 307, 308] as const)
  test(`redirected: ${status} to another origin, at which nothing is asked but the version`, async () => {
    const there = await startOdoo();
    const here = await startOdoo({ redirect: { status, to: there.url } });
    const found = await probeUrl(outgoing, here.url);
    assert.deepEqual(
      [found.code, found.reachable, found.server_version],
      ['redirected', true, undefined],
    );
    assert.deepEqual(
      there.requests.map(({ method, path }) => `${method} ${path}`),
      ['POST /xmlrpc/2/common'],
    );
  });

test('version_mismatch: another version than expected, with what was found', async () => {
  const { url } = await startOdoo({ version: '18.0' });
  const found = await probeUrl(outgoing, url, { erpVersion: '19.0' });
  assert.deepEqual([found.code, found.server_version], ['version_mismatch', '18.0']);
  assert.equal((await probeUrl(outgoing, url, { erpVersion: '18.0' })).code, undefined);
});

test('blocked_address: what this server may not reach, in any spelling, is one answer', async () => {
  const fake = await startOdoo();
  const strict = outgoingTo({ allowedNetworks: [], allowHttp: false });
  const found = [];
  for (const url of [
    fake.url,
    fake.url.replace('http:', 'https:'),
    'https://169.254.169.254/latest',
    'https://user:password@erp.example.com',
    'ftp://erp.example.com',
    'not an address',
    // Whether an inner name exists is not told either.
    'https://no-such-name.invalid',
  ])
    found.push(await probeUrl(strict, url));
  // Nothing can listen at port 0, wherever that is.
  for (const port of [0, '00', 65536])
    found.push(await probeUrl(outgoing, `http://127.0.0.1:${port}`));
  for (const each of found) assert.deepEqual(each, found[0]);
  assert.deepEqual([found[0]?.code, found[0]?.reachable], ['blocked_address', false]);
  assert.equal(fake.requests.length, 0);
});

test('every failure of a connection has a code of the probe', async () => {
  const codes: Record<OutgoingCode, string> = {
    dns: 'blocked_address',
    refused: 'refused',
    timeout: 'timeout',
    redirected: 'redirected',
    tls_untrusted: 'tls_untrusted',
    tls_name: 'tls_name',
    tls_expired: 'tls_expired',
    invalid_url: 'blocked_address',
    blocked_address: 'blocked_address',
    too_large: 'not_odoo',
    broken: 'not_odoo',
  };
  for (const [failure, code] of Object.entries(codes)) {
    const send = () => Promise.reject(new OutgoingError(failure as OutgoingCode));
    assert.equal((await probeUrl({ send }, 'https://erp.example.com')).code, code, failure);
  }
});
