import assert from 'node:assert/strict';
import { test } from 'node:test';
import { probeLogin, probeUrl } from '../../api/erp/odoo/probing.ts';
import { decodeAnswer, encodeCall } from '../../api/erp/odoo/xml-rpc.ts';
import { outgoingTo } from '../../api/testing/erp.ts';
import { makeErpGateway } from '../../api/testing/erp-gateway.ts';
import { signIn } from '../../api/testing/instances.ts';
import { makeKey, startRealOdoo, withoutOdoo } from '../../api/testing/real-odoo.ts';

/** What the stand-in cannot prove: a real Odoo is started, probed, and read through the gateway. */

const DAY = 86_400_000;

test('a real Odoo: started, probed, used through the gateway, and removed', {
  skip: withoutOdoo,
}, async (t) => {
  const { url, spec } = await startRealOdoo(t);
  const { database, password } = spec;
  assert.ok(Number(await signIn(url, spec)) > 0);
  const expiresAt = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 10 * DAY);
  const key = await makeKey(database, expiresAt);
  const outgoing = outgoingTo();
  const login = { url, database, login: 'admin', secret: key };

  await t.test('probes find version, rights and expiry', async () => {
    const found = await probeUrl(outgoing, url, '19.0');
    assert.deepEqual([found.code, found.server_version], [undefined, '19.0']);
    const other = await probeUrl(outgoing, url, '18.0');
    assert.equal(other.code, 'version_mismatch');
    const byKey = await probeLogin(outgoing, login);
    assert.deepEqual(
      [byKey.code, byKey.login_ok, byKey.access, byKey.edition, byKey.expires_at],
      [undefined, true, 'admin', 'community', expiresAt.toISOString()],
    );
    const byPassword = await probeLogin(outgoing, { ...login, secret: password, kind: 'password' });
    assert.deepEqual([byPassword.code, byPassword.access], [undefined, 'admin']);
    assert.equal(byPassword.uid, byKey.uid);
  });

  await t.test('probes tell what is wrong', async () => {
    const wrong = { ...login, secret: 'f'.repeat(40) };
    assert.equal((await probeLogin(outgoing, wrong)).code, 'bad_credentials');
    const mistyped = { ...login, secret: 'wrong', kind: 'password' as const };
    assert.equal((await probeLogin(outgoing, mistyped)).code, 'bad_credentials');
    const elsewhere = { ...login, database: 'nowhere' };
    assert.equal((await probeLogin(outgoing, elsewhere)).code, 'database_unknown');
  });

  for (const access of ['read', 'write'] as const)
    await t.test(`the gateway lets through what ${access} allows`, async () => {
      const target = { url, database, login: 'admin', secret: key, access } as const;
      const { json2, send, gateway } = await makeErpGateway(target);
      const read = await json2('res.partner', 'search_read', { domain: [], fields: ['name'] });
      assert.equal(read.status, 200, read.text);
      const before = JSON.parse(read.text).length;
      assert.ok(before > 0);
      const made = await json2('res.partner', 'create', { vals_list: [{ name: 'Made' }] });
      assert.equal(made.status, access === 'write' ? 200 : 403, made.text);
      const counted = await send({
        path: '/xmlrpc/2/object',
        body: encodeCall('execute_kw', [
          ...['any', 1, gateway.token, 'res.partner', 'search_count'],
          ...[[[]]],
        ]),
        token: '',
      });
      assert.deepEqual(decodeAnswer(counted.text), { value: before + Number(access === 'write') });
    });
});
