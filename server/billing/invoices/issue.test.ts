import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { Issuer } from '../../platform/config/config.ts';
import { startPayers } from '../../testing/fixtures/billing/payer.ts';
import { succeededTopUp, succeedTopUp } from '../../testing/fixtures/billing/top-ups.ts';
import { auditLedger } from '../audit/ledger-audit.ts';
import { sandbox } from '../cards/sandbox.ts';
import { advanceRefund, startRefund } from '../top-ups/refund.ts';
import { issueDue } from './issue.ts';
import { storeIssuer } from './issuer.ts';

const { db, fixtures, owner, payer, request } = await startPayers();

const ISSUER: Issuer = {
  name: 'Guildhall Ltd',
  address: ['1 High Street', 'Dublin'],
  country: 'IE',
  taxId: 'IE1234567T',
  prefix: 'A-',
  taxName: 'VAT',
  taxRates: { DE: '19', IE: '23', CH: '8.1', '*': '5' },
  reverseChargeNote: 'Reverse charge',
};
await storeIssuer(db, ISSUER);

const documents = (topUpId: string) =>
  db.many<Record<string, string | bigint | string[]>>(sql`
    select kind, number, total, tax, tax_rate::text, tax_note, customer_name, customer_address,
           customer_email, issuer_name, transfer_key
      from invoice where top_up_id = ${topUpId} order by number`);

const violations = async () =>
  (await auditLedger(db)).violations.filter(({ rule }) => /invoice/.test(rule));

async function refund(topUpId: string, amount: bigint) {
  const processor = sandbox(db);
  const { id } = await startRefund(db, processor, topUpId, amount, async () => {});
  return advanceRefund(db, processor, id);
}

test('a top-up that succeeds has one invoice, a refund one credit note, whose tax adds up', async () => {
  const { user, add } = await payer();
  await request('PUT', '/api/billing/details', {
    key: user.key,
    body: { name: 'Kunde', address: ['Weg 1'], country: 'DE', email: 'k@kunde.example' },
  });
  const { top_up_id } = (await add(100)).body;
  // Later changes do not reach what was issued.
  await request('PUT', '/api/billing/details', {
    key: user.key,
    body: { name: 'Other', country: 'CH' },
  });
  for (const amount of [33_330_000n, 33_330_000n, 33_340_000n]) await refund(top_up_id, amount);
  const all = await documents(top_up_id);
  assert.deepEqual(
    all.map(({ kind, total, tax }) => [kind, total, tax]),
    [
      ['invoice', 100_000_000n, 15_970_000n],
      ['credit_note', 33_330_000n, 5_320_000n],
      ['credit_note', 33_330_000n, 5_320_000n],
      ['credit_note', 33_340_000n, 5_330_000n],
    ],
  );
  for (const each of all)
    assert.deepEqual(
      [each.customer_name, each.customer_address, each.customer_email, each.tax_rate],
      ['Kunde', ['Weg 1'], 'k@kunde.example', '19.000'],
    );
  assert.deepEqual(await violations(), []);
});

for (const { country, taxId, rate, note, why } of [
  { country: 'DE', taxId: 'DE1', rate: '0.000', note: 'Reverse charge', why: 'a tax id abroad' },
  { country: 'IE', taxId: 'IE9', rate: '23.000', note: null, why: 'a tax id of the same country' },
  { country: 'CH', taxId: null, rate: '8.100', note: null, why: 'no tax id' },
  { country: 'US', taxId: null, rate: '5.000', note: null, why: 'a country without a rate' },
  { country: null, taxId: 'X1', rate: '5.000', note: null, why: 'no country' },
] as const) {
  test(`the tax of a customer with ${why}`, async () => {
    const { user, add } = await payer();
    await request('PUT', '/api/billing/details', {
      key: user.key,
      body: { country, tax_id: taxId },
    });
    const [invoice] = await documents((await add(10)).body.top_up_id);
    assert.deepEqual([invoice?.tax_rate, invoice?.tax_note], [rate, note]);
  });
}

test('race: fifty top-ups that succeed at once have numbers without a gap, also with refunds among them', async () => {
  await storeIssuer(db, { ...ISSUER, prefix: 'RACE-' });
  const people = await Promise.all(Array.from({ length: 10 }, () => payer()));
  const replies = await Promise.all(
    people.flatMap(({ add }) => [5, 6, 7, 8, 9].map((amount) => add(amount))),
  );
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  await Promise.all(replies.slice(0, 20).map(({ body }) => refund(body.top_up_id, 1_000_000n)));
  const { numbers } = await db.one<{ numbers: string[] }>(sql`
    select array_agg(number order by issued_at, sequence) as numbers from invoice
     where prefix = 'RACE-'`);
  const year = new Date().getUTCFullYear();
  assert.deepEqual(
    numbers,
    Array.from({ length: 70 }, (_, i) => `RACE-${year}-${String(i + 1).padStart(6, '0')}`),
  );
  assert.deepEqual(await violations(), []);
});

