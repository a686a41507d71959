import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { commandDriver } from '../../server/erp/instances/command-driver.ts';
import { isReady } from '../../server/erp/instances/ready.ts';
import { probeLogin, probeUrl } from '../../server/erp/odoo/probing.ts';
import { decodeAnswer, encodeCall } from '../../server/erp/odoo/xml-rpc.ts';
import { makeErpGateway } from '../../server/testing/fixtures/erp/erp-gateway.ts';
import { outgoingTo } from '../../server/testing/fixtures/erp/fake-server.ts';
import { signIn, specOf } from '../../server/testing/fixtures/erp/instances.ts';
import { until } from '../../server/testing/harness/until.ts';
import { hashPassword } from './hash-password.ts';

/**
 * What the fake cannot prove: a real Odoo is started, probed, and read through the gateway. For
 * a machine that has Odoo 19; see docs/erp.md.
 */

const { GUILDHALL_TEST_ODOO: odoo, ODOO_TEMPLATE: template } = process.env;

const withoutOdoo =
  odoo === undefined || template === undefined
    ? 'needs GUILDHALL_TEST_ODOO, the path of odoo, and ODOO_TEMPLATE, a database of version 19'
    : false;

const DAY = 86_400_000;
const MAIN = join(import.meta.dirname, 'main.ts');

/** Runs it as throwaway instances run, and removes it after the test. */
async function startRealOdoo(t: Pick<TestContext, 'after'>) {
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-odoo-'));
  const variables = Object.entries(process.env).filter(([name]) => name.startsWith('PG'));
  const program = [
    'env',
    ...variables.map((each) => each.join('=')),
    `ODOO=${odoo}`,
    `ODOO_TEMPLATE=${template}`,
    process.execPath,
    MAIN,
  ];
  const own = { version: '19.0', editions: ['community' as const] };
  const programs = [{ ...own, start: [...program, 'start'], remove: [...program, 'remove'] }];
  const driver = commandDriver({ directory, programs });
  const spec = specOf(randomUUID());
  t.after(async () => {
    await driver.destroy(spec.id);
    await rm(directory, { recursive: true });
  });
  await driver.create(spec);
  await driver.start(spec);
  const url = (await driver.url(spec.id)) ?? '';
  await until('it is ready', () => isReady(url, spec), 120_000);
  return { url, spec };
}

/** Gives `admin` an API key, as a person does in their preferences: there is no call that would. */
async function makeKey(database: string, expiresAt: Date): Promise<string> {
  const key = randomBytes(20).toString('hex');
  const client = new pg.Client({ database });
  await client.connect();
  await client.query(
    `insert into res_users_apikeys (name, user_id, expiration_date, index, key)
     select 'test', id, $1, $2, $3 from res_users where login = 'admin'`,
    [expiresAt.toISOString(), key.slice(0, 8), hashPassword(key)],
  );
  await client.end();
  return key;
}

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
    const found = await probeUrl(outgoing, url, { erpVersion: '19.0' });
    assert.deepEqual([found.code, found.server_version], [undefined, '19.0']);
    const other = await probeUrl(outgoing, url, { erpVersion: '18.0' });
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
          'any',
          1,
          gateway.token,
          'res.partner',
          'search_count',
          [[]],
        ]),
        token: '',
      });
      assert.deepEqual(decodeAnswer(counted.text), { value: before + Number(access === 'write') });
    });
});
