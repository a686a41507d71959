import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeErpGateway } from '../../testing/fixtures/erp/erp-gateway.ts';
import { decodeAnswer, encodeCall, type Value } from '../odoo/xml-rpc.ts';

// What an agent may do through the gateway, in each protocol of a fake Odoo.

const PARTNERS = { domain: [], fields: ['name'], limit: 1 };

test('JSON-2: what reads goes through with the credential of the connection, and is noted without data', async () => {
  const { json2, odoo, calls, target } = await makeErpGateway();
  const { status, text } = await json2('res.partner', 'search_read', PARTNERS);
  assert.equal(status, 200, text);
  assert.equal(JSON.parse(text).length, 1);
  const asked = odoo.requests.at(-1);
  assert.equal(asked?.headers.authorization, `Bearer ${target.secret}`);
  assert.equal(asked?.headers['x-odoo-database'], 'main');
  const [{ ms, ...call }] = calls as [(typeof calls)[0]];
  assert.ok(ms >= 0);
  assert.deepEqual(call, {
    target: { id: target.id, name: 'Shop' },
    kind: 'connection',
    model: 'res.partner',
    method: 'search_read',
    allowed: true,
    status: 200,
  });
});

test('a connection that reads refuses what writes, what is private and what has another context; no server sees it', async () => {
  const { json2, odoo, calls } = await makeErpGateway();
  for (const [method, body] of [
    ['create', { vals_list: [{ name: 'x' }] }],
    ['write', { ids: [1], vals: { name: 'x' } }],
    ['unlink', { ids: [1] }],
    ['export_data', { ids: [1], fields_to_export: ['id'] }],
    ['action_confirm', { ids: [1] }],
    ['_search', { domain: [] }],
    ['search_read', { domain: [], context: { mark_done: true } }],
    ['search_read', { domain: [], context: { lang: 'en_US', __proto__x: 1 } }],
  ] as const) {
    const { status, text } = await json2('res.partner', method, body);
    assert.equal(status, 403, `${method}: ${text}`);
    assert.equal(JSON.parse(text).name, 'guildhall.Refused');
  }
  const { status } = await json2('res.partner', 'search_read', {
    domain: [],
    limit: 1,
    context: { lang: 'en_US', active_test: false },
  });
  assert.equal(status, 200);
  assert.equal(odoo.requests.length, 1);
  assert.deepEqual(
    calls.map(({ allowed }) => allowed),
    [...Array(8).fill(false), true],
  );
});

test('a connection that writes lets writing through, and nothing private or that makes a key', async () => {
  const { json2, odoo } = await makeErpGateway({ access: 'write' });
  const made = await json2('res.partner', 'create', { vals_list: [{ name: 'Made' }] });
  assert.equal(made.status, 200, made.text);
  const before = odoo.requests.length;
  for (const [model, method] of [
    ['res.partner', '_write'],
    ['res.users.apikeys', 'generate'],
    ['res.users.apikeys.description', 'make_key'],
    ['res.users', 'change_password'],
    ['change.password.own', 'change_password'],
  ] as const)
    assert.equal((await json2(model, method)).status, 403, `${model} ${method}`);
  assert.equal(odoo.requests.length, before);
});

test('XML-RPC: signing in is answered here, and calls go out anew with the right database, user and secret', async () => {
  const { send, odoo, gateway, target } = await makeErpGateway();
  const call = async (service: string, method: string, params: Value[]) => {
    const body = encodeCall(method, params);
    return decodeAnswer((await send({ path: `/xmlrpc/2/${service}`, body, token: '' })).text);
  };
  const version = await call('common', 'version', []);
  assert.deepEqual(
    'value' in version && (version.value as { server_version: string }).server_version,
    '19.0',
  );
  assert.equal(odoo.requests.length, 0);
  const uid = await call('common', 'authenticate', ['any', 'any', gateway.token, {}]);
  assert.ok('value' in uid && Number(uid.value) > 0);
  const read = await call('object', 'execute_kw', [
    'other',
    99,
    gateway.token,
    'res.partner',
    'search_read',
    [[]],
    { fields: ['name'], limit: 1 },
  ]);
  assert.ok('value' in read && Array.isArray(read.value) && read.value.length === 1);
  const counted = await call('object', 'execute', [
    'x',
    1,
    gateway.token,
    'res.partner',
    'search_count',
    [],
  ]);
  assert.ok('value' in counted && Number(counted.value) > 0);
  const bodies = odoo.requests.map(({ body }) => body).join();
  assert.ok(bodies.includes(target.secret) && bodies.includes('<string>main</string>'));
  assert.ok(!bodies.includes(gateway.token) && !bodies.includes('other'));
  assert.equal(
    odoo.requests.filter(({ path }) => path.endsWith('/common')).length,
    1,
    'asked once',
  );
  const refused = await call('object', 'execute_kw', [
    'main',
    2,
    gateway.token,
    'res.partner',
    'unlink',
    [[1]],
  ]);
  assert.ok('fault' in refused && refused.fault.code === 4);
  for (const params of [[], ['main', 'x', true]])
    assert.ok('fault' in (await call('db', 'duplicate_database', params)));
});

