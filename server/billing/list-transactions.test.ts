import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postAt } from '../testing/database/transactions.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { db, fixtures, request } = await startHarness();

const path = '/api/billing/transactions';
const amounts = (body: { amount: string }[]) => body.map(({ amount }) => amount);

test('200: newest first, signed, each with the balance after it; pages are the whole list', async () => {
  const user = await fixtures.user();
  for (const amount of ['10.00', '-2.50', '0.000001'])
    await fixtures.fund({ userId: user.id }, amount);
  const whole = (await request('GET', '/api/billing/transactions', { key: user.key })).body;
  assert.deepEqual(
    whole.map(({ kind, amount, balance }: Record<string, string>) => [kind, amount, balance]),
    [
      ['promotion', '0.000001', '7.500001'],
      ['usage', '-2.50', '7.50'],
      ['promotion', '10.00', '10.00'],
    ],
  );
  const pages: unknown[] = [];
  let next: string | undefined = '/api/billing/transactions?limit=2';
  while (next !== undefined) {
    const page: Awaited<ReturnType<typeof request>> = await request('GET', next, { key: user.key });
    pages.push(...page.body);
    next = /^<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1];
  }
  assert.deepEqual(pages, whole);
});

test('200: a type, and a period in whole days of UTC', async () => {
  const user = await fixtures.user();
  await postAt(db, { userId: user.id }, [
    ['9.00', '2026-03-28T23:59:59.999Z'],
    ['-1.00', '2026-03-29T00:00:00Z'],
    ['2.00', '2026-03-29T23:59:59.999999Z'],
    ['-3.00', '2026-03-30T00:00:00Z'],
  ]);
  const get = async (query: string) =>
    amounts((await request('GET', `${path}?${query}`, user)).body);
  assert.deepEqual(await get('from=2026-03-29&to=2026-03-29'), ['2.00', '-1.00']);
  assert.deepEqual(await get('from=2026-03-30'), ['-3.00']);
  assert.deepEqual(await get('to=2026-03-28'), ['9.00']);
  assert.deepEqual(await get('to=9999-12-31&type=usage'), ['-3.00', '-1.00']);
  assert.deepEqual(await get('type=promotion&limit=1'), ['2.00']);
  assert.deepEqual(await get('type=refund'), []);
});

test('422: an unknown type, a day that does not exist, a period that ends before it begins', async () => {
  const user = await fixtures.user();
  for (const [query, type] of [
    ['type=gift', 'literal_error'],
    ['from=2026-02-30', 'date_from_datetime_parsing'],
    ['from=2026-01-02&to=2026-01-01', 'from_after_to'],
    ['cursor=x', 'cursor_invalid'],
  ] as const) {
    const { status, body } = await request('GET', `${path}?${query}`, user);
    assert.deepEqual([status, body.detail[0].type], [422, type], query);
  }
});
