import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { noBrowser, openBrowser, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';

/** The variables and the MCP servers of a project, in its settings. */

const skip = noBrowser;

if (skip === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { fixtures, request, url } = harness;
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const open = async (project: string, as = owner) => {
    const visitor = await visit(browser, { url, cookie: await signIn(harness, as) });
    await visitor.open(`/projects/${project}/settings`);
    return visitor;
  };

  test('a secret of several lines is added, never shown, replaced by a plain value, and removed', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    const list = async () =>
      (await request('GET', `/api/projects/${project}/variables`, { key: owner.key })).body;
    const { page, context, expectErrors, isClean } = await open(project);
    await page.getByText('No variables yet.').waitFor();
    await page.getByRole('button', { name: 'Add a variable' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('PATH');
    await dialog.getByLabel('Value').fill('a key\nof two lines\n');
    await dialog.getByLabel('Deploys', { exact: true }).check();
    await dialog.getByLabel('Stage of deploys').selectOption('production');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText(/A project cannot set this variable/).waitFor();
    expectErrors(/422/);
    await dialog.getByLabel('Name').fill('DEPLOY_KEY');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('set, hidden').waitFor();
    const [{ name, stage, secret, purposes, value }] = await list();
    assert.deepEqual(
      { name, stage, secret, purposes, value },
      {
        name: 'DEPLOY_KEY',
        stage: 'production',
        secret: true,
        purposes: ['deploy'],
        value: undefined,
      },
    );
    await page.getByRole('button', { name: 'Replace DEPLOY_KEY (production)' }).click();
    assert.equal(await dialog.getByLabel('Value').inputValue(), '');
    await dialog.getByLabel('Value').fill('for all to read');
    await dialog.getByLabel('Secret', { exact: true }).uncheck();
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await page.getByText('for all to read').waitFor();
    await isClean();
    await page.getByRole('button', { name: 'Remove DEPLOY_KEY (production)' }).click();
    await dialog.getByRole('button', { name: 'Remove the variable' }).click();
    await page.getByText('No variables yet.').waitFor();
    assert.deepEqual(await list(), []);
    await context.close();
  });

  test('an MCP server is added by its address, becomes a command, and is removed', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    const path = `/api/projects/${project}/mcp-servers`;
    const list = async () => (await request('GET', path, { key: owner.key })).body;
    const { page, context, expectErrors, isClean } = await open(project);
    await page.getByText('No MCP servers yet.').waitFor();
    await page.getByRole('button', { name: 'Add an MCP server' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('docs');
    await dialog.getByLabel('Address').fill('https://mcp.example/mcp');
    await dialog.getByLabel('Headers').fill('Authorization: Bearer abc\nX-Team: a: b');
    await dialog.getByLabel('Turns that plan').check();
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText(/Turns that plan get only what changes nothing/).waitFor();
    expectErrors(/422/);
    await isClean();
    await dialog.getByLabel('It changes nothing').check();
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText(/is shown to every admin/).waitFor();
    expectErrors(/422/);
    await dialog.getByLabel('Headers').fill(`Authorization: Bearer \${TOKEN}\nX-Team: a: b`);
    await dialog.getByRole('button', { name: 'Add' }).click();
    await page.getByText('its host is not on the list for agents').waitFor();
    const [{ name, headers, turns }] = await list();
    assert.deepEqual([name, turns], ['docs', ['plan', 'build']]);
    assert.deepEqual(headers, [
      { name: 'Authorization', value: `Bearer \${TOKEN}` },
      { name: 'X-Team', value: 'a: b' },
    ]);
    await isClean();
    await page.getByRole('button', { name: 'Change docs' }).click();
    await dialog.getByLabel('Where it is').selectOption('command');
    await dialog.getByLabel('Command').fill('/opt/files');
    await dialog.getByLabel('Arguments').fill('--stdio\n--read');
    await dialog.getByRole('button', { name: 'Change' }).click();
    await page.getByText('/opt/files --stdio --read').waitFor();
    await page.getByRole('button', { name: 'Remove docs' }).click();
    await dialog.getByRole('button', { name: 'Remove the MCP server' }).click();
    await page.getByText('No MCP servers yet.').waitFor();
    assert.deepEqual(await list(), []);
    await context.close();
  });

  test('who may not set variables does not see that there are any', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    await fixtures.variable(project, { by: owner, name: 'UNSEEN' });
    const member = await fixtures.user();
    await fixtures.member(workspace, member, 'member');
    const { page, leave } = await open(project, member);
    await page.getByText('Admins of the project can change its settings.').waitFor();
    assert.equal(await page.getByText('Variables').count(), 0);
    assert.equal(await page.getByText('UNSEEN').count(), 0);
    await leave();
  });
} else test('the variables of a project in a browser', { skip }, () => {});
