import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gatewayBefore } from '../../testing/fixtures/erp/erp-gateway.ts';
import { longestTurn } from '../../testing/harness/thread-time.ts';

// Answers of up to 16 MiB: they must not keep everything else of the process waiting.

const KEY = '3f1c0a9e8b7d6c5f4e3d2c1b0a99887766554433';
const NEARLY_ALL = 15 * 1024 ** 2;

/** Runs this, and fails if nothing else of the process could run for half a second of its time. */
async function goesOn<Result>(what: string, run: () => Promise<Result>): Promise<Result> {
  const { result, ms } = await longestTurn(run);
  assert.ok(ms < 500, `${what}: ${ms} ms`);
  return result;
}

test('the server goes on while 15 MiB of what looks escaped pass, in answers and in errors', async () => {
  let said = { status: 200, body: '' };
  const { json2 } = await gatewayBefore(() => said, KEY);
  for (const part of ['&', '\\', '%', '&amp;']) {
    said = { status: 200, body: part.repeat(NEARLY_ALL / part.length) };
    assert.equal((await goesOn(part, json2)).status, 200);
  }
  // The first is read, the second is too long for that.
  for (const length of [1_000_000, NEARLY_ALL])
    for (const part of ['&', '\\\\', '\\n']) {
      const message = `Traceback (most recent call last)${part.repeat(length / part.length)}`;
      said = { status: 400, body: `{"message": "${message}"}` };
      assert.equal((await goesOn(`error of ${part}`, json2)).status, 400);
    }
});

test('a result of more than 1 MiB is passed on as it came, with the id of the request', async () => {
  let result = '';
  const begins = '{"jsonrpc": "2.0", "id": 1, "result": ';
  const { jsonRpc } = await gatewayBefore(() => ({ body: `${begins}${result}}` }), KEY);
  for (const part of ['{},', '[],', '{"a": null},']) {
    result = `[${part.repeat(NEARLY_ALL / part.length)}0]`;
    const { status, text } = await goesOn(part, jsonRpc);
    assert.equal(status, 200);
    assert.ok(text === `{"jsonrpc":"2.0","id":null,"result": ${result}}`, text.slice(0, 100));
  }
  result = `["${'x'.repeat(1024 ** 2)}", "${KEY}"]`;
  const repeated = await jsonRpc();
  assert.match(JSON.parse(repeated.text).error.message, /repeats the secret/);
});

test('no error of more than 1 MiB is read; what it says is not passed on', async () => {
  const error = {
    code: 200,
    message: 'Odoo Server Error',
    data: { message: 'x'.repeat(1024 ** 2) },
  };
  let said = { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, error }) };
  const { jsonRpc, json2 } = await gatewayBefore(() => said, KEY);
  const refused = JSON.parse((await jsonRpc()).text);
  assert.deepEqual(
    [refused.error.code, refused.error.message, refused.result],
    [502, 'The server answered more than 1 MiB, and not with a result.', undefined],
  );
  said = {
    status: 422,
    body: JSON.stringify({ name: 'odoo.exceptions.UserError', ...error.data }),
  };
  const answer = await json2();
  assert.equal(answer.status, 422);
  assert.deepEqual(JSON.parse(answer.text), { message: 'The server answered 422.' });
});
