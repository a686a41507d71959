import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { startHarness } from '../../server/testing/harness.ts';
import { DASHBOARD, noBrowser, openBrowser, visit } from './browser.ts';
import { signIn } from './sign-in.ts';

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startHarness({ dashboard: DASHBOARD });
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
