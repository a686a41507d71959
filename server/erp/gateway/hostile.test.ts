import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { test } from 'node:test';
import { makeErpGateway } from '../../testing/fixtures/erp/erp-gateway.ts';
import { until } from '../../testing/harness/until.ts';
import { encodeCall } from '../odoo/xml-rpc.ts';

// What a pod may send to the gateway to get more than it may.

const COUNT = { domain: [] };

test('401: no token, another one, and one in the wrong place; no server sees any of it', async () => {
  const { send, json2, odoo, gateway, target, calls } = await makeErpGateway();
  const other = await makeErpGateway();
  for (const token of ['', 'x', other.gateway.token, target.secret, `${gateway.token}x`])
    assert.equal((await json2('res.partner', 'search_count', COUNT, { token })).status, 401);
  for (const password of ['', 'x', target.secret, other.gateway.token]) {
    const body = encodeCall('execute_kw', [
      'main',
      2,
      password,
      'res.partner',
      'search_count',
      [[]],
    ]);
    const { text } = await send({ path: '/xmlrpc/2/object', body, token: '' });
    assert.match(text, /GUILDHALL_ERP_TOKEN/);
    const signIn = encodeCall('authenticate', ['main', 'admin', password, {}]);
    assert.match((await send({ path: '/xmlrpc/2/common', body: signIn })).text, /<fault>/);
  }
  assert.deepEqual([odoo.requests.length, calls.length], [0, 0]);
});

test('404: another id, another path, another method; nothing of a path reaches the server as it is', async () => {
  const { send, odoo, gateway } = await makeErpGateway();
  for (const path of [
    '/web/login',
    '/web/session/authenticate',
    '/json/1/x',
    '/json/2/res.partner',
    '/json/2/res.partner/read/../../../web',
    '/json/2/res.partner/read?x=1',
    '/jsonrpc/',
    '/json/2/..%2f..%2fweb/read',
    '/longpolling/poll',
    '//evil.example.com/json/2/a/b',
  ])
    assert.equal((await send({ path, body: {} })).status, 404, path);
  assert.equal((await send({ path: '/jsonrpc', method: 'GET' })).status, 404);
  const status = await new Promise((resolve) => {
    const path = `/${randomUUID()}/json/2/res.partner/search_count`;
    request({ socketPath: gateway.socket, path, method: 'POST' }, (answer) =>
      resolve(answer.statusCode),
    ).end('{}');
  });
  assert.deepEqual([status, odoo.requests.length], [404, 0]);
});

test('bodies that are too large, no call, or nested without end are refused, and the gateway goes on', async () => {
  const { send, json2, odoo, gateway } = await makeErpGateway();
  const path = '/json/2/res.partner/search_count';
  const large = await send({ path, body: `"${'x'.repeat(1024 ** 2)}"` }).catch(() => ({
    status: 413,
  }));
  assert.equal(large.status, 413);
  for (const body of ['[]', 'null', '{', '['.repeat(500_000)])
    assert.equal((await send({ path, body })).status, 400);
  for (const body of [
    '<x/>',
    '<!DOCTYPE a [<!ENTITY b "c">]><methodCall/>',
    '<methodCall><methodName>execute_kw</methodName></methodCall>',
    `<methodCall>${'<value>'.repeat(10_000)}`,
    encodeCall('execute_kw', ['main', 2, gateway.token, 'res.partner', 'search_count', 'no list']),
    encodeCall('execute_kw', [
      'main',
      2,
      gateway.token,
      'res.partner',
      'read',
      [[1]],
      ['no', 'dict'],
    ]),
  ])
    assert.match(
      (await send({ path: '/xmlrpc/2/object', body, token: '' })).text,
      /<fault>/,
      body.slice(0, 80),
    );
  for (const params of [null, {}, { service: 'object' }, { service: 7, method: 'x', args: [] }]) {
    const { text } = await send({ path: '/jsonrpc', body: { method: 'call', params } });
    assert.ok(JSON.parse(text).error);
  }
  assert.equal(odoo.requests.length, 0);
  assert.equal((await json2('res.partner', 'search_count', COUNT)).status, 200);
});

test('names of models and methods that are paths or texts are refused', async () => {
  const { send, odoo, gateway } = await makeErpGateway({ access: 'write' });
  for (const [model, method] of [
    ['../../web', 'search'],
    ['res.partner', 'search/../x'],
    ['res.partner', '__class__'],
    ['res.partner\n', 'search'],
    ['x'.repeat(500), 'search'],
    ['res.partner', 'x'.repeat(500)],
    ['', ''],
  ]) {
    const args = ['main', 2, gateway.token, model, method, [[]]];
    const body = { method: 'call', params: { service: 'object', method: 'execute_kw', args } };
    const { error } = JSON.parse((await send({ path: '/jsonrpc', body })).text);
    assert.equal(error?.code, 403, `${model} ${method}`);
  }
  assert.equal(odoo.requests.length, 0);
});

test('a server that does not answer in time, and one that is gone, are said to be so', async () => {
  const late = await makeErpGateway({}, { slow: 2_000, deadlines: { answer: 200 } });
  const slow = await late.json2('res.partner', 'search_count', COUNT);
  assert.deepEqual([slow.status, /timeout/.test(slow.text)], [502, true]);
  const gone = await makeErpGateway({ url: 'http://127.0.0.1:9' });
  const { status, text } = await gone.json2('res.partner', 'search_count', COUNT);
  assert.equal(status, 502);
  assert.ok(!text.includes('127.0.0.1'), text);
});

