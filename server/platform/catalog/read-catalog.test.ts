import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Compile } from 'typebox/compile';
import { ConfigError, readConfig } from '../config/config.ts';
import { catalogSchema, defaultCatalog } from './catalog.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests break catalogs in ways that no type allows.
type Any = any;

const directory = await mkdtemp(join(tmpdir(), 'guildhall-catalog-'));
after(() => rm(directory, { recursive: true }));
const path = join(directory, 'catalog.json');

/** The catalog of a start with this file. Throws ConfigError. */
async function read(file: unknown) {
  await writeFile(path, typeof file === 'string' ? file : JSON.stringify(file));
  return readConfig({ GUILDHALL_CATALOG: path, MODEL_KEY: 'k3y' }).catalog;
}

/** The faults that a start with this file lists. */
async function faultsOf(file: unknown): Promise<string[]> {
  try {
    await read(file);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((fault) => fault.replace('GUILDHALL_CATALOG: ', ''));
  }
}

const model = (id: string) => ({
  id,
  name: id,
  agent: 'opencode',
  provider: 'acme',
  prices: { input: '3.00', output: '15.00', cache_read: '0.30' },
});
/** As everyone is shown it. */
const shown = (id: string, is_default: boolean) => {
  const { provider, ...rest } = model(id);
  return { ...rest, is_default };
};
const version = (name: string) => ({
  version: name,
  editions: ['community'],
  status: 'supported',
});
const catalog = (): Any => ({
  erp: { versions: [version('19.0'), version('18.0')] },
  models: [{ ...model('small'), is_default: true }, model('large')],
  agents: [{ id: 'mine', command: 'mine', args: ['{base_url}'] }],
  providers: [
    {
      id: 'acme',
      api: 'openai',
      base_url: 'https://models.example/v1/',
      key: { env: 'MODEL_KEY' },
    },
  ],
});

