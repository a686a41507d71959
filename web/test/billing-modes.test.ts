import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enterMode } from '../../server/billing/mode/enter-mode.ts';
import { usageOn } from '../../server/testing/fixtures/billing/usage.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { startHarness } from '../../server/testing/harness/harness.ts';
import { DASHBOARD, noBrowser, openBrowser, visit } from './browser.ts';

/** The pages of money where no cards are taken. */

if (noBrowser === false) {
  const browser = await openBrowser();

  for (const mode of ['credits', 'off'] as const) {
    const harness = await startHarness({ env: { BILLING: mode }, dashboard: DASHBOARD });
    const { db, fixtures, url } = harness;
    await enterMode(db, { mode, testMoney: false });

    test(`with ${mode} nothing asks for a card, and the page says what is true instead`, async () => {
      const user = await fixtures.user();
      await fixtures.fund({ userId: user.id }, '7.00');
      const task = await fixtures.task(await fixtures.project({ userId: user.id }), user);
      const day = new Date().toISOString().slice(0, 10);
      await usageOn(harness).use(task, user, { nano: 1_250_000_000n, day });
      const visiting = await visit(browser, { url, cookie: await signIn(harness, user) });
      const { page } = visiting;
      await visiting.open('/account/billing');
      if (mode === 'credits') {
        await page.getByText('$7.00').waitFor();
        await page.getByText('The operator of this server grants credits').waitFor();
      } else {
        await page.getByText('This server charges nothing').waitFor();
        await page.getByText('$1.25').waitFor();
        assert.equal(await page.getByText('$7.00').count(), 0);
      }
      for (const name of ['Add funds', 'Cards', 'Auto-reload'])
        assert.equal(await page.getByRole('heading', { name }).count(), 0, name);
      assert.equal(await page.getByText('Save a').count(), 0);
      await visiting.isClean();
      await visiting.leave();
    });

    test(`with ${mode} a card of before can only be removed`, async () => {
      const user = await fixtures.user();
      await fixtures.card(user);
      const visiting = await visit(browser, { url, cookie: await signIn(harness, user) });
      const { page } = visiting;
      await visiting.open('/account/billing');
      await page.getByRole('button', { name: /^Acts on/ }).click();
      await page.getByRole('menuitem', { name: 'Remove' }).waitFor();
      assert.equal(await page.getByRole('menuitem').count(), 1);
      await visiting.context.close();
    });
  }
} else test('the pages of money where no cards are taken', { skip: noBrowser }, () => {});
