import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { environmentOf, startGithub } from '../../server/testing/fixtures/code/github.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { startHarness } from '../../server/testing/harness/harness.ts';
import { DASHBOARD, noBrowser, openBrowser, visit } from './browser.ts';
import { localAddress } from './local-address.ts';

/** GitHub in the dashboard, with its fake: an account is connected, a repository attached. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const { url, forward } = await localAddress();
  const github = await startGithub();
  const callback = `${url}/auth/github/callback`;
  github.setUp({ setupUrl: callback, callbackUrls: [callback] });
  const harness = await startHarness({
    github,
    dashboard: DASHBOARD,
    env: {
      PUBLIC_URL: url,
      ...environmentOf(github),
      GITHUB_OAUTH_CLIENT_ID: github.state.people.clientId,
      GITHUB_OAUTH_CLIENT_SECRET: github.state.people.clientSecret,
    },
  });
  forward(harness.url);
  const { db, fixtures } = harness;

  test('an account on GitHub is connected to a workspace, and its repository attached', async () => {
    const owner = await fixtures.user();
    const org = await fixtures.workspace(owner);
    const project = await fixtures.project({ organizationId: org });
    github.signIn('northwind');
    await github.addRepository('northwind/shop');
    const visitor = await visit(browser, { url, cookie: await signIn(harness, owner) });
    const { page } = visitor;
    await visitor.open(`/projects/${project}/repositories`);
    await page.getByRole('button', { name: 'Attach a repository' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Where it is').selectOption('github');
    await dialog.getByRole('link', { name: 'the workspace' }).click();
    await page.getByRole('button', { name: 'Connect GitHub' }).press('Enter');
    await page.getByRole('cell', { name: 'northwind' }).waitFor();
    visitor.expectErrors(/another server/);
    await visitor.isClean();

    await visitor.open(`/projects/${project}/repositories`);
    await page.getByRole('button', { name: 'Attach a repository' }).click();
    await dialog.getByLabel('Where it is').selectOption('github');
    const search = dialog.getByLabel('Search repositories by name');
    await search.fill('bakery');
    await dialog.getByText('No repository of this account fits.').waitFor();
    await search.fill('shop');
    await dialog.getByLabel('Repository').selectOption('northwind/shop');
    await visitor.isClean();
    await dialog.getByRole('button', { name: 'Attach', exact: true }).press('Enter');
    await page.getByRole('link', { name: 'northwind/shop' }).waitFor();
    const about = (name: string, text: string) =>
      page.getByRole('row', { name }).getByText(text).waitFor();
    await about('northwind/shop', 'Tasks work here');
    await about('main', 'Tasks only have it as a submodule');
    const attached = await db.many(sql`
      select full_name from repository where project_id = ${project} and host = 'github'`);
    assert.equal(attached.length, 1);
    await visitor.leave();
  });

  test('a member may not connect GitHub to the workspace, and reads why', async () => {
    const owner = await fixtures.user();
    const org = await fixtures.workspace(owner);
    const member = await fixtures.user();
    await fixtures.member(org, member, 'member');
    const visitor = await visit(browser, {
      url,
      cookie: await signIn(harness, member),
      width: 360,
      scheme: 'dark',
    });
    await visitor.open(`/workspaces/${org}/settings`);
    await visitor.page.getByRole('button', { name: 'Connect GitHub' }).click();
    await visitor.page.getByRole('alert').getByText('You may not do that here').waitFor();
    const connected = await db.many(sql`
      select from github_connection where organization_id = ${org}`);
    assert.equal(connected.length, 0);
    await visitor.leave();
  });
} else test('GitHub in a browser', { skip: noBrowser }, () => {});
