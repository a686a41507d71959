import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../platform/config/config.ts';
import type { OutgoingOptions } from '../../platform/outgoing/outgoing.ts';
import { ELSEWHERE, LOCALHOST } from '../../testing/fakes/mail-server/certificates.ts';
import { startNameServer } from '../../testing/fakes/name-server.ts';
import { startOdoo } from '../../testing/fixtures/erp/fake-server.ts';
import { startHarness } from '../../testing/harness/harness.ts';

// Servers by their names, through the guarded agent: from DNS over TLS to what is saved.

const OPEN = { ERP_ALLOWED_NETWORKS: '127.0.0.1', ERP_ALLOW_HTTP: 'true' };
const PLAIN = { name: 'Shop', kind: 'api_key', environment: 'staging' };

/** A server of ours with these settings, to which every name of DNS has these addresses. */
async function start(env: Record<string, string>, more: Partial<OutgoingOptions> = {}) {
  const found = { addresses: ['127.0.0.1'] };
  const dns = await startNameServer(() => found.addresses);
  const { allowedNetworks, allowHttp } = readConfig(env).erp;
  const { fixtures, request, unchanged } = await startHarness({
    env,
    outgoing: { allowedNetworks, allowHttp, dnsServers: [dns.address], ...more },
  });
  const { id, key } = await fixtures.user();
  const connections = `/api/projects/${await fixtures.project({ userId: id })}/odoo-connections`;
  const post = (path: string, body: object = {}) => request('POST', path, { key, body });
  return {
    found,
    dns,
    unchanged,
    probeUrl: async (url: string) => (await post('/api/odoo-connections/probe-url', { url })).body,
    probeLogin: async (url: string, secret: string) =>
      (await post('/api/odoo-connections/probe-login', { url, secret })).body,
    create: (url: string, secret: string) => post(connections, { ...PLAIN, url, secret }),
    again: async (connection: string) => (await post(`${connections}/${connection}/probe`)).body,
  };
}

test('a name that leads to an opened network: probed, saved, probed again, until it leads elsewhere', async () => {
  const odoo = await startOdoo();
  const url = `http://erp.example:${odoo.port}`;
  const at = await start(OPEN);
  const { code, server_version, databases, tls } = await at.probeUrl(`${url}/web/login`);
  assert.deepEqual([code, server_version, databases, tls], [undefined, '19.0', ['main'], false]);
  const login = await at.probeLogin(url, odoo.key('clerk'));
  assert.deepEqual([login.code, login.login_ok, login.access], [undefined, true, 'read']);
  const { status, body, text } = await at.create(url, odoo.key('admin'));
  assert.equal(status, 201, text);
  assert.deepEqual(
    [body.url, body.erp_version, body.last_probe.login_ok, body.last_probe.access],
    [url, '19.0', true, 'admin'],
  );
  assert.equal((await at.again(body.id)).code, undefined);
  assert.ok(odoo.requests.every(({ headers }) => headers.host === `erp.example:${odoo.port}`));
  assert.ok(at.dns.asked.length > 4 && at.dns.asked.every((name) => name === 'erp.example'));
  const before = odoo.requests.length;
  for (const addresses of [['10.0.0.1'], ['127.0.0.1', '127.0.0.2'], ['169.254.169.254']]) {
    at.found.addresses = addresses;
    assert.equal((await at.again(body.id)).code, 'blocked_address', addresses.join());
    const refused = await at.unchanged(() => at.create(url, odoo.key('admin')));
    assert.equal(refused.body.detail[0].type, 'odoo_blocked_address');
  }
  at.found.addresses = [];
  assert.equal((await at.again(body.id)).code, 'blocked_address');
  assert.equal(odoo.requests.length, before, 'nothing was sent');
});

test('without ERP_ALLOWED_NETWORKS the same name is refused, and nothing is sent', async () => {
  const odoo = await startOdoo();
  const at = await start({ ERP_ALLOW_HTTP: 'true' });
  const url = `http://erp.example:${odoo.port}`;
  assert.equal((await at.probeUrl(url)).code, 'blocked_address');
  assert.equal((await at.probeLogin(url, odoo.key('admin'))).code, 'blocked_address');
  const { status, body } = await at.unchanged(() => at.create(url, odoo.key('admin')));
  assert.deepEqual([status, body.detail[0].type], [422, 'odoo_blocked_address']);
  assert.equal(odoo.requests.length, 0);
});

test('over TLS: the certificate must be for the name and of an authority that is trusted', async () => {
  const odoo = await startOdoo({ tls: ELSEWHERE });
  const env = { ERP_ALLOWED_NETWORKS: '127.0.0.1' };
  const at = await start(env, { ca: ELSEWHERE.cert });
  const url = `https://elsewhere.example:${odoo.port}`;
  const { code, tls, server_version } = await at.probeUrl(url);
  assert.deepEqual([code, tls, server_version], [undefined, true, '19.0']);
  const { status, body, text } = await at.create(url, odoo.key('admin'));
  assert.deepEqual([status, body.last_probe?.tls, body.url], [201, true, url], text);
  const before = odoo.requests.length;
  const other = await at.unchanged(() =>
    at.create(`https://erp.example:${odoo.port}`, odoo.key('admin')),
  );
  assert.equal(other.body.detail[0].type, 'odoo_tls_name');
  const untrusting = await start(env, { ca: LOCALHOST.cert });
  assert.equal((await untrusting.probeUrl(url)).code, 'tls_untrusted');
  assert.equal((await untrusting.create(url, odoo.key('admin'))).status, 422);
  const plain = await at.unchanged(() => at.create(url.replace('https', 'http'), 'x'));
  assert.equal(plain.body.detail[0].type, 'odoo_url_not_https');
  assert.equal(odoo.requests.length, before, 'no secret was sent');
});
