import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { mergesOn } from '../../server/testing/fixtures/code/merges.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { noBrowser, openBrowser, type Visitor, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';

/** The pages of a project: people, repositories, deploys and settings. */

const skip = noBrowser;

if (skip === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { db, fixtures, url, unchanged } = harness;
  const { owner, workspace } = await mergesOn(harness);
  const hebrew = await fixtures.user({ name: 'אברהם בן־יהודה הלוי מירושלים הבנויה' });
  await fixtures.member(workspace, hebrew, 'member');

  type Who = Parameters<typeof signIn>[1];
  const open = async (path: string, as: Who = owner): Promise<Visitor> => {
    const cookie = await signIn(harness, as, { proven: true });
    const visitor = await visit(browser, { url, cookie });
    await visitor.open(path);
    return visitor;
  };
  const projectOf = () => fixtures.project({ organizationId: workspace });

  test('the role of a person is set and taken back, without a mouse', async () => {
    const project = await projectOf();
    const { page, leave } = await open(`/projects/${project}/people`);
    const row = page.getByRole('row').filter({ hasText: hebrew.email });
    await row.getByRole('button', { disabled: false }).focus();
    await page.keyboard.press('Enter');
    const set = page.getByRole('menuitem', { name: 'Set the role' });
    await set.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Role').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Admin');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await row.getByText('Set here').waitFor();
    await row.getByRole('button').click();
    await page.getByRole('menuitem', { name: 'Take the role back' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take the role back' }).click();
    await row.getByText('Workspace').waitFor();
    await leave();
  });

  test('who may not remove others may give up their own role alone', async () => {
    const project = await projectOf();
    const [self, other] = [await fixtures.user({ name: 'Ada' }), await fixtures.user()];
    for (const person of [self, other]) await fixtures.grant(project, person, 'member');
    const { page, leave } = await open(`/projects/${project}/people`, self);
    await page.getByRole('row').filter({ hasText: other.email }).waitFor();
    const acts = page.getByRole('button', { name: /^Acts on/ });
    assert.deepEqual(
      await acts.evaluateAll((buttons) => buttons.map(({ ariaLabel }) => ariaLabel)),
      ['Acts on Ada'],
    );
    await acts.click();
    await page.getByRole('menuitem', { name: 'Leave the project' }).click();
    const dialog = page.getByRole('dialog', { name: 'Leave this project?' });
    // The first page is there before the list of projects is read again.
    const shown = Promise.withResolvers<void>();
    await page.route('**/api/projects', async (route) => {
      await shown.promise;
      await route.continue();
    });
    await dialog.getByRole('button', { name: 'Leave the project' }).click();
    await page.getByText(/^You have left /).waitFor();
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    shown.resolve();
    assert.equal(new URL(page.url()).pathname, '/');
    const left = await db.many(sql`
      select from project_grant where project_id = ${project} and user_id = ${self.id}`);
    assert.equal(left.length, 0);
    await page.locator(`a[href="/projects/${project}"]`).waitFor({ state: 'detached' });
    await leave();
  });

  test('a collaborator is invited and the invitation revoked; a member needs none', async () => {
    const project = await projectOf();
    const { page, context, expectErrors, isClean } = await open(`/projects/${project}/people`);
    await page.getByRole('button', { name: 'Invite a collaborator' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail address').fill(hebrew.email);
    await unchanged(async () => {
      await dialog.getByRole('button', { name: 'Send the invitation' }).click();
      await dialog.locator('[role=alert], [data-invalid]').first().waitFor();
    });
    expectErrors(/40[09]|422/);
    await dialog.getByLabel('E-mail address').fill('eve@example.net');
    await dialog.getByRole('button', { name: 'Send the invitation' }).click();
    await page.getByText('eve@example.net is invited').waitFor();
    await isClean();
    await page.getByRole('button', { name: 'Done' }).click();
    const pending = page.getByRole('table', { name: 'Pending invitations' });
    await pending
      .getByRole('button', { name: 'Acts on the invitation of eve@example.net' })
      .click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await pending.waitFor({ state: 'detached' });
    await context.close();
  });

  test('a repository is attached, shown with its clone command, and detached', async () => {
    const project = await projectOf();
    const { page, context, expectErrors, isClean } = await open(
      `/projects/${project}/repositories`,
    );
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Attach a repository' }).click();
    await dialog.getByLabel('Name').fill('not a name');
    await unchanged(async () => {
      await dialog.getByRole('button', { name: 'Attach', exact: true }).click();
      await dialog.locator('[data-invalid]').first().waitFor();
    });
    expectErrors(/422/);
    await dialog.getByLabel('Name').fill('addons');
    await dialog.getByRole('button', { name: 'Attach', exact: true }).click();
    const row = page.getByRole('row').filter({ hasText: 'addons' });
    await row.getByText('git -c http.extraHeader=').waitFor();
    await row.getByRole('link', { name: 'addons' }).click();
    await page.getByRole('heading', { name: 'Branches of addons' }).waitFor();
    await isClean();
    await row.getByRole('button', { name: 'Acts on addons' }).click();
    await page.getByRole('menuitem', { name: 'Detach' }).click();
    await dialog.getByRole('button', { name: 'Detach' }).click();
    await row.waitFor({ state: 'detached' });
    await context.close();
  });

  test('a merge target is added, and keeps the one that another person adds meanwhile', async () => {
    const project = await projectOf();
    const { page, context, expectErrors } = await open(`/projects/${project}/repositories`);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add a target' }).click();
    await dialog.getByLabel('Branch').fill('next');
    const path = `/api/projects/${project}/merge-targets`;
    const others = [{ branch: 'hotfix', stage: 'production' }];
    await harness.request('PUT', path, { key: owner.key, body: others });
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    expectErrors(/412/);
    await page.getByRole('table').getByText('hotfix').waitFor();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('table').getByText('next').waitFor();
    const { body } = await harness.request('GET', path, { key: owner.key });
    assert.deepEqual(body.map(({ branch }: { branch: string }) => branch).toSorted(), [
      'hotfix',
      'next',
    ]);
    await context.close();
  });

  test('deploys are listed by branch, and one that runs is followed to its end', async () => {
    const project = await projectOf();
    const task = await fixtures.task(project, owner);
    await fixtures.pullRequest(task, owner);
    await fixtures.merge(task, owner);
    const deploy = await fixtures.deploy(task);
    const { page, leave } = await open(`/projects/${project}/deploys?branch=main`);
    await page.getByRole('heading', { name: 'Deploys of main' }).waitFor();
    await page.getByText('Queued').waitFor();
    await db.many(sql`
      update deploy set state = 'superseded', ended_at = now() where id = ${deploy}`);
    await page.getByText('Superseded').waitFor();
    await db.many(sql`
      update deploy
         set state = 'success', height = 1,
             reason = '.guildhall.yml has no command for production: nothing was run.'
       where id = ${deploy}`);
    await page.reload();
    await page.getByText('Nothing to run', { exact: true }).waitFor();
    await leave();
  });
} else test('the pages of a project in a browser', { skip }, () => {});
