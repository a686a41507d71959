import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postAt } from '../testing/database/transactions.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { db, fixtures, request } = await startHarness();
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const path = `/api/organizations/${workspace}/billing/transactions`;
await postAt(
  db,
  { organizationId: workspace },
  Array.from({ length: 61 }, (_, i) => [
    i % 2 === 0 ? '3.00' : '-1.25',
    `2026-02-${String((i % 28) + 1).padStart(2, '0')}T12:00:00Z`,
  ]),
);

test('200: 50 to a page unless limit says otherwise, newest first, for the owner and admins', async () => {
  const admin = await fixtures.user();
  await fixtures.member(workspace, admin, 'admin');
  const first = await request('GET', path, admin);
  assert.deepEqual([first.status, first.body.length], [200, 50]);
  const link = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] as string;
  const second = await request('GET', link, owner);
  assert.deepEqual([second.body.length, second.headers.get('link')], [11, null]);
  const all = [...first.body, ...second.body];
  assert.equal(new Set(all.map(({ id }) => id)).size, 61);
  assert.deepEqual([all[0].amount, all[0].balance, all[60].balance], ['3.00', '55.50', '3.00']);
  const { body } = await request('GET', `${path}?limit=200`, owner);
  assert.deepEqual(body, all);
});

test('200: a type and a period narrow it, also on later pages', async () => {
  const query = 'type=usage&from=2026-02-02&to=2026-02-05&limit=3';
  const first = await request('GET', `${path}?${query}`, owner);
  const next = /^<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] as string;
  const rest = await request('GET', next, owner);
  const kinds = [...first.body, ...rest.body].map(({ kind, created_at }) => [
    kind,
    created_at.slice(0, 10),
  ]);
  assert.deepEqual(
    kinds,
    ['04', '02', '04', '02', '04', '02'].map((day) => ['usage', `2026-02-${day}`]),
  );
});

test('422: a limit that is too high, and a period that ends before it begins', async () => {
  for (const [query, type] of [
    ['limit=201', 'less_than_equal'],
    ['from=2026-01-02&to=2026-01-01', 'from_after_to'],
  ]) {
    const { status, body } = await request('GET', `${path}?${query}`, owner);
    assert.deepEqual([status, body.detail[0].type], [422, type]);
  }
});
