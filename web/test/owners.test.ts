import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '../../server/db/sql.ts';
import { givePassword, PASSWORD } from '../../server/testing/fixtures/identity/passwords.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import type { User } from '../../server/testing/fixtures/tenants.ts';
import { noBrowser, openBrowser, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';

/** Acts of owners: projects change hands, teams end, invitations are sent again. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { db, fixtures, request, url, unchanged } = harness;

  const as = async (user: User) => visit(browser, { url, cookie: await signIn(harness, user) });
  const ownerOf = async (project: string, user: User) => {
    const { body } = await request('GET', `/api/projects/${project}`, { key: user.key });
    return body.organization_id ?? body.owner_user_id;
  };

  test('a project is given to a workspace after a proof; without one, nothing changes', async () => {
    const owner = await fixtures.user();
    await givePassword(harness, owner);
    const org = await fixtures.workspace(owner, { name: 'Northwind' });
    const project = await fixtures.project({ userId: owner.id });
    const visitor = await as(owner);
    const { page } = visitor;
    await visitor.open(`/projects/${project}/settings`);
    await page.getByRole('button', { name: 'Transfer' }).click();
    const dialog = page.getByRole('dialog', { name: 'Transfer the project' });
    await dialog.getByLabel('New owner').selectOption(org);
    const proof = page.getByRole('dialog', { name: 'Is it you?' });
    await unchanged(async () => {
      await dialog.getByRole('button', { name: 'Transfer the project' }).click();
      await proof.getByLabel('Password').waitFor();
      await page.keyboard.press('Escape');
      const alert = dialog.getByRole('alert');
      await alert.getByText('that it is you, by your password, and then repeat this').waitFor();
    });
    visitor.expectErrors(/403/);
    await dialog.getByRole('button', { name: 'Transfer the project' }).click();
    await proof.getByLabel('Password').fill(PASSWORD);
    visitor.expectErrors(/403/);
    await proof.getByLabel('Password').press('Enter');
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await ownerOf(project, owner), org);
    await visitor.leave();
  });

  test('a project without an owner is claimed by a person who may', async () => {
    const owner = await fixtures.user();
    const org = await fixtures.workspace(owner);
    const admin = await fixtures.user();
    const project = await fixtures.project({ organizationId: org });
    await fixtures.grant(project, admin, 'admin');
    await db.many(sql`update project set organization_id = null where id = ${project}`);
    const visitor = await as(admin);
    const { page } = visitor;
    await visitor.open(`/projects/${project}/settings`);
    await page.getByRole('button', { name: 'Claim the project' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await visitor.isClean();
    await dialog.getByRole('button', { name: 'Claim the project' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await ownerOf(project, admin), admin.id);
    await visitor.leave();
  });

  test('a team is deleted after its name was typed', async () => {
    const owner = await fixtures.user();
    const org = await fixtures.workspace(owner);
    const team = await fixtures.team(org, { name: 'Core' });
    const visitor = await as(owner);
    const { page } = visitor;
    await visitor.open(`/workspaces/${org}/teams/${team}`);
    await page.getByRole('button', { name: 'Delete the team' }).press('Enter');
    const dialog = page.getByRole('dialog');
    const submit = dialog.getByRole('button', { name: 'Delete the team' });
    assert.equal(await submit.isDisabled(), true);
    await dialog.getByLabel('Type “Core” to confirm').fill('Core');
    await submit.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(await db.many(sql`select from team where id = ${team}`), []);
    await visitor.leave();
  });

  test('an invitation is sent again with another link, which is copied; the earlier one is dead', async () => {
    const owner = await fixtures.user();
    const org = await fixtures.workspace(owner);
    const id = await fixtures.invitation(org, { email: 'eve@northwind.example' });
    const visitor = await as(owner);
    const { page } = visitor;
    await visitor.open(`/workspaces/${org}/invitations`);
    const copy = page.getByRole('button', { name: 'Copy link for eve@northwind.example' });
    const copied = async () => {
      await copy.click();
      await page.getByRole('status').getByText('is in the clipboard').waitFor();
      return page.evaluate('navigator.clipboard.readText()');
    };
    assert.equal(await copied(), harness.inviteLink(id, 1));
    // The notice comes with the new link, however long the list takes.
    await page.route(/\/invitations\?/, async (route) => {
      await pause(500);
      await route.continue();
    });
    await page.getByRole('button', { name: 'Acts on the invitation of eve@' }).click();
    await page.getByRole('menuitem', { name: 'Make a new link' }).click();
    await page.getByRole('status').getByText('The earlier one no longer works').waitFor();
    assert.equal(await copied(), harness.inviteLink(id, 2));
    const mails = await db.many(sql`select from mail where subject_id = ${id} and generation = 2`);
    assert.equal(mails.length, 1);
    await visitor.leave();
  });
} else test('acts of owners in a browser', { skip: noBrowser }, () => {});