test('the default catalog is a catalog, and the one that docs/operations.md shows', async () => {
  assert.ok(Compile(catalogSchema).Check(defaultCatalog));
  const docs = await readFile(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8');
  const shown = /\n## Catalog\n[^#]*?```json\n(.*?)```/s.exec(docs)?.[1];
  assert.deepEqual(JSON.parse(shown ?? ''), defaultCatalog);
  assert.deepEqual(readConfig({}).catalog, defaultCatalog);
});

test('a file is read; a model is not the default unless it says so', async () => {
  const given = await read(`\uFEFF${JSON.stringify(catalog())}`);
  assert.deepEqual(given, {
    erp: catalog().erp,
    models: [shown('small', true), shown('large', false)],
    pods: defaultCatalog.pods,
    images: [],
    erp_instances: defaultCatalog.erp_instances,
  });
  assert.ok(Compile(catalogSchema).Check(given));
});

test('a part that is left out is that of the default catalog; there may be no model', async () => {
  assert.deepEqual(await read({}), defaultCatalog);
  assert.deepEqual((await read({ models: [] })).models, []);
  assert.deepEqual((await read({ models: [] })).erp, defaultCatalog.erp);
  assert.deepEqual((await read({ erp: catalog().erp })).models, defaultCatalog.models);
  const pods = { price_per_hour: '0.05' };
  assert.deepEqual(await read({ pods }), { ...defaultCatalog, pods });
  const erp_instances = { price_per_hour: '0.20' };
  assert.deepEqual(await read({ erp_instances }), { ...defaultCatalog, erp_instances });
});

/** One mistake each, and where it is found. */
const mistakes: Record<string, [(c: Any) => void, string]> = {
  'an unknown part': [(c) => (c.key = 's3cret'), '/key'],
  'a name with / and ~ in it': [(c) => (c['a/b~c'] = 1), '/a~1b~0c'],
  'an unknown field': [(c) => (c.models[1].price = '1.00'), '/models/1/price'],
  'an unknown price': [(c) => (c.models[1].prices.image = '1.00'), '/models/1/prices/image'],
  'no version': [(c) => (c.erp.versions = []), '/erp/versions'],
  'no edition': [(c) => (c.erp.versions[0].editions = []), '/erp/versions/0/editions'],
  'an unknown edition': [
    (c) => (c.erp.versions[0].editions = ['online']),
    '/erp/versions/0/editions/0',
  ],
  'an unknown status': [(c) => (c.erp.versions[1].status = 'old'), '/erp/versions/1/status'],
  'a version as a number': [(c) => (c.erp.versions[1].version = 18), '/erp/versions/1/version'],
  'a version twice': [(c) => c.erp.versions.push(version('18.0')), '/erp/versions/2/version'],
  'an edition twice': [
    (c) => (c.erp.versions[0].editions = ['community', 'community']),
    '/erp/versions/0/editions/1',
  ],
  'a missing price': [(c) => delete c.models[0].prices.output, '/models/0/prices/output'],
  'a price as a number': [(c) => (c.models[0].prices.input = 3), '/models/0/prices/input'],
  'a price of one decimal': [(c) => (c.models[0].prices.input = '3.0'), '/models/0/prices/input'],
  'a negative price': [(c) => (c.models[0].prices.input = '-3.00'), '/models/0/prices/input'],
  'an invisible name': [(c) => (c.models[0].name = '\u200b'), '/models/0/name'],
  'an id with a space': [(c) => (c.models[0].id = 'a b'), '/models/0/id'],
  'an id of 101 characters': [(c) => (c.models[0].id = 'x'.repeat(101)), '/models/0/id'],
  'a model twice': [(c) => c.models.push(model('small')), '/models/2/id'],
  'a second default': [(c) => (c.models[1].is_default = true), '/models/1/is_default'],
  'pods without a price': [(c) => (c.pods = {}), '/pods/price_per_hour'],
  'instances without a price': [(c) => (c.erp_instances = {}), '/erp_instances/price_per_hour'],
  'a program without a version': [
    (c) => (c.erp_programs = [{ editions: ['community'], start: ['odoo'] }]),
    '/erp_programs/0/version',
  ],
  'a version with two programs': [
    (c) =>
      (c.erp_programs = [1, 2].map(() => ({
        version: '19.0',
        editions: ['community'],
        start: ['odoo'],
      }))),
    '/erp_programs/1/version',
  ],
  'null for a part': [(c) => (c.erp = null), '/erp'],
};

for (const [mistake, [make, pointer]] of Object.entries(mistakes)) {
  test(`${mistake} is found at ${pointer}`, async () => {
    const broken = catalog();
    make(broken);
    const faults = await faultsOf(broken);
    assert.equal(faults.length, 1, faults.join());
    assert.ok(faults[0]?.startsWith(`${pointer}: `), faults.join());
  });
}

test('all faults are listed at once, beside those of other settings', async () => {
  const broken = catalog();
  broken.erp.versions[0].status = 'old';
  delete broken.models[1].agent;
  await writeFile(path, JSON.stringify(broken));
  assert.throws(
    () => readConfig({ GUILDHALL_CATALOG: path, PORT: 'x' }),
    (error: ConfigError) => {
      const [port, status, agent, ...rest] = error.faults;
      assert.match(port ?? '', /^PORT must be/);
      assert.match(status ?? '', /^GUILDHALL_CATALOG: \/erp\/versions\/0\/status: /);
      assert.equal(agent, 'GUILDHALL_CATALOG: /models/1/agent: Field required');
      assert.deepEqual(rest, []);
      return true;
    },
  );
});

test('a file that is missing, no JSON or no object is a fault that repeats nothing of it', async () => {
  assert.throws(
    () => readConfig({ GUILDHALL_CATALOG: join(directory, 'none.json') }),
    /GUILDHALL_CATALOG must be a file that can be read, not ".*none\.json" \(ENOENT\)/,
  );
  for (const text of ['', '{"key": s3cret}', '{"models": [], "x": "s3cret", }', '{} s3cret']) {
    const [fault = '', ...rest] = await faultsOf(text);
    assert.match(fault, /^GUILDHALL_CATALOG must be JSON/);
    assert.ok(!fault.includes('s3cret') && rest.length === 0, fault);
  }
  for (const value of ['[]', 'null', '"s3cret"']) {
    const [fault = '', ...rest] = await faultsOf(value);
    assert.match(fault, /^\(the whole file\): /);
    assert.ok(!fault.includes('s3cret') && rest.length === 0, fault);
  }
});