test('a transaction that fails gives its number back', async () => {
  await storeIssuer(db, { ...ISSUER, prefix: 'BACK-' });
  const user = await fixtures.user();
  const card = await fixtures.card(user);
  await succeededTopUp(db, { userId: user.id, card });
  await assert.rejects(
    db.transaction(async (tx) => {
      await succeedTopUp(tx, { userId: user.id, card });
      throw new Error('the power went out');
    }),
    /power/,
  );
  await succeededTopUp(db, { userId: user.id, card });
  const numbers = await db.many<{ sequence: bigint }>(sql`
    select sequence from invoice where prefix = 'BACK-' order by 1`);
  assert.deepEqual(
    numbers.map(({ sequence }) => sequence),
    [1n, 2n],
  );
});

test('numbers begin again with the year, in UTC, also for who waited over its end', async () => {
  await storeIssuer(db, { ...ISSUER, prefix: 'NY-' });
  const user = await fixtures.user();
  const card = await fixtures.card(user);
  await owner(sql`create table public.test_clock (at timestamptz, step interval)`);
  await owner(sql`grant select, update on public.test_clock to guildhall_app`);
  await owner(sql`
    create or replace function invoice_clock() returns timestamptz language sql volatile as $$
      update test_clock set at = at + step returning at $$`);
  const at = (time: string, step = '0') =>
    owner(sql`
      with gone as (delete from test_clock)
      insert into test_clock values (${time}, ${step})`);
  for (const time of ['2026-12-31T23:59:59.999999Z', '2027-01-01T01:30:00+01:00']) {
    await at(time);
    await succeededTopUp(db, { userId: user.id, card });
  }
  // The first look at the clock is in the old year, the second in the new one.
  await at('2027-12-31T23:59:58Z', '1.5 seconds');
  await succeededTopUp(db, { userId: user.id, card });
  const numbers = await db.many<{ number: string }>(sql`
    select number from invoice where prefix = 'NY-' order by issued_at, number`);
  assert.deepEqual(
    numbers.map(({ number }) => number),
    ['NY-2026-000001', 'NY-2027-000001', 'NY-2028-000001'],
  );
  await owner(sql`
    create or replace function invoice_clock() returns timestamptz language sql volatile as $$
      select clock_timestamp() $$`);
  assert.deepEqual(await violations(), []);
});

test('what an earlier release posted is issued later, once, in the order of its success', async () => {
  await storeIssuer(db, { ...ISSUER, prefix: 'OLD-' });
  const user = await fixtures.user();
  const card = await fixtures.card(user);
  const old = [];
  for (let i = 0; i < 5; i++)
    old.push((await succeededTopUp(db, { userId: user.id, card, issue: false })).topUpId);
  assert.deepEqual(await violations(), []);
  await Promise.all([issueDue(db), issueDue(db), issueDue(db)]);
  const issued = await db.many<{ top_up_id: string }>(sql`
    select top_up_id from invoice where top_up_id = any(${old}::uuid[]) order by charged_at`);
  assert.deepEqual(
    issued.map(({ top_up_id }) => top_up_id),
    old,
  );
  assert.equal(await issueDue(db), 0);
  assert.deepEqual(await violations(), []);
});

test('the audit names a posting without an invoice, and a gap', async () => {
  await storeIssuer(db, { ...ISSUER, prefix: 'BAD-' });
  const user = await fixtures.user();
  const card = await fixtures.card(user);
  const { topUpId } = await succeededTopUp(db, { userId: user.id, card, issue: false });
  await owner(sql`delete from invoice_due where top_up_id = ${topUpId}`);
  await succeededTopUp(db, { userId: user.id, card });
  await owner(sql`update invoice_counter set last = 2 where prefix = 'BAD-'`);
  assert.deepEqual(
    (await violations()).map(({ rule, topUpId: of }) => [rule, of]),
    [
      ['one_invoice_a_posting', topUpId],
      ['invoice_numbers_without_gaps', undefined],
    ],
  );
});

test('an invoice never changes, and its number is not the one that was asked for', async () => {
  const user = await fixtures.user();
  const { invoiceId } = await succeededTopUp(db, {
    userId: user.id,
    card: await fixtures.card(user),
  });
  for (const change of [
    sql`update invoice set total = 1 where id = ${invoiceId}`,
    sql`delete from invoice where id = ${invoiceId}`,
  ]) {
    await assert.rejects(() => db.many(change), { code: '42501' });
    await assert.rejects(() => owner(change), /insert-only/);
  }
  await assert.rejects(() => db.many(sql`update invoice_counter set last = 0`), { code: '42501' });
});
