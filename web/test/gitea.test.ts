import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { startFakeGitea } from '../../server/testing/fakes/fake-gitea/server.ts';
import { atGitea } from '../../server/testing/fixtures/code/gitea.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { startHarness } from '../../server/testing/harness/harness.ts';
import { DASHBOARD, noBrowser, openBrowser, visit } from './browser.ts';

/** Gitea in the dashboard, with its fake: a server is connected, a repository attached, it is removed. */

test('a Gitea server is connected, its repository attached, and it is removed', {
  skip: noBrowser,
}, async () => {
  const browser = await openBrowser();
  const gitea = await startFakeGitea();
  after(gitea.close);
  await atGitea(gitea).repository('northwind', 'shop');
  const env = { CODE_HOST_ALLOW_HTTP: 'true' };
  const harness = await startHarness({ dashboard: DASHBOARD, env });
  const { db, fixtures, url } = harness;
  const owner = await fixtures.user();
  const org = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: org });
  const visitor = await visit(browser, { url, cookie: await signIn(harness, owner), width: 320 });
  const { page } = visitor;
  const dialog = page.getByRole('dialog');
  await visitor.open(`/projects/${project}/repositories`);
  await page.getByRole('button', { name: 'Attach a repository' }).click();
  await dialog.getByLabel('Where it is').selectOption('gitea');
  await dialog.getByRole('link', { name: 'its settings' }).click();

  await page.getByRole('button', { name: 'Connect a server' }).press('Enter');
  await visitor.isCleanInEveryLook();
  await dialog.getByLabel('Address').fill(gitea.url);
  await dialog.getByLabel('Access token').fill(gitea.token);
  await dialog.getByRole('button', { name: 'Connect' }).press('Enter');
  await page.getByRole('cell', { name: gitea.url }).waitFor();
  await page.getByRole('cell', { name: 'Not known: comments are not read' }).waitFor();
  await visitor.isCleanInEveryLook();
  await db.many(sql`
    update gitea_connection set account_id = 7, account_login = 'guildhall'
     where organization_id = ${org}`);
  await visitor.open(`/workspaces/${org}/settings`);
  await page.getByRole('cell', { name: '@guildhall' }).waitFor();
  await visitor.isCleanInEveryLook();

  await visitor.open(`/projects/${project}/repositories`);
  await page.getByRole('button', { name: 'Attach a repository' }).click();
  await dialog.getByLabel('Where it is').selectOption('gitea');
  await dialog.getByLabel('Repository').fill('northwind/nothing');
  await dialog.getByRole('button', { name: 'Attach', exact: true }).press('Enter');
  await dialog.getByText('sees no such repository').waitFor();
  visitor.expectErrors(/422/);
  await dialog.getByLabel('Repository').fill('northwind/shop');
  await visitor.isCleanInEveryLook();
  await dialog.getByRole('button', { name: 'Attach', exact: true }).press('Enter');
  await page.getByRole('row', { name: 'northwind/shop' }).getByText('Gitea or Forgejo').waitFor();
  await visitor.isClean();

  await visitor.open(`/workspaces/${org}/settings`);
  await page.getByRole('button', { name: 'Remove' }).click();
  await visitor.isCleanInEveryLook();
  await dialog.getByRole('button', { name: 'Remove' }).press('Enter');
  await page.getByText('None yet. Connect a server').waitFor();
  const [left] = await db.many(sql`
    select connection_id, full_name from repository where project_id = ${project} and host = 'gitea'`);
  assert.deepEqual(left, { connection_id: null, full_name: 'northwind/shop' });
  await visitor.leave();
});

test('a message that was written on a host of code says who wrote it there', {
  skip: noBrowser,
}, async () => {
  const browser = await openBrowser();
  const harness = await startHarness({ dashboard: DASHBOARD });
  const { db, fixtures, url } = harness;
  const owner = await fixtures.user();
  const project = await fixtures.project({ organizationId: await fixtures.workspace(owner) });
  const task = await fixtures.task(project, owner);
  await db.many(sql`
    insert into task_message (task_id, number, role, author_user_id, github_login, gitea_login, content)
    values (${task}, 1, 'user', null, null, 'ada', 'From a comment'),
           (${task}, 2, 'user', null, 'rita', null, 'From a review'),
           (${task}, 3, 'user', ${owner.id}, 'linked', null, 'From a person')`);
  await db.many(sql`update task set last_message = 3 where id = ${task}`);
  const visitor = await visit(browser, { url, cookie: await signIn(harness, owner), width: 320 });
  await visitor.open(`/projects/${project}/tasks/${task}`);
  for (const name of ['@ada on Gitea', '@rita on GitHub'])
    await visitor.page.getByText(name, { exact: true }).waitFor();
  await visitor.page.getByText('From a person').waitFor();
  assert.equal(await visitor.page.getByText('@linked').count(), 0);
  await visitor.isCleanInEveryLook();
  await visitor.leave();
});
