import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { decodeAnswer, encodeCall, type Value } from '../../../erp/odoo/xml-rpc.ts';
import type { FakeOdoo } from './fake.ts';
import { type FakeOdooOptions, startFakeOdoo } from './server.ts';

const open: FakeOdoo[] = [];
after(() => Promise.all(open.map((each) => each.close())));

async function start(options: FakeOdooOptions = {}): Promise<FakeOdoo> {
  const fake = await startFakeOdoo(options);
  open.push(fake);
  return fake;
}

async function json2(fake: FakeOdoo, path: string, body: Value, headers = {}) {
  const answer = await fetch(`${fake.url}/json/2/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `bearer ${fake.key('admin')}`,
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json');
  // biome-ignore lint/suspicious/noExplicitAny: the tests compare what they expect of it
  return { status: answer.status, body: (isJson ? JSON.parse(text) : text) as any };
}

async function rpc(fake: FakeOdoo, service: string, method: string, ...params: Value[]) {
  const answer = await fetch(`${fake.url}/xmlrpc/2/${service}`, {
    method: 'POST',
    headers: { 'content-type': 'text/xml' },
    body: encodeCall(method, params),
  });
  return decodeAnswer(await answer.text());
}

const kw = (fake: FakeOdoo, model: string, method: string, args: Value[], named: Value = {}) => {
  const { name } = fake.database;
  return rpc(fake, 'object', 'execute_kw', name, 2, fake.key('admin'), model, method, args, named);
};

test('JSON-2: records are made, found, read, changed and removed', async () => {
  const fake = await start();
  const vals_list = [{ name: 'Ada', email: 'ada@example.com' }];
  const { body: ids } = await json2(fake, 'res.partner/create', { vals_list });
  const domain = ['|', ['name', '=', 'Ada'], ['name', 'ilike', 'northWIND']];
  const asked = { domain, fields: ['name'], order: 'name' };
  assert.deepEqual((await json2(fake, 'res.partner/search_read', asked)).body, [
    { id: ids[0], name: 'Ada' },
    { id: 20, name: 'Northwind Bakery' },
  ]);
  assert.equal((await json2(fake, 'res.partner/search_count', { domain })).body, 2);
  assert.equal((await json2(fake, 'res.partner/write', { ids, vals: { phone: '1' } })).body, true);
  const [row] = (await json2(fake, 'res.partner/read', { ids, fields: ['phone'] })).body;
  assert.deepEqual(row, { id: ids[0], phone: '1' });
  assert.equal((await json2(fake, 'res.partner/unlink', { ids })).body, true);
  assert.deepEqual((await json2(fake, 'res.partner/read', { ids })).body, []);
});

test('XML-RPC: the same with arguments in order; a relation is an id with a name', async () => {
  const fake = await start({ version: '16.0' });
  const order = { partner_id: 20, amount_total: 12.5 };
  assert.deepEqual(await kw(fake, 'sale.order', 'create', [order]), { value: 3 });
  const read = await kw(fake, 'sale.order', 'read', [[3]], {
    fields: ['name', 'partner_id', 'amount_total', 'state'],
  });
  assert.deepEqual(read, {
    value: [
      {
        id: 3,
        name: 'S00003',
        partner_id: [20, 'Northwind Bakery'],
        amount_total: 12.5,
        state: 'draft',
      },
    ],
  });
  assert.deepEqual(await kw(fake, 'res.partner', 'name_search', ['north']), {
    value: [[20, 'Northwind Bakery']],
  });
  const fields = await kw(fake, 'sale.order', 'fields_get', [], { attributes: ['type'] });
  assert.ok('value' in fields);
  assert.deepEqual((fields.value as Record<string, Value>).partner_id, { type: 'many2one' });
});

test('JSON-2 refuses what is missing, unknown, private or not allowed, each with its status', async () => {
  const fake = await start();
  const clerk = { authorization: `bearer ${fake.key('clerk')}` };
  const none = { authorization: '' };
  const refusals: [number, string, Value, object?][] = [
    [401, 'res.users/context_get', {}, none],
    [403, 'res.users/_check', {}],
    [403, 'res.company/write', { ids: [1], vals: { name: 'x' } }, clerk],
    [404, 'no.model/read', { ids: [1] }],
    [404, 'res.users/no_method', {}],
    [415, 'res.users/context_get', {}, { 'content-type': 'text/plain' }],
    [422, 'res.partner/write', { ids: [1] }],
    [500, 'res.partner/search_read', { no_argument: 1 }],
    [500, 'res.partner/search_read', { fields: ['no_field'] }],
  ];
  const before = structuredClone(fake.database.tables);
  for (const [status, path, body, headers] of refusals)
    assert.equal((await json2(fake, path, body, headers)).status, status, path);
  assert.deepEqual(fake.database.tables, before);
});

test('19.0 answers as a real one where its answers are unexpected', async () => {
  const fake = await start();
  const bearer = { authorization: `bearer ${fake.key('admin')}` };
  const send = async (path: string, init: RequestInit) => {
    const answer = await fetch(`${fake.url}${path}`, { redirect: 'manual', ...init });
    const { status, headers } = answer;
    return [status, headers.getSetCookie().length, headers.get('location'), await answer.text()];
  };
  const json = { 'content-type': 'application/json' };
  const page = '<!doctype html><title>415</title><p>This is a fake for tests.</p>\n';
  const call = '/json/2/res.users/context_get';
  assert.deepEqual((await send('/web/version', {})).slice(0, 2), [200, 1]);
  assert.equal((await send('/web/webclient/version_info', {}))[0], 415);
  assert.deepEqual(
    (await send('/web/webclient/version_info', { headers: json })).slice(0, 2),
    [400, 1],
  );
  assert.deepEqual(await send(call, { method: 'POST', body: '{}' }), [415, 0, null, page]);
  for (const body of ['', 'null'])
    assert.equal(
      (await send(call, { method: 'POST', body, headers: { ...json, ...bearer } }))[0],
      200,
    );
  const read = await json2(fake, 'res.partner/read', { ids: [1, 999_999], fields: ['id'] });
  assert.deepEqual([read.status, read.body], [200, [{ id: 1 }]]);
  assert.deepEqual((await send('/web', {})).slice(0, 3), [303, 1, '/web/login?redirect=%2Fweb%3F']);
  assert.deepEqual((await send('/doc', {})).slice(0, 3), [303, 0, '/web/login?redirect=%2Fdoc%3F']);
  assert.deepEqual((await send('/web/database/manager', {})).slice(0, 2), [200, 1]);
  const three = await rpc(fake, 'common', 'authenticate', 'main', 'admin', 'x');
  assert.equal('fault' in three && three.fault.code, 1);
  assert.deepEqual(await rpc(fake, 'common', 'login', 'main', 'admin', 'x'), { value: false });
});

test('a server that chooses the database by its host does not know the header', async () => {
  const fake = await start({ databases: ['shop', 'other'], chosenByHost: true });
  const named = await json2(fake, 'res.users/context_get', {}, { 'x-odoo-database': 'shop' });
  assert.equal(named.status, 404);
  assert.equal((await json2(fake, 'res.users/context_get', {})).body.uid, 2);
});

test('PostgreSQL is down: 404, a fault, an unhealthy database, and no database exists', async () => {
  const fake = await start({ postgresDown: true });
  assert.equal((await json2(fake, 'res.users/context_get', {})).status, 404);
  assert.ok('fault' in (await rpc(fake, 'common', 'authenticate', 'main', 'admin', 'x', {})));
  assert.deepEqual(await rpc(fake, 'db', 'db_exist', 'main'), { value: false });
  assert.equal((await fetch(`${fake.url}/web/health?db_server_status=1`)).status, 500);
  fake.behave({ postgresDown: false });
  assert.deepEqual(await rpc(fake, 'db', 'db_exist', 'main'), { value: true });
});

test('two factors: the password is refused, the key is not; editions and versions show', async () => {
  const fake = await start({ version: '18.0', edition: 'enterprise' });
  const login = (secret: string) => rpc(fake, 'common', 'authenticate', 'main', 'totp', secret, {});
  assert.deepEqual(await login(fake.password('totp')), { value: false });
  assert.deepEqual(await login(fake.key('totp')), { value: 7 });
  const version = await rpc(fake, 'common', 'version');
  assert.equal(
    'value' in version && (version.value as { server_version: string }).server_version,
    '18.0+e',
  );
  assert.equal((await fetch(`${fake.url}/web/version`)).status, 404);
  const domain = [['name', '=', 'web_enterprise']];
  assert.deepEqual(await kw(fake, 'ir.module.module', 'search_count', [domain]), { value: 1 });
});

test('what is wrong can be changed by hand, and requests are listed', async () => {
  const fake = await start();
  const body = JSON.stringify({ rateLimited: 30 });
  await fetch(`${fake.url}/_control/behave`, { method: 'POST', body });
  const { status, headers } = await fetch(`${fake.url}/web/version`);
  assert.deepEqual([status, headers.get('retry-after')], [429, '30']);
  const listed = await (await fetch(`${fake.url}/_control/requests`)).json();
  assert.deepEqual(listed, [{ method: 'GET', path: '/web/version' }]);
});

test('unwatched, it keeps no request and has no control paths', async () => {
  const fake = await start({ watched: false });
  const { status } = await json2(fake, 'res.partner/search_count', { domain: [] });
  assert.deepEqual([status, fake.requests], [200, []]);
  for (const command of ['behave', 'requests']) {
    const answer = await fetch(`${fake.url}/_control/${command}`, {
      method: 'POST',
      body: '{"postgresDown":true}',
    });
    assert.equal(answer.status, 404);
    assert.doesNotMatch(await answer.text(), /commands|done/);
  }
  assert.equal((await json2(fake, 'res.partner/search_count', { domain: [] })).status, 200);
});
