import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { LAST_MONTH, startMonths, THIS_MONTH } from '../../testing/fixtures/billing/months.ts';
import { fetchBalance } from './fetch-balance.ts';

type Months = Awaited<ReturnType<typeof startMonths>>;

const stored = async ({ db }: Months) =>
  (
    await db.many<{ id: string }>(sql`select id from balance_transaction order by created_at, id`)
  ).map(({ id }) => id);

const ids = ({ fake }: Months) =>
  fake.state.balance
    .toSorted((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id);

/** Stripe bills the account `count` times, all of it some days ago. */
function bill({ fake, turn }: Months, count: number, daysAgo: number): void {
  turn(new Date(Date.now() - daysAgo * 86_400_000));
  for (let i = 0; i < count; i++) fake.bill(i + 1);
  turn(undefined);
}

const begin = ({ db }: Months, days: number) =>
  db.many(sql`
    update top_up set created_at = now() - ${days}::integer * interval '1 day'`);

test('fetches every page of every day, once, and goes on where it stopped', async () => {
  const months = await startMonths();
  await months.topUp(25);
  await begin(months, 3);
  for (const days of [3, 2, 1]) bill(months, 120, days);
  assert.equal(await fetchBalance(months.db, months.processor), 361);
  assert.deepEqual(await stored(months), ids(months));
  const before = months.fake.requests.length;
  assert.equal(await fetchBalance(months.db, months.processor), 0);
  assert.equal(months.fake.requests.length, before + 1);
  await months.topUp(30);
  assert.equal(await fetchBalance(months.db, months.processor), 1);
});

test('a fetch that ends in the middle of a day leaves no gap', async () => {
  const months = await startMonths();
  const { db, fake, processor } = months;
  await months.topUp(25);
  await begin(months, 2);
  for (const days of [2, 1]) bill(months, 250, days);
  const list = 'GET /v1/balance_transactions';
  for (let kept = 0; kept < 6; kept++) {
    // Each attempt gets one page further than the last, and then Stripe is down.
    if (kept > 0) fake.fault({ match: list, kind: 'slow', ms: 0, times: kept });
    fake.fault({ match: list, kind: 'dropBefore', times: 3 });
    await fetchBalance(db, processor).catch(() => {});
    fake.clearFaults();
  }
  await fetchBalance(db, processor);
  assert.deepEqual(await stored(months), ids(months));
});

test('race: several processes fetch at once; everything is stored once', async () => {
  const months = await startMonths();
  await months.topUp(25);
  await begin(months, 2);
  for (const days of [2, 1]) bill(months, 150, days);
  const added = await Promise.all(
    Array.from({ length: 4 }, () => fetchBalance(months.db, months.processor)),
  );
  assert.equal(
    added.reduce((sum, each) => sum + each),
    301,
  );
  assert.deepEqual(await stored(months), ids(months));
});

test('a month that was fetched is reported while Stripe is down; what was not is said to be missing', async () => {
  const months = await startMonths();
  const { db, fake, report, topUp, turn } = months;
  turn(new Date(THIS_MONTH.from.getTime() - 10_000));
  await topUp(25);
  turn(undefined);
  await months.forge(`
    update ledger_transfer set created_at = '${LAST_MONTH.from.toISOString()}'`);
  const unfetched = await report(LAST_MONTH, { fetch: false });
  assert.deepEqual([unfetched.holds, unfetched.checks[1]?.holds], [false, false]);
  await fetchBalance(db, months.processor);
  await fake.closePort();
  const { holds, fees } = await report(LAST_MONTH, { fetch: false });
  assert.deepEqual([holds, fees.total], [true, '1.03']);
  await db.many(sql`
    update balance_fetch set fetched_until = now() - interval '2 hours'`);
  assert.equal((await report(THIS_MONTH, { fetch: false })).checks[1]?.holds, false);
});

test('what Stripe reported is never changed', async () => {
  const months = await startMonths();
  await months.topUp(25);
  await fetchBalance(months.db, months.processor);
  await assert.rejects(months.db.many(sql`update balance_transaction set fee = 0`));
  await assert.rejects(months.db.many(sql`delete from balance_transaction`));
});
