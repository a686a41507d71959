import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { NARROW, noBrowser, openBrowser, type Visitor, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';

/** The pages of the account. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { db, fixtures, url } = harness;

  /** A visitor who has just signed in, so that dangerous acts need no further proof. */
  async function proven(user: { id: string }, how: object = {}): Promise<Visitor> {
    return visit(browser, { url, cookie: await signIn(harness, user, { proven: true }), ...how });
  }

  test('a key is made by keyboard alone, shown once, and revoked', async () => {
    const user = await fixtures.user();
    const visitor = await proven(user, NARROW);
    const { page } = visitor;
    await visitor.open('/account/keys');
    await page.getByRole('button', { name: 'Create a key' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('CI of the shop');
    await visitor.isCleanInEveryLook();
    await page.keyboard.press('Enter');
    const shown = page.getByRole('button', { name: 'Copy the key' });
    await shown.waitFor();
    const key = (await shown.locator('span').first().textContent()) ?? '';
    const reply = await harness.request('GET', '/api/account', { key });
    assert.equal(reply.body.id, user.id);
    await visitor.isCleanInEveryLook();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('cell', { name: 'CI of the shop', exact: true }).waitFor();
    assert.ok(!(await page.content()).includes(key));
    await page.getByRole('button', { name: 'Revoke CI of the shop' }).click();
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await page
      .getByRole('cell', { name: 'CI of the shop', exact: true })
      .waitFor({ state: 'detached' });
    assert.equal((await harness.request('GET', '/api/account', { key })).status, 401);
    await visitor.leave();
  });

  test('a key is for reading alone, in one workspace, for a month; a bad name is refused beside it', async () => {
    const user = await fixtures.user();
    const visitor = await proven(user);
    const { page } = visitor;
    await visitor.open('/account/keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('a\u202eb');
    await page.getByLabel('Expires').selectOption('30 days');
    await page.getByLabel('Only to read').check();
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('dialog').locator('.text-wrong').first().waitFor();
    visitor.expectErrors(/422/);
    await page.getByLabel('Name').fill('Reader');
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('button', { name: 'Copy the key' }).waitFor();
    const [key] = await db.many(sql`
      select name, read_only, expires_at between now() + interval '29 days'
             and now() + interval '31 days' as a_month
        from api_key where user_id = ${user.id} and name = 'Reader'`);
    assert.deepEqual(key, { name: 'Reader', read_only: true, a_month: true });
    await visitor.leave();
  });

  test('sessions are shown and ended', async () => {
    const user = await fixtures.user();
    const others = [await signIn(harness, user), await signIn(harness, user)];
    const visitor = await proven(user, NARROW);
    const { page } = visitor;
    const isOpen = async (cookie: string | undefined) =>
      (await fetch(`${url}/api/account`, { headers: { cookie: cookie ?? '' } })).ok;
    await visitor.open('/account/sessions');
    await page.getByText('this one').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Sign out Unknown/ }).count(), 2);
    await page
      .getByRole('button', { name: /^Sign out Unknown/ })
      .first()
      .focus();
    await page.keyboard.press('Enter');
    await page.getByRole('row').nth(3).waitFor({ state: 'detached' });
    assert.equal((await Promise.all(others.map(isOpen))).filter(Boolean).length, 1);
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
    assert.deepEqual(await Promise.all(others.map(isOpen)), [false, false]);
    await visitor.leave();
  });

  test('the name is changed, everywhere on the page; a bad one is refused beside its field', async () => {
    const user = await fixtures.user();
    const visitor = await proven(user);
    const { page } = visitor;
    await visitor.open('/account');
    await page.getByLabel('Name').fill('a\u202eb');
    await page.keyboard.press('Enter');
    await page.locator('form .text-wrong').first().waitFor();
    visitor.expectErrors(/422/);
    await visitor.isClean();
    await page.getByLabel('Name').fill('Ada Lovelace');
    await page.keyboard.press('Enter');
    await page.getByText('Saved.').waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByText('Ada Lovelace').waitFor();
    await visitor.leave();
  });

  test('a password is set; a weak one is refused beside its field', async () => {
    const user = await fixtures.user();
    const visitor = await proven(user, { scheme: 'dark', width: 360 });
    const { page } = visitor;
    await visitor.open('/account/security');
    await page.getByLabel('New password').fill('password1');
    await page.keyboard.press('Enter');
    await page.getByText('This password is easy to guess').waitFor();
    visitor.expectErrors(/422/);
    await visitor.isClean();
    await page.getByLabel('New password').fill('vexing-lamp-otter-41');
    await page.keyboard.press('Enter');
    await page.getByText('The password is set').waitFor();
    const set = await db.many(sql`select from password where user_id = ${user.id}`);
    assert.equal(set.length, 1);
    await visitor.leave();
  });

  test('an act that needs a proof asks for it, and is not done without', async () => {
    const user = await fixtures.user();
    const visitor = await visit(browser, { url, cookie: await signIn(harness, user) });
    const { page } = visitor;
    await visitor.open('/account/keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('Later');
    await page.keyboard.press('Enter');
    const proof = page.getByRole('dialog', { name: 'Is it you?' });
    await proof.waitFor();
    visitor.expectErrors(/403/);
    await visitor.isClean();
    await page.keyboard.press('Escape');
    // They have neither a password nor a code nor a passkey, and read what they can do.
    await page.getByRole('alert').getByText('Sign in again, or by a fresh link').waitFor();
    assert.equal(await page.getByText('a code or a passkey').count(), 0);
    const made = await db.many(sql`
      select from api_key where user_id = ${user.id} and name = 'Later'`);
    assert.equal(made.length, 0);
    await page.getByRole('button', { name: 'Create the key' }).click();
    await proof.waitFor();
    await visitor.context.close();
  });
} else test('the account in a browser', { skip: noBrowser }, () => {});
