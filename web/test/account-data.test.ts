import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { noBrowser, openBrowser, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';

/** What people take with them, and how they leave. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { db, fixtures, url } = harness;

  test('an account is exported, then deleted: what stands in the way is said first, and the address is typed', async () => {
    const user = await fixtures.user({ name: 'Ada' });
    const workspace = await fixtures.workspace(user, { name: 'Works of all' });
    const other = await fixtures.user();
    await fixtures.member(workspace, other);
    await fixtures.fund({ userId: user.id }, '3.00');
    const cookie = await signIn(harness, user, { proven: true });
    const visitor = await visit(browser, { url, cookie });
    const { page } = visitor;
    await visitor.open('/account');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export your data' }).click(),
    ]);
    const file = JSON.parse(await readFile(await download.path(), 'utf8'));
    assert.equal(file.profile[0].email, user.email);

    await page.getByRole('button', { name: 'Delete your account' }).click();
    const dialog = page.getByRole('dialog');
    const submit = dialog.getByRole('button', { name: 'Delete my account' });
    assert.ok(await submit.isDisabled());
    await dialog.getByRole('textbox').fill(user.email);
    await submit.click();
    await dialog.getByText('You own “Works of all”').waitFor();
    visitor.expectErrors(/409/);
    await visitor.isCleanInEveryLook();
    await db.many(sql`delete from membership where user_id = ${other.id}`);
    await dialog.getByLabel('Give up what is left of my balance').check();
    await submit.click();
    await page.waitForURL('**/sign-in');
    const [row] = await db.many(sql`
      select name, is_active from app_user where id = ${user.id}`);
    assert.deepEqual(row, { name: 'Former member', is_active: false });
    await visitor.leave();
  });
}
