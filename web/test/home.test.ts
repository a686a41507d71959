import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import type { User } from '../../server/testing/fixtures.ts';
import { startHarness } from '../../server/testing/harness.ts';
import { DASHBOARD, noBrowser, openBrowser, visit } from './browser.ts';
import { signIn } from './sign-in.ts';

/** The first page and the page of an invitation. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startHarness({ dashboard: DASHBOARD });
  const { db, fixtures, url } = harness;

  const as = async (user: User, look: { scheme?: 'light' | 'dark'; width?: number } = {}) =>
    visit(browser, { url, cookie: await signIn(harness, user), ...look });

  for (const look of [
    { scheme: 'light', width: 1280 },
    { scheme: 'dark', width: 360 },
  ] as const)
    test(`the inbox leads to the plan, ${look.scheme}, ${look.width} pixels wide`, async () => {
      const user = await fixtures.user();
      const project = await fixtures.project({ userId: user.id });
      const task = await fixtures.task(project, user);
      await fixtures.revision(task);
      await fixtures.invitation(await fixtures.workspace(await fixtures.user()), {
        email: user.email,
      });
      const visitor = await as(user, look);
      await visitor.open('/');
      const act = visitor.page.getByRole('link', { name: 'Read the plan: A task' });
      await act.waitFor();
      const wide = await visitor.page.evaluate('document.documentElement.scrollWidth');
      assert.ok(Number(wide) <= look.width, `${wide} pixels`);
      await visitor.isClean();
      await act.press('Enter');
      await visitor.page.waitForURL(`**/projects/${project}/tasks/${task}?panel=plan`);
      await visitor.context.close();
    });

  test('a workspace is created by keys alone; a name that is refused says so at its field', async () => {
    const visitor = await as(await fixtures.user());
    const { page } = visitor;
    await visitor.open('/');
    await page.getByRole('main').getByRole('link', { name: 'New workspace' }).press('Enter');
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    await page.keyboard.type('x'.repeat(101));
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').locator('.text-wrong').first().waitFor();
    visitor.expectErrors(/422/);
    await page.getByRole('dialog').getByLabel('Name').fill('Harbour');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Harbour' }).waitFor();
    await visitor.isClean();
    await visitor.context.close();
  });

  test('an invitation is accepted by the link of its mail, and declined on the first page', async () => {
    const user = await fixtures.user();
    const owner = await fixtures.user();
    const org = await fixtures.workspace(owner, { name: 'Northwind' });
    const id = await fixtures.invitation(org, { email: user.email, by: owner });
    const other = await fixtures.workspace(owner, { name: 'Harbour' });
    const declined = await fixtures.invitation(other, { email: user.email });
    const visitor = await as(user);
    const { page } = visitor;
    const link = new URL(harness.inviteLink(id, 1));
    await visitor.open(link.pathname + link.search);
    await page.getByRole('heading', { name: 'Invitation to Northwind' }).waitFor();
    await visitor.isClean();
    await page.getByRole('button', { name: 'Accept' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Northwind' }).waitFor();
    await visitor.open('/');
    await page.getByRole('button', { name: 'Decline: Harbour' }).click();
    await page.getByRole('status').getByText('You have declined Harbour.').waitFor();
    const { status } = await db.one<{ status: string }>(
      sql`select status from invitation where id = ${declined}`,
    );
    assert.equal(status, 'declined');
    await visitor.isClean();
    await visitor.context.close();
  });

  test('an invitation to another address is explained, and refused in words', async () => {
    const id = await fixtures.invitation(await fixtures.workspace(await fixtures.user()));
    const user = await fixtures.user();
    const visitor = await as(user);
    await visitor.open(`/invitations/${id}`);
    await visitor.page.getByText(user.email).first().waitFor();
    await visitor.page.getByRole('button', { name: 'Try to accept it' }).click();
    await visitor.page.getByRole('alert').getByText('permission').waitFor();
    visitor.expectErrors(/403/);
    await visitor.isClean();
    await visitor.context.close();
  });

  test('where two factors are required, the refusal leads to the account', async () => {
    const owner = await fixtures.user({ twoFactor: true });
    const org = await fixtures.workspace(owner, { require2fa: true });
    const user = await fixtures.user();
    const visitor = await as(user);
    await visitor.open(`/invitations/${await fixtures.invitation(org, { email: user.email })}`);
    await visitor.page.getByRole('button', { name: 'Accept' }).click();
    await visitor.page.getByRole('link', { name: 'Enable a second factor' }).waitFor();
    visitor.expectErrors(/403/);
    await visitor.isClean();
    await visitor.context.close();
  });
} else test('the first page in a browser', { skip: noBrowser }, () => {});
