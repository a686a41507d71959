import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gatewayBefore, makeErpGateway } from '../../testing/fixtures/erp/erp-gateway.ts';
import { longestTurn } from '../../testing/harness/thread-time.ts';
import { encodeFault } from '../odoo/xml-rpc.ts';

// What takes long to read, of servers and of pods: everything else of the process goes on meanwhile.

const KEY = '3f1c0a9e8b7d6c5f4e3d2c1b0a99887766554433';
const MIB = 1024 ** 2;
const NEEDLE = 'Wrong.';

test('faults of 1 MiB of references and elements, to four callers at once', async () => {
  const fault = (text: string) => encodeFault(1, NEEDLE).replace(NEEDLE, text);
  let body = '';
  const { xmlRpc } = await gatewayBefore(() => ({ body }), KEY);
  for (body of [
    fault('&#97;'.repeat(99_000)),
    fault(`</string></value>${'<value/>'.repeat(MIB / 8 - 100)}`),
  ]) {
    await xmlRpc();
    const { own, all } = await longestTurn(() =>
      Promise.all(
        [1, 2, 3, 4].map(() => xmlRpc().then(({ text }) => assert.match(text, /<fault>/))),
      ),
    );
    assert.ok(own < all / 2, `${own} of ${all} ms`);
  }
});

test('calls of 1 MiB, from a pod that sends one after another', async () => {
  const { send, json2, odoo, gateway } = await makeErpGateway();
  const head = `<methodCall><methodName>execute_kw</methodName><params><param><value>main</value></param>
    <param><value><int>2</int></value></param><param><value>${gateway.token}</value></param>`;
  for (const body of [
    `${head}<param><value>${'&#97;'.repeat(99_000)}</value></param></params></methodCall>`,
    `${head}${'<param><value/></param>'.repeat(24_000)}</params></methodCall>`,
  ]) {
    await json2('res.partner', 'search_count', { domain: [] });
    const { own, all } = await longestTurn(() =>
      Promise.all([1, 2, 3, 4].map(() => send({ path: '/xmlrpc/2/object', body, token: '' }))),
    );
    assert.ok(own < all / 2, `${own} of ${all} ms`);
  }
  assert.ok(odoo.requests.every(({ path }) => !path.endsWith('/object')));
});
