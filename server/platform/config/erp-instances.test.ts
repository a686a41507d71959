import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { faultsOf } from '../../testing/harness/config-faults.ts';
import { defaultCatalog } from '../catalog/catalog.ts';
import { readConfig } from './config.ts';

const directory = await mkdtemp(join(tmpdir(), 'guildhall-config-'));
after(() => rm(directory, { recursive: true }));

const DEFAULTS = {
  folder: '/data/erp-instances',
  publicUrl: undefined,
  entry: undefined,
  idle: 4 * 3_600_000,
  startWithin: 300_000,
  perOwner: 5,
  dumpBytes: 1024 * 1024 * 1024,
};
const FAKE_ODOO = { ...DEFAULTS, driver: 'command', sandbox: true };
const DATABASE = { DATABASE_URL: 'postgres://db.example.com/guildhall' };

test('without settings a fake Odoo runs in every version; the defaults are those of the documentation', () => {
  const { erpInstances, erpPrograms } = readConfig({ DATA_DIR: '/data' });
  assert.deepEqual(erpInstances, FAKE_ODOO);
  assert.deepEqual(
    erpPrograms.map(({ version, editions }) => ({ version, editions })),
    defaultCatalog.erp.versions.map(({ version, editions }) => ({ version, editions })),
  );
});

test('the fake runs by default only where nothing counts, and anywhere when it is asked for', async () => {
  const file = join(directory, 'empty.json');
  await writeFile(file, '{}');
  for (const env of [
    { ERP_INSTANCES: 'off' },
    DATABASE,
    { GUILDHALL_CATALOG: file },
    { STRIPE_SECRET_KEY: 'sk_test_1234' },
  ]) {
    const { erpInstances, erpPrograms } = readConfig({ DATA_DIR: '/data', ...env });
    assert.deepEqual(erpInstances, { ...DEFAULTS, driver: 'off', sandbox: false });
    assert.deepEqual(erpPrograms, []);
  }
  const asked = readConfig({ DATA_DIR: '/data', ...DATABASE, ERP_INSTANCES: 'sandbox' });
  assert.deepEqual(asked.erpInstances, FAKE_ODOO);
});

test('commands need a program in the catalog', async () => {
  const file = join(directory, 'catalog.json');
  const program = { version: '19.0', editions: ['community'], start: ['odoo', '{port}'] };
  await writeFile(file, JSON.stringify({ erp_programs: [program] }));
  const env = { ERP_INSTANCES: 'command' };
  assert.deepEqual(faultsOf(env), [
    'GUILDHALL_CATALOG must have a part erp_programs for ERP_INSTANCES=command',
  ]);
  const config = readConfig({ ...env, GUILDHALL_CATALOG: file });
  assert.deepEqual([config.erpInstances.driver, config.erpPrograms], ['command', [program]]);
});

test('people are let in at an address of this machine, by a name of each instance', () => {
  const url = 'https://{id}.erp.example.com';
  const listen = { ERP_INSTANCES_LISTEN: '127.0.0.1:8090' };
  assert.deepEqual(readConfig({ ...listen, ERP_INSTANCES_URL: url }).erpInstances.entry, {
    host: '127.0.0.1',
    port: 8090,
    secure: true,
  });
  for (const other of [{}, { ERP_INSTANCES_URL: 'http://127.0.0.1:{port}/' }])
    assert.equal(faultsOf({ ...listen, ...other }).length, 1);
  for (const wrong of ['8090', 'a b:80', '127.0.0.1:99999'])
    assert.equal(faultsOf({ ERP_INSTANCES_LISTEN: wrong, ERP_INSTANCES_URL: url }).length, 1);
});

test('the address of instances has something of each in it', () => {
  for (const url of ['https://{id}.erp.example.com', 'http://127.0.0.1:{port}/'])
    assert.deepEqual(faultsOf({ ERP_INSTANCES_URL: url }), []);
  for (const url of ['https://erp.example.com', 'ftp://{id}.example.com', '{name}'])
    assert.deepEqual(faultsOf({ ERP_INSTANCES_URL: url }), [
      'ERP_INSTANCES_URL must begin with http:// or https:// and contain {name}, {id} or {port}',
    ]);
});
