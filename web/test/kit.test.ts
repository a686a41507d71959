import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHarness } from '../../api/testing/harness.ts';
import { DASHBOARD, noBrowser, openBrowser, visit } from './browser.ts';
import { signIn } from './sign-in.ts';

/** What all lists have in common. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startHarness({ dashboard: DASHBOARD });
  const { fixtures, url } = harness;

  async function invitations() {
    const owner = await fixtures.user();
    const org = await fixtures.workspace(owner);
    await fixtures.invitation(org, { email: 'eve@northwind.example' });
    const visitor = await visit(browser, { url, cookie: await signIn(harness, owner) });
    return { visitor, at: `/workspaces/${org}/invitations` };
  }

  for (const { what, press } of [
    { what: 'keeps the focus', press: false },
    { what: 'is open when it has come, if its button was pressed', press: true },
  ])
    test(`a menu that is loaded late ${what}`, async () => {
      const { visitor, at } = await invitations();
      const { page } = visitor;
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      await page.route('**/menu-popup-*.js', async (route) => {
        await released;
        await route.continue();
      });
      await visitor.open(at);
      const button = page.getByRole('button', { name: /^Acts on the invitation/ });
      const early = await button.elementHandle();
      await button.focus();
      if (press) await page.keyboard.press('Enter');
      release();
      // The button that stood for the menu is gone.
      await early?.waitForElementState('hidden');
      const entry = page.getByRole('menuitem', { name: 'Send again' });
      if (!press) {
        await button.and(page.locator(':focus')).waitFor();
        await page.keyboard.press('Enter');
      }
      await entry.and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Escape');
      await button.and(page.locator(':focus')).waitFor();
      assert.equal(await entry.count(), 0);
      await visitor.isClean();
      await visitor.context.close();
    });
} else test('lists in a browser', { skip: noBrowser }, () => {});
