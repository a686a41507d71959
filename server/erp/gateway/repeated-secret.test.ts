import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdsSecret } from '../../telemetry/hide-secrets.ts';
import { gatewayBefore } from '../../testing/fixtures/erp/erp-gateway.ts';
import { SECRET_FORMS } from '../../testing/fixtures/secret-forms.ts';
import { encodeAnswer, encodeFault } from '../odoo/xml-rpc.ts';

// Servers that repeat the secret of a connection: no pod gets it, in whatever form it comes.

const KEY = '3f1c0a9e8b7d6c5f4e3d2c1b0a99887766554433';
const PASSWORD = 'R&D <größer> "100%"';
const REPEATED = /The server repeats the secret of this connection/;

for (const [name, form] of Object.entries(SECRET_FORMS))
  test(`502: an answer that holds the secret is not passed on: ${name}`, async () => {
    let body = '';
    const made = await gatewayBefore(() => ({ body }), KEY);
    const rows = [{ id: 1, name: `ada ${form(KEY)}` }];
    body = JSON.stringify(rows);
    const json2 = await made.json2();
    assert.deepEqual([json2.status, JSON.parse(json2.text).name], [502, 'guildhall.Refused']);
    body = encodeAnswer(rows);
    const xmlRpc = await made.xmlRpc();
    body = JSON.stringify({ jsonrpc: '2.0', id: 1, result: rows });
    const jsonRpc = await made.jsonRpc();
    for (const { text, headers } of [json2, xmlRpc, jsonRpc]) {
      assert.match(text, REPEATED);
      assert.ok(!holdsSecret(text, KEY), text);
      assert.ok(!holdsSecret(JSON.stringify(headers), KEY));
    }
    assert.deepEqual(
      made.calls.map(({ status }) => status),
      [502, 502, 502],
    );
  });

test('502: a password whose characters a protocol escapes is found in its answers', async () => {
  let body = '';
  const made = await gatewayBefore(() => ({ body }), PASSWORD);
  body = encodeAnswer([{ id: 1, name: PASSWORD }]);
  const xmlRpc = await made.xmlRpc();
  body = JSON.stringify({ jsonrpc: '2.0', id: 1, result: [PASSWORD] });
  const jsonRpc = await made.jsonRpc();
  for (const { text } of [xmlRpc, jsonRpc]) {
    assert.match(text, REPEATED);
    assert.ok(!holdsSecret(text, PASSWORD), text);
  }
});

test('names, codes and messages of errors lose the secret', async () => {
  for (const form of Object.values(SECRET_FORMS)) {
    const said = form(KEY);
    const error = { name: said, message: `Wrong: ${said}`, code: said, debug: said };
    let body = JSON.stringify(error);
    const made = await gatewayBefore(
      () => ({ status: body.startsWith('{"name') ? 403 : 200, body }),
      KEY,
    );
    const answers = [await made.json2()];
    assert.equal(answers[0]?.status, 403);
    body = JSON.stringify({ id: 1, error: { ...error, data: error } });
    answers.push(await made.jsonRpc());
    body = encodeFault(said, `Traceback (most recent call last):\n x\nWrong: ${said}`);
    answers.push(await made.xmlRpc());
    for (const { text } of answers) assert.ok(!holdsSecret(text, KEY), text);
  }
});

test('a long error that is full of the secret shows no part of the one at which it is cut', async () => {
  let message = '';
  const { json2 } = await gatewayBefore(
    () => ({ status: 400, body: JSON.stringify({ message }) }),
    KEY,
  );
  for (let padding = 0; padding < KEY.length; padding += 7) {
    message = ' '.repeat(padding) + KEY.repeat(5_000);
    assert.ok(!(await json2()).text.includes(KEY.slice(0, 4)));
  }
  message = `Wrong: ${KEY}. ${'x'.repeat(100_000)}`;
  assert.match((await json2()).text, /Wrong: \*{3}\. x{3988}"/);
});

test('the media type is that of JSON, and nothing that is none is passed on', async () => {
  let type = `application/json; charset=utf-8; of=${KEY}`;
  const { json2 } = await gatewayBefore(() => ({ type, body: '[]' }), KEY);
  const { status, headers, text } = await json2();
  assert.deepEqual([status, headers['content-type'], text], [200, 'application/json', '[]']);
  for (type of [`text/${KEY}`, 'text/html', 'application/jsonx'])
    assert.equal((await json2()).status, 502, type);
});

test('a fault that begins late, or is spelled otherwise, loses its traceback and the secret', async () => {
  let body = '';
  const { xmlRpc } = await gatewayBefore(() => ({ body }), KEY);
  const fault = encodeFault(1, `Traceback (most recent call last):\n  /srv/x.py\nWrong: ${KEY}`);
  for (body of [
    fault.replace('<fault>', `${' '.repeat(2_000)}<fault>`),
    fault.replace('<fault>', '<fault >'),
    fault.replace('<fault>', '<fault\n>'),
  ]) {
    const { text } = await xmlRpc();
    assert.match(text, /<fault>.*Wrong: \*{3}/);
    assert.ok(!/Traceback|x\.py/.test(text) && !holdsSecret(text, KEY), text);
  }
});

test('XML in which readers would join the parts of a secret is not passed on', async () => {
  let body = '';
  const { xmlRpc } = await gatewayBefore(() => ({ body }), KEY);
  const [first, rest] = [KEY.slice(0, 9), KEY.slice(9)];
  for (const between of ['<!-- -->', '<![CDATA[', '<?x y?>']) {
    body = encodeAnswer('here').replace('here', `${first}${between}${rest}`);
    assert.match((await xmlRpc()).text, /<fault>.*what is no XML-RPC/);
  }
  const type = `<!DOCTYPE a [<!ENTITY b "${first}"><!ENTITY c "${rest}">]>`;
  body = encodeAnswer('here').replace('<methodResponse>', `${type}<methodResponse>`);
  body = body.replace('here', '&b;&c;');
  assert.match((await xmlRpc()).text, /<fault>.*what is no XML-RPC/);
});

test('200: a password that is an ordinary word stands in no way of data', async () => {
  const { jsonRpc } = await gatewayBefore(
    () => ({ body: JSON.stringify({ id: 1, result: [{ login: 'admin' }] }) }),
    'admin',
  );
  assert.deepEqual(JSON.parse((await jsonRpc()).text).result, [{ login: 'admin' }]);
});
