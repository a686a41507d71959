import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startOdoo } from '../../server/testing/fixtures/erp/fake-server.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { startHarness } from '../../server/testing/harness/harness.ts';
import { DASHBOARD, NARROW, noBrowser, openBrowser, type Visit, visit } from './browser.ts';

/** What a server answers in the form of a connection to Odoo, before anything is saved. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startHarness({
    dashboard: DASHBOARD,
    env: { ERP_ALLOW_HTTP: 'true', RATE_LIMIT_PROBES_PER_MINUTE: '10' },
  });
  const { fixtures, unchanged, url } = harness;

  /** The form of a new connection, of a person who has not checked anything in this minute. */
  async function form(look: Partial<Visit> = {}) {
    const owner = await fixtures.user();
    const project = await fixtures.project({ organizationId: await fixtures.workspace(owner) });
    const visitor = await visit(browser, { url, cookie: await signIn(harness, owner), ...look });
    await visitor.open(`/projects/${project}/settings`);
    await visitor.page.getByRole('button', { name: 'Add a connection' }).click();
    const dialog = visitor.page.getByRole('dialog');
    return {
      ...visitor,
      dialog,
      fill: (label: string, text: string) => dialog.getByLabel(label, { exact: true }).fill(text),
      press: (name: string) =>
        unchanged(async () => {
          const button = dialog.getByRole('button', { name });
          await button.click();
          await button.and(dialog.locator(':not([aria-busy])')).waitFor();
        }),
    };
  }

  test('an address is checked: the version, and the databases as choices', async () => {
    const odoo = await startOdoo({ version: '19.0', databases: ['main', 'second'] });
    const { page, context, dialog, fill, press, isClean } = await form();
    await press('Check address');
    await dialog.getByText('Enter the address first.').waitFor();
    await fill('Address', 'https://10.0.0.1');
    await press('Check address');
    await dialog.getByText('This does not work').waitFor();
    await dialog
      .getByText('Guildhall does not find this address, or sends no requests to it')
      .waitFor();
    await fill('Address', odoo.url);
    await press('Check address');
    await dialog.getByText(/^Odoo 19.0.* 2 databases/).waitFor();
    await dialog.getByText('The project is built for Odoo 18.0.').waitFor();
    const database = dialog.getByLabel('Database');
    await database.selectOption('second');
    await isClean();
    await press('Check address');
    assert.equal(await database.inputValue(), 'second');
    await fill('Address', `${odoo.url}/web`);
    assert.equal(await dialog.getByText(/2 databases/).count(), 0);
    assert.equal(await database.inputValue(), 'second');
    assert.equal(await page.getByRole('textbox', { name: 'Database' }).count(), 1);
    await context.close();
  });

  test('a login is checked, and what is wrong is said with what to do', async () => {
    const odoo = await startOdoo();
    const { page, dialog, fill, press, isCleanInEveryLook, leave } = await form(NARROW);
    await fill('Address', odoo.url);
    await press('Check login');
    await dialog.getByText('Enter the secret first.').waitFor();
    await fill('Login', 'totp');
    await dialog.getByLabel('Kind of secret').selectOption('password');
    await fill('Secret', odoo.password('totp'));
    await press('Check login');
    await dialog.getByText(/use an API key, because a person with two factors/).waitFor();
    await isCleanInEveryLook();
    await dialog.getByLabel('Kind of secret').selectOption('api_key');
    await fill('Secret', odoo.key('totp'));
    await press('Check login');
    await dialog.getByText('The login works', { exact: true }).waitFor();
    await dialog.getByText('totp may change records.').waitFor();
    await dialog.getByText(/the key expires in/).waitFor();
    const content = await page.content();
    for (const secret of [odoo.key('totp'), odoo.password('totp')])
      assert.ok(!content.includes(secret));
    await leave();
  });

  test('more checks than a minute allows are refused in words', async () => {
    const odoo = await startOdoo();
    const { context, dialog, fill, press, expectErrors } = await form();
    await fill('Address', odoo.url);
    for (let i = 0; i < 10; i++) await press('Check address');
    const sent = odoo.requests.length;
    await press('Check address');
    await dialog
      .getByRole('alert')
      .getByText(/[Tt]oo many/)
      .waitFor();
    expectErrors(/429/);
    assert.equal(odoo.requests.length, sent);
    await context.close();
  });
} else test('checks of ERP servers in a browser', { skip: noBrowser }, () => {});
