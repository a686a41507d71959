import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { commandDriver } from '../../server/erp/instances/command-driver.ts';
import type { InstanceCommand } from '../../server/erp/instances/instance-driver.ts';
import { isReady } from '../../server/erp/instances/ready.ts';
import { probeLogin, probeUrl } from '../../server/erp/odoo/probing.ts';
import { decodeAnswer, encodeCall, type Value } from '../../server/erp/odoo/xml-rpc.ts';
import { makeErpGateway } from '../../server/testing/fixtures/erp/erp-gateway.ts';
import { outgoingTo } from '../../server/testing/fixtures/erp/fake-server.ts';
import { signIn, specOf } from '../../server/testing/fixtures/erp/instances.ts';
import {
  odooMajor,
  odooProgram,
  odooTemplate,
  odooVersion,
  withoutOdoo,
} from '../../server/testing/fixtures/erp/real-odoo.ts';
import { until } from '../../server/testing/harness/until.ts';

/**
 * What the fake cannot prove: a real Odoo is started, probed, and read through the gateway. For
 * a machine that has Odoo 19 or 16; see docs/erp.md.
 */

/** Runs it as throwaway instances run, and removes it after the test. */
async function startRealOdoo(t: Pick<TestContext, 'after'>) {
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-odoo-'));
  await chmod(directory, 0o755);
  const programs = [odooProgram()];
  const driver = commandDriver({ directory, programs });
  // As it is derived: what has a space is no key, because no header can hold it.
  const spec = specOf(randomUUID(), {
    erpVersion: odooVersion,
    password: randomBytes(24).toString('base64url'),
  });
  t.after(async () => {
    await driver.destroy(spec.id);
    await rm(directory, { recursive: true });
  });
  await driver.create(spec);
  await driver.start(spec);
  const url = (await driver.url(spec.id)) ?? '';
  await until('it is ready', () => isReady(url, spec), 30 * 60_000);
  return { url, spec, driver };
}

test('a real Odoo: started, probed, used through the gateway, and removed', {
  skip: withoutOdoo,
}, async (t) => {
  const { url, spec, driver } = await startRealOdoo(t);
  const { database, password } = spec;
  assert.ok(Number(await signIn(url, spec)) > 0);
  // It is a key, too.
  const key = password;
  const outgoing = outgoingTo();
  const login = { url, database, login: 'admin', secret: key, kind: 'api_key' as const };

  await t.test('probes find version, rights and expiry', async () => {
    const found = await probeUrl(outgoing, url, { erpVersion: odooVersion });
    assert.deepEqual([found.code, found.server_version], [undefined, odooVersion]);
    const other = await probeUrl(outgoing, url, { erpVersion: '18.0' });
    assert.equal(other.code, 'version_mismatch');
    const byKey = await probeLogin(outgoing, login);
    assert.deepEqual(
      [byKey.code, byKey.login_ok, byKey.access, byKey.edition],
      [undefined, true, 'admin', 'community'],
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

  await t.test(
    'a script of odoo shell works in its database while it serves, and reaches no other',
    async () => {
      const { signal } = new AbortController();
      const run = async (command: InstanceCommand) =>
        (await driver.run?.(spec, command, { signal })) ?? assert.fail('it has no commands');
      const shell = (script: string) => run({ what: 'shell', script });
      const count = "print('there are', env['res.partner'].search_count([]))";
      const made = "env['res.partner'].create({'name': 'Shell'})\nenv.cr.commit()\n";
      const { code, log } = await shell(made + count);
      assert.equal(code, 0, log);
      assert.match(log, /there are \d+/);
      const connect = `psycopg2.connect(dbname='${odooTemplate}', host='/run/guildhall')`;
      const outside = await shell(`import psycopg2\n${connect}\n`);
      assert.match(outside.log, /permission denied for database/);
      const network = await shell("import socket\nsocket.create_connection(('1.1.1.1', 443), 5)\n");
      assert.match(network.log, /Network is unreachable/);
      const updated = await run({ what: 'update', modules: ['web_tour'] });
      assert.equal(updated.code, 0, updated.log);
      assert.ok(Number(await signIn(url, spec)) > 0);
    },
  );

  await t.test(
    'what takes more memory than an instance may is ended, and the rest goes on',
    async () => {
      const script = `import subprocess
hungry = 'import time; kept = b"x" * (1600 << 20); time.sleep(60)'
each = [subprocess.Popen(['python3', '-c', hungry]) for _ in range(3)]
[one.wait() for one in each]
`;
      const { signal } = new AbortController();
      const ended = await driver.run?.(spec, { what: 'shell', script }, { signal });
      assert.notEqual(ended?.code, 0);
      assert.match(ended?.log ?? '', /It used more than 4 GiB of memory\.$/m);
      assert.ok(Number(await signIn(url, spec)) > 0);
    },
  );

  // Its own way is the first one: JSON-2 from 19 on, JSON-RPC before.
  for (const access of ['read', 'write'] as const)
    await t.test(`the gateway lets through what ${access} allows`, async () => {
      const { json2, send, gateway } = await makeErpGateway({
        url,
        database,
        login: 'admin',
        secret: key,
        credential: odooMajor < 19 ? 'password' : 'api_key',
        erpVersion: odooVersion,
        access,
      });
      const call = (method: string, ...args: Value[]) =>
        ['any', 1, gateway.token, 'res.partner', method, ...args] as Value[];
      const jsonRpc = async (method: string, ...args: Value[]) => {
        const params = { service: 'object', method: 'execute_kw', args: call(method, ...args) };
        const body = { jsonrpc: '2.0', id: 1, method: 'call', params };
        const { text } = await send({ path: '/jsonrpc', body, token: '' });
        return JSON.parse(text) as { result?: unknown; error?: { code: number } };
      };
      const count = async () => {
        const body = encodeCall('execute_kw', call('search_count', [[]]));
        const { text } = await send({ path: '/xmlrpc/2/object', body, token: '' });
        return decodeAnswer(text);
      };
      const { result } = await jsonRpc('search_read', [[]], { fields: ['name'] });
      const before = (result as unknown[]).length;
      assert.ok(before > 0);
      if (odooMajor < 19) {
        const { result: id, error } = await jsonRpc('create', [[{ name: 'Made' }]]);
        assert.equal(Array.isArray(id), access === 'write');
        assert.equal(error?.code, access === 'write' ? undefined : 403);
      } else {
        const read = await json2('res.partner', 'search_read', { domain: [], fields: ['name'] });
        assert.equal(read.status, 200, read.text);
        assert.equal(JSON.parse(read.text).length, before);
        const made = await json2('res.partner', 'create', { vals_list: [{ name: 'Made' }] });
        assert.equal(made.status, access === 'write' ? 200 : 403, made.text);
      }
      assert.deepEqual(await count(), { value: before + Number(access === 'write') });
    });
});
