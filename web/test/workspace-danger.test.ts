import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '../../server/db/sql.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import type { User } from '../../server/testing/fixtures/tenants.ts';
import { choose, noBrowser, openBrowser, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';

/** A workspace's teams, settings and audit trail; leaving it, giving it away, deleting it. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { db, fixtures, url } = harness;

  const as = async (user: User, how: { proven?: boolean } = {}) =>
    visit(browser, { url, cookie: await signIn(harness, user, how) });

  async function tenant() {
    const owner = await fixtures.user({ name: 'Ada' });
    const member = await fixtures.user({ name: 'Grace' });
    const org = await fixtures.workspace(owner, { name: 'Northwind', balance: '12.50' });
    await fixtures.member(org, member);
    return { owner, member, org, at: `/workspaces/${org}` };
  }

  test('a team is created with a right, and gets a member and a project', async () => {
    const { owner, org, at } = await tenant();
    const project = await fixtures.project({ organizationId: org });
    const visitor = await as(owner);
    const { page } = visitor;
    await visitor.open(`${at}/teams`);
    // What is typed before the members of the team have come stays.
    for (const [path, delay] of [
      [/\/teams\/[^/]+\/members$/, 700],
      [/\/organizations\/[^/]+\/members\?/, 1_500],
    ] as const)
      await page.route(path, async (route) => {
        await pause(delay);
        await route.continue();
      });
    await page.getByRole('button', { name: 'New team' }).press('Enter');
    await page.getByRole('dialog').getByLabel('Name').fill('Core');
    await page.getByLabel('May merge to staging').check();
    await page.getByRole('button', { name: 'Create the team' }).press('Enter');
    await page.getByRole('heading', { level: 2, name: 'Core' }).waitFor();
    await choose(page, 'The person to add', 'Grace');
    await page.getByRole('button', { name: 'Add the person' }).press('Enter');
    await page.getByRole('button', { name: 'Remove Grace' }).waitFor();
    await page.getByLabel('The project to add').selectOption({ value: project });
    await page.getByRole('button', { name: 'Add the project' }).press('Enter');
    await page.getByRole('button', { name: /^Remove Project/ }).waitFor();
    const team = await db.one<Record<string, boolean>>(sql`
      select can_merge_staging, can_merge_production from team
       where organization_id = ${org} and name = 'Core'`);
    assert.deepEqual({ ...team }, { can_merge_staging: true, can_merge_production: false });
    await visitor.leave();
  });

  test('an owner takes the workspace along as a file', async () => {
    const { owner, at } = await tenant();
    const visitor = await as(owner);
    const { page } = visitor;
    await visitor.open(`${at}/danger`);
    const started = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export the workspace' }).click();
    const file = await (await started).path();
    const { organizations } = JSON.parse(await readFile(file, 'utf8'));
    assert.deepEqual(
      organizations.map(({ name }: { name: string }) => name),
      ['Northwind'],
    );
    await visitor.leave();
  });

  test('settings are saved, a refusal is shown, and both stand in the audit trail', async () => {
    const { owner, org, at } = await tenant();
    const visitor = await as(owner);
    const { page } = visitor;
    await visitor.open(`${at}/settings`);
    await page.getByLabel('Require two-factor authentication').check();
    await page.getByRole('button', { name: 'Save' }).click();
    // The owner has no second factor, and would lock themselves out.
    await page
      .locator('.text-wrong')
      .getByText('You cannot require what you do not have')
      .waitFor();
    visitor.expectErrors(/422/);
    await page.getByLabel('Require two-factor authentication').uncheck();
    await page.getByLabel('Name', { exact: true }).fill('Harbour');
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Harbour' }).waitFor();
    const { name, require_2fa } = await db.one<{ name: string; require_2fa: boolean }>(
      sql`select name, require_2fa from organization where id = ${org}`,
    );
    assert.deepEqual([name, require_2fa], ['Harbour', false]);
    await page.getByRole('link', { name: 'Audit trail' }).click();
    await page.getByRole('cell', { name: 'Change the workspace' }).first().waitFor();
    await page.getByTitle('workspace.update').first().waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Change the workspace' }).first();
    // Only what has changed, in words; who did it and what it was done to are links.
    await row.getByText('name: Northwind → Harbour', { exact: true }).waitFor();
    assert.equal(await row.getByRole('listitem').count(), 1);
    assert.equal(
      await row.getByRole('link', { name: 'Ada' }).getAttribute('href'),
      `${at}/members?person=${owner.id}&q=${encodeURIComponent(owner.email)}`,
    );
    assert.equal(await row.getByRole('link', { name: 'The workspace' }).getAttribute('href'), at);
    await page.getByLabel('Only this action').selectOption({ label: 'Remove a member' });
    await page.getByText('Nothing fits').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('action'), 'member.remove');
    await visitor.open(`${at}/audit?action=nothing.such`);
    await page.getByText('Nothing fits').waitFor();
    assert.equal(await page.getByLabel('Only this action').inputValue(), 'nothing.such');
    const csv = await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href');
    assert.match(String(csv), /format=csv&action=nothing\.such$/);
    await visitor.leave();
  });

  test('a refusal, a task, a project and a team stand in the audit trail in words, and lead to their pages', async () => {
    const { owner, member, org, at } = await tenant();
    const project = await fixtures.project({ organizationId: org });
    await db.many(sql`update project set name = 'Lighthouse' where id = ${project}`);
    const task = await fixtures.task(project, owner);
    const team = await fixtures.team(org, { name: 'Core' });
    const record = (action: string, target: string, more: { project?: string; code?: string }) =>
      db.many(sql`
        insert into audit_event (action, outcome, code, target_id, organization_id, project_id,
                                 actor_user_id, request_id)
        values (${action}, ${more.code === undefined ? 'done' : 'refused'}, ${more.code ?? null},
                ${target}, ${org}, ${more.project ?? null}, ${owner.id}, 'r')`);
    await record('task.merge', task, { project, code: 'forbidden' });
    await record('project.update', project, { project });
    await record('team.update', team, {});
    await record('member.update', member.id, {});
    const visitor = await as(owner);
    const { page } = visitor;
    await visitor.open(`${at}/audit`);
    await page.getByText('Refused: no right to do this').waitFor();
    for (const [name, path] of [
      [`Task ${task.slice(0, 8)}`, `/projects/${project}/tasks/${task}`],
      ['Lighthouse', `/projects/${project}`],
      [`Team ${team.slice(0, 8)}`, `${at}/teams/${team}`],
      [`Member ${member.id.slice(0, 8)}`, `${at}/members?person=${member.id}`],
    ] as const)
      assert.equal(
        await page.getByRole('table').getByRole('link', { name }).getAttribute('href'),
        path,
      );
    await visitor.isClean();
    await visitor.leave();
  });

  test('a member leaves after typing the name; the first page says so', async () => {
    const { member, org, at } = await tenant();
    const visitor = await as(member);
    const { page } = visitor;
    await visitor.open(`${at}/danger`);
    await page.getByRole('button', { name: 'Leave the workspace' }).press('Enter');
    await page.getByLabel('Type “Northwind” to confirm').fill('Northwind');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('You have left Northwind').waitFor();
    const left = await db.many(
      sql`select user_id from membership where organization_id = ${org} and user_id = ${member.id}`,
    );
    assert.equal(left.length, 0);
    await visitor.leave();
  });

  test('a transfer that is blocked says why, and goes through when it is forced', async () => {
    const { owner, member, org, at } = await tenant();
    await fixtures.fund({ organizationId: org }, '-20.00');
    const visitor = await as(owner, { proven: true });
    const { page } = visitor;
    await visitor.open(`${at}/danger`);
    await page.getByRole('button', { name: 'Transfer the workspace' }).click();
    const dialog = page.getByRole('dialog');
    await choose(dialog, 'New owner', 'Grace');
    await dialog.getByLabel('Type “Northwind” to confirm').fill('Northwind');
    await dialog.getByRole('button', { name: 'Transfer the workspace' }).click();
    await dialog.getByRole('alert').getByText('blocked').waitFor();
    visitor.expectErrors(/409/);
    await dialog.getByLabel('Transfer it all the same').check();
    await visitor.isClean();
    await dialog.getByRole('button', { name: 'Transfer the workspace' }).click();
    await page.getByRole('status').getByText('Grace now owns Northwind').waitFor();
    const { owner_user_id } = await db.one<{ owner_user_id: string }>(
      sql`select owner_user_id from organization where id = ${org}`,
    );
    assert.equal(owner_user_id, member.id);
    await visitor.leave();
  });

  test('the workspace is deleted, its balance goes to the chosen person, the receipt says so', async () => {
    const { owner, member, org, at } = await tenant();
    await fixtures.project({ organizationId: org });
    const visitor = await as(owner, { proven: true });
    const { page } = visitor;
    await visitor.open(`${at}/danger`);
    await page.getByRole('button', { name: 'Delete the workspace' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await choose(dialog, 'Who gets the balance', 'Grace');
    await dialog.getByLabel('Type “Northwind” to confirm').fill('Northwind');
    await visitor.isClean();
    await dialog.getByRole('button', { name: 'Delete the workspace' }).press('Enter');
    const receipt = page.getByRole('status');
    await receipt.getByText('$12.50 went to Grace').waitFor();
    await receipt.getByText('Projects without an owner now: 1').waitFor();
    assert.equal(await fixtures.balance({ userId: member.id }), 12_500_000n);
    await visitor.leave();
  });
} else test('leaving and deleting a workspace in a browser', { skip: noBrowser }, () => {});