test('closing ends what runs, and the socket with it', async () => {
  const { gateway, json2, odoo, calls } = await makeErpGateway({}, { slow: 5_000 });
  const running = json2('res.partner', 'search_count', COUNT).catch(() => undefined);
  await until('the server has it', () => odoo.requests.length === 1);
  await gateway.close();
  await running;
  assert.deepEqual(
    calls.map(({ status }) => status),
    [503],
  );
  await assert.rejects(json2('res.partner', 'search_count', COUNT));
});

test('403: no context but the known keys, whatever form it has and wherever it stands', async () => {
  const { json2, odoo } = await makeErpGateway();
  for (const context of [[['mail_x', 1]], 'mail_x', { mail_x: 1 }])
    for (const [method, body] of [
      ['search_read', { domain: [], context }],
      ['web_read', { ids: [1], specification: { parent_id: { fields: {}, context } } }],
    ] as const) {
      const reply = await json2('res.partner', method, body);
      assert.equal(reply.status, 403, `${method} ${JSON.stringify(context)}`);
    }
  assert.equal(odoo.requests.length, 0);
  const known = { domain: [], context: { lang: 'de_DE' } };
  assert.equal((await json2('res.partner', 'search_count', known)).status, 200);
});

test('200: a dictionary that is no context is let through; as one, whatever its place, it is not', async () => {
  const { send, odoo, gateway } = await makeErpGateway();
  const call = async (method: string, ...positional: unknown[]) => {
    const args = ['main', 2, gateway.token, 'res.partner', method, positional];
    const body = { method: 'call', params: { service: 'object', method: 'execute_kw', args } };
    return JSON.parse((await send({ path: '/jsonrpc', body })).text);
  };
  const asked = () => odoo.requests.filter(({ path }) => path === '/jsonrpc').length;
  const spec = { name: {}, parent_id: { fields: { name: {} }, context: { lang: 'de_DE' } } };
  const harmless = [
    ['web_read', [1], spec],
    ['web_search_read', [], spec, 0, 1],
    ['get_views', [[false, 'list']], { toolbar: true, load_filters: true }],
    ['read_progress_bar', [], 'type', { field: 'type', colors: { contact: 'success' } }],
    ['search_read', [], ['name'], 0, 1, 'name', { lang: 'de_DE' }],
  ] as const;
  for (const [method, ...args] of harmless)
    assert.notEqual((await call(method, ...args)).error?.code, 403, method);
  assert.equal(asked(), harmless.length);
  const x = { mail_x: 1 };
  for (const [method, ...args] of [
    ['read', [1], ['name'], '_classic_read', x],
    ['read', [1], ['name'], '_classic_read', x, 0],
    ['search_read', [], x],
    ['context_get', x],
    ['web_read', [1], spec, x],
    ['web_read', x, spec],
    ['web_read', [1], { parent_id: { fields: {}, context: x } }],
    ['read_progress_bar', [], x, { field: 'type', colors: {} }],
  ] as const)
    assert.equal((await call(method, ...args)).error.code, 403, `${method} ${args.length}`);
  assert.equal(asked(), harmless.length);
});

test('404: a database that is not there is not replaced by the one that is, and nothing is written', async () => {
  const { json2, odoo } = await makeErpGateway({ database: 'staging', access: 'write' });
  const before = odoo.requests.length;
  const { status } = await json2('res.partner', 'create', { vals_list: [{ name: 'Stray' }] });
  assert.deepEqual([status, odoo.requests.length - before], [404, 1]);
});

test('who has no token, or sends half a request, takes no place from others', async () => {
  const { gateway, json2, target } = await makeErpGateway();
  for (const path of ['/json/2/res.partner/search_count', '/xmlrpc/2/object', '/jsonrpc'])
    for (let i = 0; i < 4; i += 1) {
      const sent = request({
        socketPath: gateway.socket,
        method: 'POST',
        path: `/${target.id}${path}`,
        headers: { 'content-length': '100' },
      });
      sent.on('error', () => {}).write('{');
    }
  await new Promise((resolve) => setTimeout(resolve, 200));
  const began = performance.now();
  assert.equal((await json2('res.partner', 'search_count', COUNT)).status, 200);
  assert.ok(performance.now() - began < 5_000);
});

test('401: at once, also while as many calls are at the server as may be', async () => {
  const { json2, odoo } = await makeErpGateway({}, { slow: 3_000 });
  const count = (more = {}) => json2('res.partner', 'search_count', COUNT, more);
  let isDone = false;
  const ended = () => {
    isDone = true;
  };
  const calls = Promise.all(Array.from({ length: 5 }, () => count().finally(ended)));
  await until('the server has as many', () => odoo.requests.length === 4);
  assert.equal((await count({ token: 'x' })).status, 401);
  assert.ok(!isDone, 'it waited for the others');
  assert.ok((await calls).every(({ status }) => status === 200));
});

test('a request that never arrives whole keeps no gateway open', async () => {
  const { gateway, target } = await makeErpGateway();
  const sent = request({
    socketPath: gateway.socket,
    method: 'POST',
    path: `/${target.id}/json/2/res.partner/search_count`,
    headers: { 'content-length': '100' },
  });
  sent.on('error', () => {});
  sent.write('{');
  await new Promise((resolve) => setTimeout(resolve, 100));
  const began = performance.now();
  await gateway.close();
  assert.ok(performance.now() - began < 5_000);
});
