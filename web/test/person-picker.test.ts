import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { COMPOSING_ENTER, choose, noBrowser, openBrowser, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';

/** Choosing one of the members of a large workspace. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { db, fixtures, url } = harness;

  /** A workspace of 301 members, and its owner's browser, with what it asks the server for. */
  async function crowd(how: { width?: number; scheme?: 'dark' } = {}) {
    const owner = await fixtures.user({ name: 'Ada' });
    const org = await fixtures.workspace(owner, { name: 'Northwind' });
    await db.many(sql`
      with person as (
        insert into app_user (email, name)
        select 'p' || n || '-' || ${org}::text || '@example.com', 'Person ' || lpad(n::text, 3, '0')
          from generate_series(1, 300) n
        returning id)
      insert into membership (organization_id, user_id, role_id)
      select ${org}, person.id, role.id
        from person, role
       where role.slug = 'member' and role.scope = 'workspace' and role.organization_id is null`);
    const cookie = await signIn(harness, owner, { proven: true });
    const visitor = await visit(browser, { url, cookie, ...how });
    const asked: URL[] = [];
    visitor.page.on('request', (request) => {
      const at = new URL(request.url());
      if (at.pathname === `/api/organizations/${org}/members`) asked.push(at);
    });
    return { visitor, page: visitor.page, org, owner, asked };
  }

  const isFound = (asked: readonly URL[]) => {
    for (const { searchParams } of asked) assert.equal(searchParams.get('limit'), '20');
  };

  test('a team gets a member far down the list: the server finds them, and no more than 20 are read at once', async () => {
    const { visitor, page, org, asked } = await crowd({ width: 360, scheme: 'dark' });
    const team = await fixtures.team(org, { name: 'Core' });
    await visitor.open(`/workspaces/${org}/teams/${team}`);
    const field = page.getByRole('combobox', { name: 'The person to add' });
    await field.click();
    await page.getByRole('option', { name: /^Person 001/ }).waitFor();
    await page.getByText('These are the first').waitFor();
    assert.equal(await page.getByRole('option').count(), 20);
    await visitor.isClean();
    await field.fill('person 27');
    await page.getByRole('option', { name: /^Person 279/ }).waitFor();
    assert.equal(await page.getByRole('option').count(), 10);
    await page.keyboard.press('ArrowDown');
    // Enter that ends a word of an input method chooses no one.
    await page.evaluate(COMPOSING_ENTER);
    assert.equal(await field.inputValue(), 'person 27');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Add the person' }).press('Enter');
    await page.getByRole('button', { name: 'Remove Person 271' }).waitFor();
    assert.equal(await field.inputValue(), '');
    await field.fill('person 27');
    await page.getByRole('option', { name: /^Person 270/ }).waitFor();
    assert.equal(await page.getByRole('option', { name: /^Person 271/ }).count(), 0);
    await field.fill('nobody of this name');
    await page.getByText('No one fits.').waitFor();
    isFound(asked);
    await visitor.leave();
  });

  test('a new owner must be chosen; Escape closes the list first, and then the dialog', async () => {
    const { visitor, page, org, asked } = await crowd();
    await visitor.open(`/workspaces/${org}/danger`);
    await page.getByRole('button', { name: 'Transfer the workspace' }).click();
    const dialog = page.getByRole('dialog', { name: 'Transfer this workspace?' });
    await dialog.getByLabel('Type “Northwind” to confirm').fill('Northwind');
    const transfer = dialog.getByRole('button', { name: 'Transfer the workspace' });
    assert.equal(await transfer.isDisabled(), true);
    const field = dialog.getByRole('combobox', { name: 'New owner' });
    await field.fill('person 150');
    await dialog.getByRole('option', { name: /^Person 150/ }).waitFor();
    await visitor.isClean();
    await page.keyboard.press('Escape');
    await dialog.getByRole('option').first().waitFor({ state: 'detached' });
    assert.equal(await dialog.isVisible(), true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Transfer the workspace' }).click();
    await choose(dialog, 'New owner', 'Person 150');
    await dialog.getByLabel('Type “Northwind” to confirm').fill('Northwind');
    await transfer.click();
    await page.getByRole('status').getByText('Person 150 now owns Northwind').waitFor();
    isFound(asked);
    await visitor.leave();
  });

  test('the audit trail is read for one person, whom the address of the page names', async () => {
    const { visitor, page, org, owner, asked } = await crowd();
    await db.many(sql`
      insert into audit_event (actor_user_id, action, outcome, target_id, organization_id, request_id)
      values (${owner.id}, 'workspace.update', 'done', ${org}, ${org}, 'test')`);
    await visitor.open(`/workspaces/${org}/audit`);
    await choose(page, 'Only acts of', 'Person 299');
    await page.getByText('Nothing fits').waitFor();
    await page.getByRole('combobox', { name: 'Only acts of' }).fill('');
    await page.getByTitle('workspace.update').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('actor'), null);
    await visitor.open(`/workspaces/${org}/audit?actor=${owner.id}`);
    const field = page.getByRole('combobox', { name: 'Only acts of' });
    await field.waitFor();
    assert.equal(await field.inputValue(), 'Ada');
    isFound(asked);
    await visitor.leave();
  });

  test('a limit is set for a person who was found', async () => {
    const { visitor, page, org, asked } = await crowd();
    await visitor.open(`/workspaces/${org}/billing?view=limits`);
    await page.getByLabel('For').selectOption('A person');
    await choose(page, 'Person', 'Person 233');
    await page.getByLabel('USD in a month').fill('5');
    await page.getByRole('button', { name: 'Set the limit' }).click();
    await page.getByRole('row', { name: /Person 233 \$5\.00/ }).waitFor();
    isFound(asked);
    await visitor.leave();
  });
} else test('choosing a person in a browser', { skip: noBrowser }, () => {});
