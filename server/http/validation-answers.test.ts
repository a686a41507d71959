import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, unchanged } = await startHarness();

const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const path = `/api/organizations/${workspace}/teams/${await fixtures.team(workspace)}`;

const put = (body: string) =>
  unchanged(() =>
    request('PUT', path, {
      key: owner.key,
      raw: Buffer.from(body),
      headers: { 'content-type': 'application/json' },
    }),
  );

test('422: a number is shown with the digits that were sent', async () => {
  const reply = await put('{"name":99999999999999999999,"x":1.000000000000000000001}');
  assert.equal(reply.status, 422);
  assert.match(reply.text, /"type":"string_type".*"input":99999999999999999999\}/);
  assert.match(reply.text, /"type":"extra_forbidden".*"input":1\.000000000000000000001\}/);
});

test('422: five thousand unknown fields do not make a large answer, which says how many there were', async () => {
  const fields = Array.from({ length: 5000 }, (_, i) => `"f${i}":0`);
  const reply = await put(`{${fields.join()}}`);
  assert.equal(reply.status, 422);
  assert.equal(reply.body.detail.length, 101);
  assert.deepEqual(reply.body.detail[100].ctx, { error_count: 5000, max_listed: 100 });
  assert.ok(reply.text.length < 15_000, `${reply.text.length} bytes`);
});

test('422: an amount with more digits than a float holds is refused, not rounded', async () => {
  const card = await fixtures.card(owner);
  const reply = await unchanged(() =>
    request('POST', '/api/billing/add-funds', {
      key: owner.key,
      raw: Buffer.from(`{"amount":1.000000000000000000001,"payment_method_id":"${card}"}`),
      headers: { 'content-type': 'application/json' },
    }),
  );
  assert.equal(reply.status, 422);
  assert.equal(reply.body.detail[0].type, 'decimal_max_places');
});
