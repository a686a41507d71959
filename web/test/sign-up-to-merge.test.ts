import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { sql } from '../../server/db/sql.ts';
import { PASSWORD } from '../../server/testing/fixtures/identity/passwords.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { until } from '../../server/testing/harness/until.ts';
import { noBrowser, openBrowser, visit } from './browser.ts';
import { taskServer } from './task-server.ts';

/** The whole way of a new person, from the sign-up to a merged change, in one window. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const tasks = await taskServer();
  const { db, dataDir, url } = tasks;

  /** The link of this kind that was mailed to this address; without SMTP, mails are files. */
  async function linkMailedTo(address: string, kind: 'links' | 'invitations'): Promise<string> {
    const folder = join(dataDir, 'mail');
    let link: string | undefined;
    await until(`a mail to ${address}`, async () => {
      const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
      for (const name of names) {
        const mail = (await readFile(join(folder, name), 'utf8')).replaceAll('=\n', '');
        const [found] = new RegExp(`^${url}/${kind}/\\S+$`, 'm').exec(mail) ?? [];
        if (mail.includes(`To: ${address}`)) link ??= found?.replaceAll('=3D', '=');
      }
      return link !== undefined;
    });
    return String(link);
  }

  test('a new person signs up by mail, enrols an app, and has a task built and merged', async () => {
    const visitor = await visit(browser, { url });
    const { page } = visitor;

    await visitor.open('/');
    await page.getByRole('link', { name: 'New here, or no password?' }).click();
    await page.getByRole('heading', { name: 'Get a link by email' }).waitFor();
    await page.getByLabel('Email').fill('grace@northwind.example');
    await page.getByRole('button', { name: 'Send me a link' }).click();
    await page.getByRole('heading', { name: 'Look at your email' }).waitFor();
    await page.goto(await linkMailedTo('grace@northwind.example', 'links'));
    await page.getByLabel('Your name').fill('Grace Hopper');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create the account' }).click();
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();

    await page.getByRole('link', { name: 'Grace Hopper' }).click();
    await page.getByRole('link', { name: 'Security' }).click();
    await page.getByRole('button', { name: 'Set up an app' }).click();
    const secret = page.getByRole('button', { name: 'Copy the secret' }).locator('span').first();
    const totp = new TOTP({ secret: Secret.fromBase32((await secret.textContent()) ?? '') });
    await page.getByLabel('Code that the app shows').fill(totp.generate());
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByLabel('I have kept them').check();
    await page.getByRole('button', { name: 'Done' }).click();

    await page.getByRole('link', { name: 'New workspace' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Northwind');
    await page.getByRole('button', { name: 'Create the workspace' }).click();
    await page.getByRole('heading', { level: 1, name: 'Northwind' }).waitFor();
    await page.getByRole('link', { name: 'New project' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Warehouse');
    await page.getByRole('button', { name: 'Create the project' }).click();
    await page.getByRole('heading', { level: 1, name: 'Warehouse' }).waitFor();

    await page.getByLabel('What is to be built?').fill('Write notes/first.md [[ask]]');
    await page.getByRole('button', { name: 'Start the task' }).click();
    // A new workspace has no money: the task says so, and goes on once there is some.
    await page.getByText('The balance does not cover another step').waitFor();
    const { id } = await db.one<{ id: string }>(
      sql`select id from organization where name = 'Northwind'`,
    );
    await tasks.fixtures.fund({ organizationId: id }, '20.00');
    await page.getByRole('button', { name: 'Thorough' }).click();
    await page.getByRole('button', { name: 'Approve version 1' }).click();
    await page.getByRole('button', { name: 'Open a pull request' }).click();
    const bar = page.getByRole('region', { name: 'What the task waits for' });
    await bar.getByRole('button', { name: 'Merge into main (production)' }).click();
    const dialog = page.getByRole('dialog', { name: 'Merge into main (production)?' });
    await dialog.getByRole('button', { name: 'Merge into main' }).click();
    await page.getByText('The change is merged.').waitFor();
    const merged = await db.many(sql`
      select from merge m join app_user u on u.id = m.requested_by_user_id
       where m.state = 'merged' and u.email = 'grace@northwind.example'`);
    assert.equal(merged.length, 1);
    await visitor.isClean();
    await visitor.context.close();
  });

  test('an invited person comes by the mail, makes the account there, and joins', async () => {
    const inviter = await visit(browser, { url, cookie: await signIn({ db }, tasks.owner) });
    await inviter.open(`/workspaces/${tasks.workspace}/invitations?create=true`);
    await inviter.page.getByLabel('E-mail address').fill('eve@northwind.example');
    await inviter.page.getByRole('button', { name: 'Make the invitation' }).click();
    await inviter.page.getByRole('cell', { name: 'eve@northwind.example' }).first().waitFor();
    await inviter.context.close();

    const visitor = await visit(browser, { url });
    const { page } = visitor;
    await visitor.open(await linkMailedTo('eve@northwind.example', 'invitations'));
    await page.getByLabel('Your name').fill('Eve');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/workspaces/${tasks.workspace}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const joined = await db.many(sql`
      select from membership m join app_user u on u.id = m.user_id
       where u.email = 'eve@northwind.example' and m.organization_id = ${tasks.workspace}`);
    assert.equal(joined.length, 1);
    await visitor.isClean();
    await visitor.context.close();
  });
} else test('from the sign-up to a merge in a browser', { skip: noBrowser }, () => {});
