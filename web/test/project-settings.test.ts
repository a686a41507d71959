import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHarness } from '../../server/testing/harness.ts';
import { DASHBOARD, noBrowser, openBrowser, type Visitor, visit } from './browser.ts';
import { signIn } from './sign-in.ts';

/** The settings of a project, and its end. */

const skip = noBrowser;

if (skip === false) {
  const browser = await openBrowser();
  const harness = await startHarness({ dashboard: DASHBOARD });
  const { fixtures, request, unchanged, url } = harness;
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const viewer = await fixtures.user();
  await fixtures.member(workspace, viewer, 'viewer');

  const open = async (path: string, as = owner): Promise<Visitor> => {
    const cookie = await signIn(harness, as, { proven: true });
    const visitor = await visit(browser, { url, cookie });
    await visitor.open(path);
    return visitor;
  };
  const read = async (project: string) =>
    (await request('GET', `/api/projects/${project}`, { key: owner.key })).body;

  test('a project is renamed and gets a cap; a wrong cap is refused beside its field', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    const { page, context, expectErrors, isClean } = await open(`/projects/${project}/settings`);
    await page.getByLabel('Spending cap of a task in USD').fill('much');
    await unchanged(async () => {
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('[data-invalid]').first().waitFor();
    });
    expectErrors(/422/);
    await page.getByLabel('Name').fill('قسم المبيعات');
    await page.getByLabel('Spending cap of a task in USD').fill('12.50');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'قسم المبيعات' }).waitFor();
    await isClean();
    const { name, spend_cap } = await read(project);
    assert.deepEqual({ name, spend_cap }, { name: 'قسم المبيعات', spend_cap: '12.50' });
    await context.close();
  });

  test('a viewer reads the settings and cannot change them', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    const { page, context, isClean } = await open(`/projects/${project}/settings`, viewer);
    await page.getByText('Admins of the project can change its settings.').waitFor();
    assert.equal(await page.getByLabel('Name').isDisabled(), true);
    assert.equal(await page.getByRole('button', { name: 'Transfer' }).count(), 0);
    await isClean();
    await context.close();
  });

  test('a project is archived, and taken out of the archive', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    const { page, context } = await open(`/projects/${project}/settings`);
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByRole('button', { name: 'Take out of the archive' }).click();
    await page.getByRole('button', { name: 'Archive', exact: true }).waitFor();
    await context.close();
  });

  test('a project is transferred to oneself', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    const { page, context } = await open(`/projects/${project}/settings`);
    await page.getByRole('button', { name: 'Transfer' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('New owner').selectOption('myself');
    await dialog.getByRole('button', { name: 'Transfer the project' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal((await read(project)).owner_user_id, owner.id);
    await context.close();
  });

  test('a project is deleted after its name was typed, with a receipt', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    await fixtures.task(project, owner);
    const { name } = await read(project);
    const { page, context, isClean } = await open(`/projects/${project}/settings`);
    await page.getByRole('button', { name: 'Delete the project' }).click();
    const dialog = page.getByRole('dialog');
    const submit = dialog.getByRole('button', { name: 'Delete the project' });
    await dialog.getByLabel(/Type the name/).fill('another');
    assert.equal(await submit.isDisabled(), true);
    await dialog.getByLabel(/Type the name/).fill(name);
    await submit.click();
    await page.getByRole('heading', { name: 'The project is deleted' }).waitFor();
    await isClean();
    await page.getByRole('button', { name: 'Go to the first page' }).click();
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    assert.equal(
      (await request('GET', `/api/projects/${project}`, { key: owner.key })).status,
      404,
    );
    await context.close();
  });
} else test('the settings of a project in a browser', { skip }, () => {});