test('JSON-RPC: the same, with the id of the request', async () => {
  const { send, odoo, gateway, target } = await makeErpGateway();
  const call = async (params: object) => {
    const body = { jsonrpc: '2.0', method: 'call', id: 7, params };
    return JSON.parse((await send({ path: '/jsonrpc', body, token: '' })).text);
  };
  const args = ['main', 2, gateway.token, 'res.partner', 'search_read', [[]], { limit: 1 }];
  const read = await call({ service: 'object', method: 'execute_kw', args });
  assert.deepEqual([read.id, read.result.length], [7, 1]);
  assert.ok(odoo.requests.at(-1)?.body.includes(target.secret));
  const wrong = await call({
    service: 'object',
    method: 'execute_kw',
    args: ['main', 2, 'x', 'res.partner', 'read', []],
  });
  assert.match(wrong.error.message, /GUILDHALL_ERP_TOKEN/);
  const db = await call({ service: 'db', method: 'list', args: [] });
  assert.match(db.error.message, /nothing of other services/);
});

test('errors of the server keep their sentence and lose their traceback; nothing repeats the secret', async () => {
  const { json2, send, gateway, target } = await makeErpGateway();
  const json = await json2('res.partner', 'search_read', { domain: [], fields: ['no_such_field'] });
  assert.ok(json.status >= 400, json.text);
  const xml = await send({
    path: '/xmlrpc/2/object',
    token: '',
    body: encodeCall('execute_kw', [
      'main',
      2,
      gateway.token,
      'no.such.model',
      'search_read',
      [[]],
    ]),
  });
  const rpc = await send({
    path: '/jsonrpc',
    token: '',
    body: {
      jsonrpc: '2.0',
      method: 'call',
      id: 1,
      params: {
        service: 'object',
        method: 'execute_kw',
        args: ['main', 2, gateway.token, 'no.such.model', 'search_read', [[]]],
      },
    },
  });
  for (const { text } of [json, xml, rpc]) {
    assert.doesNotMatch(text, /Traceback|"debug"|\.py"/);
    assert.ok(!text.includes(target.secret) && text.length > 20, text);
  }
});

test('an access that was lowered or ended counts from the next call on', async () => {
  let now: { access: 'read' | 'write' } | undefined = { access: 'write' };
  const made = await makeErpGateway({ access: 'write' });
  made.target.current = async () => now && { ...made.target, ...now };
  const write = () => made.json2('res.partner', 'create', { vals_list: [{ name: 'x' }] });
  assert.equal((await write()).status, 200);
  now = { access: 'read' };
  assert.equal((await write()).status, 403);
  now = undefined;
  const { status, text } = await made.json2('res.partner', 'search_read', PARTNERS);
  assert.deepEqual(
    [status, JSON.parse(text).message],
    [403, 'The agent may not use this connection any more.'],
  );
});

test('a throwaway Odoo that does not run any more says so, and is not asked', async () => {
  const made = await makeErpGateway({ kind: 'instance' });
  made.target.current = async () => undefined;
  const { status, text } = await made.json2('res.partner', 'search_read', PARTNERS);
  assert.equal(status, 503);
  assert.match(JSON.parse(text).message, /^This throwaway Odoo does not run now: .* by itself/);
  assert.equal(made.odoo.requests.length, 0);
});

test('a redirect of the server is not followed', async () => {
  const elsewhere = await makeErpGateway();
  const { json2 } = await makeErpGateway(
    {},
    {
      redirect: { status: 307, to: elsewhere.odoo.url },
    },
  );
  const { status, text } = await json2('res.partner', 'search_read', PARTNERS);
  assert.equal(status, 502, text);
  assert.equal(elsewhere.odoo.requests.length, 0);
});

test('a password is never sent as a bearer token', async () => {
  const { json2, odoo } = await makeErpGateway({ credential: 'password', secret: 'a password' });
  assert.equal((await json2('res.partner', 'search_read', PARTNERS)).status, 403);
  assert.equal(odoo.requests.length, 0);
});
