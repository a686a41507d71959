import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { sql } from '../server/db/sql.ts';
import { LAST_MONTH, startMonths, THIS_MONTH } from '../server/testing/fixtures/billing/months.ts';
import { GUILDHALL } from '../server/testing/harness/serve.ts';
import { until } from '../server/testing/harness/until.ts';
import { runCommand } from '../server/testing/processes/command.ts';

type Months = Awaited<ReturnType<typeof startMonths>>;

const stripeOf = ({ fake }: Months): Record<string, string> => ({
  STRIPE_SECRET_KEY: fake.secretKey,
  STRIPE_API_BASE: fake.url,
});

const run = (months: Months, args: string[], settings = stripeOf(months)) =>
  runCommand(['report', ...args], { env: { DATABASE_URL: months.url, ...settings } });

test('status 0 when the month adds up, 1 with each difference by name and ids when it does not', async () => {
  const months = await startMonths();
  const { fake, topUp, turn, path } = months;
  await topUp(25);
  const args = ['--month', THIS_MONTH.name];
  const good = await run(months, args);
  assert.deepEqual([good.code, good.err], [0, '']);
  assert.match(good.out, /^\d{4}-\d\d \(UTC\), which is not over yet\n/);
  assert.match(good.out, /^top-ups +25\.00 +1$/m);
  assert.match(good.out, /^fees of charges +1\.03$/m);
  assert.match(good.out, /^net cash +23\.97$/m);
  assert.match(
    good.out,
    /^ok {3}balances_follow_from_postings: opening 0\.00 \+ movements 25\.00 = /m,
  );
  assert.match(good.out, /\nThe month adds up\.\n$/);

  // Too long ago for a charge that is on its way.
  turn(new Date(Date.now() - 120_000));
  const open = await topUp(40, { charged: false });
  fake.fault({ match: 'POST /v1/payment_intents/:id/confirm', kind: '500saved' });
  await path.advance(open.id);
  // The charge went through at Stripe after all.
  const confirm = `${fake.url}/v1/payment_intents/${await intentOf(months, open.id)}/confirm`;
  await fetch(confirm, {
    method: 'POST',
    headers: { authorization: `Bearer ${fake.secretKey}` },
  });
  const bad = await run(months, args);
  assert.deepEqual([bad.code, bad.err], [1, '']);
  const id = fake.state.balance.at(-1)?.id;
  assert.match(
    bad.out,
    new RegExp(
      `missing_in_ledger: charge of top-up ${open.id} \\(processing\\): ` +
        `0\\.00 in the ledger, 40\\.00 at stripe: pi_\\w+ ${id}\n`,
    ),
  );
  assert.match(bad.out, /\nThe month does not add up: docs\/money\.md says what /);
  const json = await run(months, [...args, '--json']);
  assert.equal(json.code, 1);
  const { holds, differences, net_cash } = JSON.parse(json.out);
  assert.deepEqual([holds, differences.length, net_cash], [false, 1, '62.51']);
});

const intentOf = async ({ db }: Months, id: string) =>
  (await db.one<{ i: string }>(sql`select processor_id as i from top_up where id = ${id}`)).i;

test('a wrong month is a wrong use: status 2', async () => {
  const months = await startMonths('sandbox');
  for (const wrong of ['2026', '2026-13', '2026-00', '2026-1', '26-01', 'november', '2026-11-01']) {
    const { code, out, err } = await run(months, ['--month', wrong], {});
    assert.deepEqual([code, out], [2, ''], wrong);
    assert.match(err, /is invalid\. It must be a year and a month, such as 2026-11\./);
  }
  assert.equal((await run(months, [], {})).code, 2);
});

test('a month of which nothing can be recorded says so, status 2; one in which nothing happened adds up', async () => {
  const months = await startMonths('sandbox');
  await beginAt(THIS_MONTH.from, months);
  for (const [month, said] of [
    ['2999-01', /is invalid\. That month has not begun yet, so nothing is recorded of it\. Add/],
    ['2001-01', /^Nothing is recorded of 2001-01: this installation began on \d+ \w+ \d+\. Add/],
    [LAST_MONTH.name, /^Nothing is recorded of /],
  ] as const) {
    const { code, out, err } = await run(months, ['--month', month], {});
    assert.deepEqual([code, out], [2, ''], month);
    assert.match(err, said);
    const json = await run(months, ['--month', month, '--json'], {});
    assert.deepEqual([json.code, json.out], [2, ''], month);
    assert.match(JSON.parse(json.err).error, /nothing is recorded of/i);
  }
  await beginAt(new Date(LAST_MONTH.to.getTime() - 1), months);
  const empty = await run(months, ['--month', LAST_MONTH.name], {});
  assert.deepEqual([empty.code, empty.err], [0, '']);
  assert.match(empty.out, /^net cash +0\.00$/m);
});

/** The installation began then. */
const beginAt = (time: Date, { forge }: Months) =>
  forge(`update billing_account set created_at = '${time.toISOString()}'`);

test('on the sandbox nothing is needed: no key, no fees, and no money', async () => {
  const months = await startMonths('sandbox');
  await months.topUp(25);
  const { code, out } = await run(months, ['--month', THIS_MONTH.name], {});
  assert.equal(code, 0, out);
  assert.match(out, /^net of sandbox +25\.00 +no money was moved$/m);
  assert.match(out, /^net cash +0\.00$/m);
});

test('a report that is killed while it fetches continues there; Stripe being down is said', async () => {
  const months = await startMonths();
  const { fake, topUp, turn, db } = months;
  await topUp(25);
  turn(new Date(Date.now() - 5_000));
  for (let i = 0; i < 250; i++) fake.bill(100);
  turn(undefined);
  const list = 'GET /v1/balance_transactions';
  // Three pages: it hangs on the last.
  fake.fault({ match: list, kind: 'slow', ms: 0, times: 2 });
  fake.fault({ match: list, kind: 'hang' });
  const args = ['report', '--month', THIS_MONTH.name, '--json'];
  const child = spawn(process.execPath, [GUILDHALL, ...args], {
    env: { PATH: process.env.PATH, DATABASE_URL: months.url, ...stripeOf(months) },
    stdio: 'ignore',
  });
  const listed = () => fake.requests.filter(({ path }) => path.endsWith('/balance_transactions'));
  await until('the third page is asked for', () => listed().length >= 3);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const { count } = await db.one<{ count: bigint }>(sql`select count(*) from balance_transaction`);
  assert.ok(count > 0n && count < 251n, `${count}`);
  const { code, out } = await run(months, ['--month', THIS_MONTH.name, '--json']);
  assert.deepEqual([code, JSON.parse(out).fees.total], [0, '251.03']);

  await fake.closePort();
  const down = await run(months, ['--month', THIS_MONTH.name]);
  assert.match(down.out, /Stripe could not be asked now: /);
  // It was asked a moment ago, and knows of nothing since.
  assert.equal(down.code, 0, down.out);
  await beginAt(new Date(LAST_MONTH.to.getTime() - 1), months);
  assert.equal((await run(months, ['--month', LAST_MONTH.name])).code, 0);
});
