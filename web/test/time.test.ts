import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { ago } from '../src/ui/ago.ts';
import { amountError, dollars, exactDollars } from '../src/ui/amount.ts';
import { noBrowser, openBrowser, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';

test('times are in the nearest whole unit, from minutes to years', () => {
  const now = Date.parse('2026-11-27T12:00:00.000Z');
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
  for (const [from, text] of [
    [-5_000, 'now'],
    [30_000, 'in a moment'],
    [-3 * minute, '3 min. ago'],
    [59.9 * minute, 'in 1 hr.'],
    [-23.9 * hour, '1 day ago'],
    [7 * day - 1_000, 'in 7 days'],
    [-7 * day - 1_000, '7 days ago'],
    [14 * day - 1_000, 'in 2 wk.'],
    [-59 * day, '2 mo. ago'],
    [90 * day - 1_000, 'in 3 mo.'],
    [-365 * day, '12 mo. ago'],
    [3 * 365 * day, 'in 3 yr.'],
  ] as const)
    assert.equal(ago(new Date(now + from).toISOString(), now), text);
});

test('amounts have separators and two decimals, and nothing is shown as nothing', () => {
  for (const [amount, text] of [
    ['10000', '$10,000.00'],
    ['119.993', '$119.99'],
    ['0.995', '$1.00'],
    ['-1234567.5', '−$1,234,567.50'],
    ['0.000', '$0.00'],
    ['0.0021', '< $0.01'],
    [0, '$0.00'],
    [25, '$25.00'],
  ] as const)
    assert.equal(dollars(amount), text);
  assert.equal(exactDollars('1119.993'), '$1,119.993');
});

test('an amount with a comma is refused in words, and with the amount that was meant', () => {
  assert.equal(amountError('25,50'), 'Write the cents after a point: 25.50');
  assert.equal(amountError('1,000'), 'Write the amount without commas: 1000');
  assert.equal(amountError('$25'), 'Write an amount in USD, such as 25.50');
  for (const text of ['', '25', ' 25.50 ', '0.01']) assert.equal(amountError(text), null);
});

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { db, fixtures, url } = harness;

  test('what has just happened is not to come, however long the page has been open', async () => {
    const user = await fixtures.user();
    const visitor = await visit(browser, { url, cookie: await signIn(harness, user) });
    const { page } = visitor;
    await page.clock.install();
    await visitor.open('/account/keys');
    const rows = page.getByRole('row');
    await rows.nth(1).waitFor();
    // The times of a page move on each half minute.
    await page.clock.fastForward(25_000);
    await db.many(sql`
      insert into api_key (user_id, name, secret_hash, created_at)
      values (${user.id}, 'made later', sha256(${user.id}::text::bytea),
              now() + interval '24 seconds')`);
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByRole('link', { name: 'API keys' }).click();
    const made = rows.filter({ hasText: 'made later' });
    await made.waitFor();
    assert.match(await made.innerText(), /\bnow\b/);
    await visitor.context.close();
  });
} else test('times in a browser', { skip: noBrowser }, () => {});
