import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { sql } from '../../server/db/sql.ts';
import { startPayers } from '../../server/testing/fixtures/billing/payer.ts';
import { pagesOf } from '../../server/testing/fixtures/billing/pdf.ts';
import { succeededTopUp } from '../../server/testing/fixtures/billing/top-ups.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { DASHBOARD, NARROW, noBrowser, openBrowser, visit } from './browser.ts';

/** The pages of money. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const payers = await startPayers({ delay: 10, dashboard: DASHBOARD });
  const { db, fixtures, url, breakProcessor, capturedBy } = payers;

  async function visitor(user: { id: string }, how: object = {}) {
    return visit(browser, { url, cookie: await signIn(payers, user), ...how });
  }

  /** Follows the link to a PDF, which is saved under the number of the invoice. */
  async function downloaded(page: Page, link: Locator): Promise<void> {
    const [file] = await Promise.all([page.waitForEvent('download'), link.click()]);
    const [, number = ''] = /^(INV-\d{4}-\d{6})\.pdf$/.exec(file.suggestedFilename()) ?? [];
    const [sheet] = await pagesOf(await readFile(await file.path()));
    assert.ok(number !== '' && sheet?.text.includes(number), file.suggestedFilename());
  }

  test('funds are added by keyboard alone', async () => {
    const user = await fixtures.user();
    await fixtures.card(user);
    const visiting = await visitor(user, NARROW);
    const { page } = visiting;
    await visiting.open('/account/billing');
    await page.getByLabel('Card').first().waitFor();
    await page.getByLabel('Amount in USD').focus();
    await page.keyboard.type('25.50');
    await page.keyboard.press('Enter');
    await page.getByText('$25.50 was charged').waitFor();
    assert.equal(await fixtures.balance({ userId: user.id }), 25_500_000n);
    await visiting.isCleanInEveryLook();
    await page.getByRole('link', { name: 'Transactions' }).click();
    await page.getByRole('cell', { name: 'Funds added' }).waitFor();
    await page.getByLabel('Only this kind').selectOption('Usage');
    await page.getByText('Nothing fits').waitFor();
    assert.match(page.url(), /view=transactions.*type=usage/);
    const file = await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href');
    assert.equal(file, '/api/billing/transactions/export?format=csv&type=usage');
    await visiting.leave();
  });

  test('a charge without an outcome is continued by the same form, and made once', async () => {
    const user = await fixtures.user();
    await fixtures.card(user);
    const visiting = await visitor(user);
    const { page } = visiting;
    await visiting.open('/account/billing');
    breakProcessor({ attend: async () => ({ kind: 'unknown', reason: 'timeout' }) });
    await page.getByLabel('Amount in USD').fill('40');
    await page.getByRole('button', { name: 'Add funds' }).click();
    await page.getByText('nothing counts as charged').waitFor();
    await visiting.isClean();
    breakProcessor();
    await page.getByRole('button', { name: 'Add funds' }).click();
    await page.getByText('$40.00 was charged').waitFor();
    assert.equal(await capturedBy(user), '40000000');
    // A charge that has ended is not continued: the next one is another.
    await page.getByRole('button', { name: 'Add funds' }).click();
    await page.getByText('The balance is $80.00').waitFor();
    assert.equal(await capturedBy(user), '80000000');
    await visiting.leave();
  });

  test('a charge without an answer is made once, however much later it is sent again', async () => {
    const user = await fixtures.user();
    await fixtures.card(user);
    const visiting = await visitor(user);
    const { page } = visiting;
    await page.clock.install();
    await visiting.open('/account/billing');
    // It is made, and what the server answers is lost.
    await page.route('**/api/billing/top-ups', async (route) => {
      if (route.request().method() === 'POST') await route.fetch();
      await route.abort('connectionreset');
    });
    await page.getByLabel('Amount in USD').fill('40');
    await page.getByRole('button', { name: 'Add funds' }).click();
    await page.getByText('There was no answer').waitFor();
    await page.unroute('**/api/billing/top-ups');
    await page.clock.fastForward('05:00');
    await page.getByRole('button', { name: 'Add funds' }).click();
    await page.getByText('$40.00 was charged').waitFor();
    assert.equal(await capturedBy(user), '40000000');
    visiting.expectErrors(/ERR_CONNECTION_RESET/);
    await visiting.leave();
  });

  test('refusals stand where they belong: an amount beside its field, a declined card above the button', async () => {
    const user = await fixtures.user();
    const visiting = await visitor(user);
    const { page } = visiting;
    await visiting.open('/account/billing');
    await page.getByText('You have no saved card yet').first().waitFor();
    await fixtures.card(user, 'pm_card_chargeDeclinedInsufficientFunds');
    await page.reload();
    await page.getByLabel('Amount in USD').fill('0.5');
    await page.getByRole('button', { name: 'Add funds' }).click();
    await page.getByText('Write 1 or more.').waitFor();
    await page.getByLabel('Amount in USD').fill('20');
    await page.getByRole('button', { name: 'Add funds' }).click();
    await page.getByRole('alert').getByText('The card was declined').waitFor();
    visiting.expectErrors(/422|402/);
    assert.equal(await fixtures.balance({ userId: user.id }), 0n);
    await visiting.isClean();
    await visiting.leave();
  });

  test('a refused amount keeps no form from being sent again, and another card takes the refusal away', async () => {
    const user = await fixtures.user();
    await fixtures.card(user);
    await fixtures.card(user, 'pm_card_mastercard');
    const visiting = await visitor(user);
    const { page } = visiting;
    await visiting.open('/account/billing');
    const refusal = page.getByText('Write 1 or more.');
    const send = async () => {
      const answered = page.waitForResponse((response) => response.request().method() === 'POST');
      await page.getByRole('button', { name: 'Add funds' }).click();
      assert.equal((await answered).status(), 422);
      await refusal.waitFor();
    };
    await page.getByLabel('Amount in USD').fill('0.5');
    await send();
    await send();
    await visiting.page.getByLabel('Card').first().selectOption({ index: 1 });
    await refusal.waitFor({ state: 'detached' });
    await send();
    visiting.expectErrors(/422/);
    await page.getByLabel('Amount in USD').fill('20');
    await refusal.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Add funds' }).click();
    await page.getByText('$20.00 was charged').waitFor();
    assert.equal(await capturedBy(user), '20000000');
    await visiting.leave();
  });

  test('a charge that the bank asks about is confirmed, or refused, by the cardholder', async () => {
    const user = await fixtures.user();
    await fixtures.card(user, 'pm_card_authenticationRequired');
    const visiting = await visitor(user);
    const { page } = visiting;
    await visiting.open('/account/billing');
    await page.getByLabel('Amount in USD').fill('30');
    await page.getByRole('button', { name: 'Add funds' }).click();
    await page.getByRole('button', { name: 'Refuse it' }).click();
    await page.getByRole('dialog').getByText('The payment was not confirmed').waitFor();
    visiting.expectErrors(/402/);
    assert.equal(await fixtures.balance({ userId: user.id }), 0n);
    await visiting.isClean();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Add funds' }).click();
    await page.getByRole('button', { name: 'Confirm the charge' }).click();
    await page.getByText('$30.00 was charged').waitFor();
    assert.equal(await capturedBy(user), '30000000');
    await visiting.leave();
  });

  test('a charge has an invoice, which says what the details said then', async () => {
    const user = await fixtures.user();
    await fixtures.card(user);
    const visiting = await visitor(user, { scheme: 'dark', width: 360 });
    const { page } = visiting;
    await visiting.open('/account/billing?view=invoices');
    await page.getByText('No invoices yet').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Guild of Ada');
    await page.getByLabel('Address').fill('1 Harbour Street\n\nLeiden');
    await page.getByLabel('Country').fill('nl');
    await page.getByRole('button', { name: 'Save the details' }).click();
    await page.getByText('The details are saved.').waitFor();
    await page.getByRole('link', { name: 'Balance' }).click();
    await page.getByLabel('Amount in USD').fill('12');
    await page.getByRole('button', { name: 'Add funds' }).click();
    await page.getByText('$12.00 was charged').waitFor();
    await page.getByRole('link', { name: 'Invoices' }).click();
    const row = page.getByRole('row', { name: /\$12\.00/ });
    await row.waitFor();
    await row.getByRole('button').click();
    const paper = page.getByRole('dialog');
    for (const line of ['Guild of Ada', '1 Harbour Street', 'Leiden', 'NL'])
      await paper.getByText(line, { exact: true }).waitFor();
    await visiting.isClean();
    await downloaded(page, paper.getByRole('link', { name: /^PDF of INV-/ }));
    await visiting.context.close();
  });

  test('an invoice of a workspace is downloaded from the list', async () => {
    const owner = await fixtures.user();
    const card = await fixtures.card(owner);
    const org = await fixtures.workspace(owner);
    await succeededTopUp(db, { userId: owner.id, card, organizationId: org });
    const visiting = await visitor(owner);
    const { page } = visiting;
    await visiting.open(`/workspaces/${org}/billing?view=invoices`);
    await downloaded(page, page.getByRole('row').getByRole('link', { name: /^PDF of INV-/ }));
    await visiting.leave();
  });

  test('auto-reload of a workspace is switched on with all four figures, and off', async () => {
    const owner = await fixtures.user();
    await fixtures.card(owner);
    const org = await fixtures.workspace(owner, { balance: '5.00' });
    const visiting = await visitor(owner);
    const { page } = visiting;
    await visiting.open(`/workspaces/${org}/billing`);
    await page.getByLabel('When less than this is available').fill('10');
    await page.getByLabel('Charge at least').fill('25');
    await page.getByLabel('But no more than this in a month').fill('20');
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByText('must not be less than the amount').waitFor();
    visiting.expectErrors(/422/);
    await page.getByLabel('But no more than this in a month').fill('200');
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByRole('button', { name: 'Switch off' }).waitFor();
    await visiting.isClean();
    const settings = () =>
      db.one<{ enabled: boolean; amount: string }>(sql`
        select r.enabled, r.amount::text from auto_reload r
          join billing_account a on a.id = r.account_id where a.organization_id = ${org}`);
    assert.deepEqual(await settings(), { enabled: true, amount: '25000000' });
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('button', { name: 'Switch on' }).waitFor();
    assert.equal((await settings()).enabled, false);
    await visiting.leave();
  });

  test('a test card is saved, made the default, shared with a workspace, and removed when nothing uses it', async () => {
    const owner = await fixtures.user();
    const org = await fixtures.workspace(owner);
    const visiting = await visitor(owner);
    const { page } = visiting;
    await visiting.open(`/workspaces/${org}/billing`);
    for (const card of ['Visa that pays', 'Mastercard that pays']) {
      await page.getByRole('button', { name: 'Save a test card' }).click();
      await page.getByRole('dialog').getByLabel('Card').selectOption(card);
      await page.getByRole('button', { name: 'Save the card' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    const rows = page.getByRole('table', { name: 'Your cards' });
    await rows.getByRole('row', { name: /Visa ending in 4242 Default/ }).waitFor();
    await visiting.isClean();
    const act = async (name: string) => {
      await page.getByRole('button', { name: 'Acts on Mastercard ending in 4444' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await act('Make it the default');
    await rows.getByRole('row', { name: /Mastercard ending in 4444 Default/ }).waitFor();
    await act('Share it here');
    const shared = page.getByRole('table', { name: 'Shared cards' });
    await shared.getByRole('cell', { name: 'Mastercard ending in 4444' }).waitFor();
    await db.many(sql`
      insert into auto_reload (account_id, enabled, payment_method_id)
      select a.id, true, p.id from billing_account a
        join payment_method p on p.user_id = a.user_id and p.last4 = '4444'
       where a.user_id = ${owner.id}`);
    await act('Remove');
    await page.getByRole('alert').getByText('The card is in use').waitFor();
    visiting.expectErrors(/409/);
    await db.many(sql`
      update auto_reload set enabled = false, payment_method_id = null
       where account_id = (select id from billing_account where user_id = ${owner.id})`);
    await act('Remove');
    await rows.getByRole('row', { name: /4444/ }).waitFor({ state: 'detached' });
    await shared.waitFor({ state: 'detached' });
    await visiting.leave();
  });

  test('a limit is set for a project and removed; one that another person changed first is refused', async () => {
    const owner = await fixtures.user();
    const org = await fixtures.workspace(owner);
    const project = await fixtures.project({ organizationId: org });
    await db.many(sql`update project set name = 'Webshop' where id = ${project}`);
    const visiting = await visitor(owner, { scheme: 'dark', width: 360 });
    const { page } = visiting;
    await visiting.open(`/workspaces/${org}/billing?view=limits`);
    await page.getByText('No limits.').waitFor();
    await page.getByLabel('For').selectOption('A project');
    await page.getByLabel('Project').selectOption('Webshop');
    await page.getByLabel('USD in a month').fill('0');
    await page.getByRole('button', { name: 'Set the limit' }).click();
    await page.getByText(/^Write (0\.01 or more|more than 0)\.$/).waitFor();
    visiting.expectErrors(/422/);
    await page.getByLabel('USD in a month').fill('100');
    await page.getByRole('button', { name: 'Set the limit' }).click();
    await page.getByRole('row', { name: /Webshop \$100\.00 \$0\.00/ }).waitFor();
    await visiting.isClean();
    await db.many(sql`update spend_limit set amount = 7000000 where project_id = ${project}`);
    await page.getByRole('button', { name: 'Remove the limit of Webshop' }).click();
    await page.getByRole('alert').waitFor();
    visiting.expectErrors(/412/);
    await page.reload();
    await page.getByRole('row', { name: /Webshop \$7\.00/ }).waitFor();
    await page.getByRole('button', { name: 'Remove the limit of Webshop' }).click();
    await page.getByText('No limits.').waitFor();
    await visiting.leave();
  });

  test('a member sees no money of the workspace: no tab, and nothing is asked for by its address', async () => {
    const [owner, member] = [await fixtures.user(), await fixtures.user()];
    const org = await fixtures.workspace(owner);
    await fixtures.member(org, member, 'member');
    const visiting = await visitor(member);
    const { page } = visiting;
    await visiting.open(`/workspaces/${org}`);
    await page.getByRole('link', { name: 'People' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Billing' }).count(), 0);
    await visiting.open(`/workspaces/${org}/billing`);
    await page.getByText('This page is for owners and admins of the workspace.').waitFor();
    await visiting.isClean();
    await visiting.leave();
  });
} else test('the pages of billing in a browser', { skip: noBrowser }, () => {});
