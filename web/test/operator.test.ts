import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { noBrowser, openBrowser, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';

/** The page of operators. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { db, fixtures, request, url } = harness;

  test('an operator finds the page from the account, and does there what its sections offer', async () => {
    const operator = await fixtures.operator();
    const user = await fixtures.user({ name: 'Grace Hopper' });
    const workspace = await fixtures.workspace(user, { name: 'Ships', balance: '3.00' });
    const webhook = await fixtures.webhook(await fixtures.project({ organizationId: workspace }));
    const delivery = await fixtures.webhookDelivery(webhook);
    await db.many(sql`
      update webhook_delivery set state = 'failed', next_attempt_at = null, ended_at = now()
       where id = ${delivery}`);
    const mail = await fixtures.deadMail('nobody@ships.example');
    await fixtures.turn(await fixtures.task(await fixtures.project({}), user), {
      state: 'running',
    });
    const cookie = await signIn(harness, operator, { proven: true });
    const visitor = await visit(browser, { url, cookie });
    const { page } = visitor;
    const section = (name: string) =>
      page
        .getByRole('navigation', { name: 'Operator' })
        .getByRole('link', { name, exact: true })
        .click();
    const dialog = page.getByRole('dialog');

    await visitor.open('/account');
    await page.getByRole('link', { name: 'Operator' }).click();
    await page.getByText('PostgreSQL').waitFor();
    const { name: newest } = await db.one<{ name: string }>(
      sql`select max(name) as name from schema_migration`,
    );
    await page.getByText(newest).waitFor();
    await visitor.isCleanInEveryLook();

    await section('People');
    await page.getByLabel('Search people').fill(user.email);
    const acts = page.getByRole('button', { name: 'Acts on Grace Hopper' });
    await acts.waitFor();
    await visitor.isCleanInEveryLook();
    // By the keyboard alone.
    await acts.focus();
    await page.keyboard.press('Enter');
    const make = page.getByRole('menuitem', { name: 'Make a sign-in link' });
    await make.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Make the link' }).click();
    const link = await dialog.getByText(/\/links\//).innerText();
    await visitor.isClean();
    assert.equal((await fetch(`${url}${new URL(link).pathname}`)).status, 200);
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await acts.click();
    await page.getByRole('menuitem', { name: 'Deactivate' }).click();
    await visitor.isClean();
    await dialog.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByText(/is deactivated\. Keys revoked: 1\..*Ships/).waitFor();
    assert.equal((await request('GET', '/api/account', user)).status, 401);

    await section('Workspaces');
    await page.getByLabel('Search workspaces').fill('Ships');
    await page.getByRole('button', { name: 'Grant credits to Ships' }).click();
    await dialog.getByLabel('Amount in USD').fill('5');
    await dialog.getByLabel('Reason').fill('A gift');
    await dialog.getByRole('button', { name: 'Grant' }).click();
    // Refusals are words: this server takes test cards.
    await dialog.getByText(/Balances are test money here/).waitFor();
    await page.keyboard.press('Escape');
    visitor.expectErrors(/409/);
    await visitor.isCleanInEveryLook();

    await section('Work');
    await page.getByRole('table', { name: 'Workers' }).waitFor();
    await page.getByText('running').first().waitFor();
    await visitor.isCleanInEveryLook();

    await section('Undelivered');
    await page.getByRole('button', { name: 'Send again to nobody@ships.example' }).click();
    await page.getByText('nobody@ships.example').waitFor({ state: 'detached' });
    await page.getByRole('table', { name: 'Deliveries of webhooks' }).waitFor();
    await visitor.isCleanInEveryLook();
    const [sent] = await db.many(sql`select status from mail where id = ${mail}`);
    assert.deepEqual(sent, { status: 'queued' });

    await section('Settings');
    await page.getByLabel('Search settings').fill('data_dir');
    await page.getByRole('cell', { name: 'DATA_DIR' }).waitFor();
    await visitor.isCleanInEveryLook();

    await section('Activity');
    await page.getByText('Deactivate the account').first().waitFor();
    await page
      .getByText(/Refused: test money/)
      .first()
      .waitFor();
    await visitor.isCleanInEveryLook();
    await visitor.leave();
  });

  test('others are told whom the page is for, and have no link to it', async () => {
    const cookie = await signIn(harness, await fixtures.user());
    const visitor = await visit(browser, { url, cookie });
    await visitor.open('/account');
    await visitor.page.getByRole('heading', { name: 'Profile' }).waitFor();
    assert.equal(await visitor.page.getByRole('link', { name: 'Operator' }).count(), 0);
    await visitor.open('/operator?section=people');
    await visitor.page.getByText('This page is for people who operate this server').waitFor();
    await visitor.isCleanInEveryLook();
    await visitor.leave();
  });
}
