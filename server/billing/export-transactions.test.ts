import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { postAt } from '../testing/database/transactions.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { db, fixtures, request, owner: asOwner } = await startHarness({ own: true });
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);

// More than two batches.
const ROWS = 2_345;
for (const whose of [{ userId: owner.id }, { organizationId: workspace }])
  await asOwner(sql`
    insert into ledger_transfer (idempotency_key, kind, debit_account_id, credit_account_id,
      amount, account_id, reference_type, reference_id)
    select 'many:' || a.id || n, 'promotion', s.id, a.id, n, a.id, 'test', a.id
      from generate_series(1, ${ROWS}::int) n
      join billing_account s on s.system_name = 'promotions'
      join billing_account a
        on a.user_id = ${whose.userId ?? null} or a.organization_id = ${whose.organizationId ?? null}`);

const LISTS = [
  { whose: 'own', path: '/api/billing/transactions', file: 'transactions' },
  {
    whose: "a workspace's",
    path: `/api/organizations/${workspace}/billing/transactions`,
    file: `transactions-${workspace}`,
  },
];

for (const { whose, path, file } of LISTS) {
  test(`200: ${whose} transactions as JSON lines, in the order of the list`, async () => {
    const { status, headers, text } = await request('GET', `${path}/export?format=jsonl`, owner);
    assert.deepEqual(
      [status, headers.get('content-type'), headers.get('content-disposition')],
      [200, 'application/x-ndjson; charset=utf-8', `attachment; filename="${file}.jsonl"`],
    );
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual([lines.length, new Set(lines.map(({ id }) => id)).size], [ROWS, ROWS]);
    const { body } = await request('GET', `${path}?limit=200`, owner);
    assert.deepEqual(lines.slice(0, 200), body);
    assert.equal(lines[0].balance, '2.750685');
  });
}

test('200: CSV by default, where amounts are numbers although they may be negative', async () => {
  const user = await fixtures.user();
  await postAt(db, { userId: user.id }, [
    ['10.00', '2026-03-28T10:00:00Z'],
    ['-2.50', '2026-03-29T10:00:00Z'],
  ]);
  const path = '/api/billing/transactions/export';
  const { status, headers, text } = await request('GET', path, user);
  assert.deepEqual([status, headers.get('content-type')], [200, 'text/csv; charset=utf-8']);
  const [head, ...rows] = text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  assert.deepEqual(head, [
    'id',
    'kind',
    'amount',
    'balance',
    'reference_type',
    'reference_id',
    'created_at',
  ]);
  assert.deepEqual(
    rows.map(([, kind, amount, balance, , , at]) => [kind, amount, balance, at]),
    [
      ['usage', '-2.50', '7.50', '2026-03-29T10:00:00.000Z'],
      ['promotion', '10.00', '10.00', '2026-03-28T10:00:00.000Z'],
    ],
  );
  const lines = async (query: string) =>
    (await request('GET', `${path}?format=jsonl&${query}`, user)).text.split('\n').length - 1;
  assert.deepEqual(
    [await lines('type=usage'), await lines('to=2026-03-28'), await lines('type=refund')],
    [1, 1, 0],
  );
});

test('200: rows that are posted while the file is read neither repeat nor hide another', async () => {
  const { body } = await request('GET', '/api/billing/transactions?limit=1', owner);
  const [{ text }] = await Promise.all([
    request('GET', '/api/billing/transactions/export?format=jsonl', owner),
    ...Array.from({ length: 20 }, () => fixtures.fund({ userId: owner.id }, '0.01')),
  ]);
  const ids = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).id);
  const known = ids.slice(ids.indexOf(body[0].id));
  assert.deepEqual([known.length, new Set(ids).size], [ROWS, ids.length]);
});

test('422: an unknown format, and a period that ends before it begins', async () => {
  for (const { path } of LISTS)
    for (const [query, type] of [
      ['format=xml', 'literal_error'],
      ['from=2026-01-02&to=2026-01-01', 'from_after_to'],
    ]) {
      const { status, body } = await request('GET', `${path}/export?${query}`, owner);
      assert.deepEqual([status, body.detail[0].type], [422, type]);
    }
});
