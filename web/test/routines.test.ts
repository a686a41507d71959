import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { readConfig } from '../../server/platform/config/config.ts';
import { routineWork } from '../../server/tasks/routines/background.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { noBrowser, openBrowser, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';

/** Service accounts of a workspace, and routines of a project. */

const skip = noBrowser;

if (skip === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { db, fixtures, request, url } = harness;
  const { catalog } = readConfig({});
  const work = routineWork(db, { catalog, log: pino({ level: 'silent' }) });
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);

  test('a service account is added, gets a key that is shown once, is renamed, and deleted with its key', async () => {
    const cookie = await signIn(harness, owner, { proven: true });
    const visitor = await visit(browser, { url, cookie });
    const { page } = visitor;
    await visitor.open(`/workspaces/${workspace}/settings`);
    await page.getByRole('link', { name: 'Service accounts' }).click();
    await page.getByText('No service accounts yet.').waitFor();
    await page.getByRole('button', { name: 'Add a service account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Nightly');
    await visitor.isCleanInEveryLook();
    await dialog.getByRole('button', { name: 'Add the service account' }).click();
    await page.getByText('It has no keys yet.').waitFor();
    await page.getByRole('button', { name: 'Create a key' }).click();
    await dialog.getByLabel('Name').fill('CI');
    await dialog.getByRole('button', { name: 'Create the key' }).click();
    const key = await dialog.getByText(/^gld_/).innerText();
    await visitor.isClean();
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('button', { name: 'Revoke CI' }).waitFor();
    await visitor.isCleanInEveryLook();
    const opened = await request('GET', `/api/organizations/${workspace}`, { key });
    assert.equal(opened.status, 200);
    await page.getByRole('link', { name: 'among the members' }).click();
    await dialog.waitFor();
    await page.getByText('Service account').first().waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByLabel('Name').fill('Weekly');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Weekly' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete the service account' }).click();
    await page.getByText('No service accounts yet.').waitFor();
    assert.equal((await request('GET', `/api/organizations/${workspace}`, { key })).status, 401);
    await visitor.leave();
  });

  test('the message of a routine outlives Escape and a reload, until it is added', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    const visitor = await visit(browser, { url, cookie: await signIn(harness, owner) });
    const { page } = visitor;
    await visitor.open(`/projects/${project}/routines`);
    const add = page.getByRole('button', { name: 'Add a routine' });
    const dialog = page.getByRole('dialog');
    const message = dialog.getByLabel('Message to the agent');
    await add.click();
    await message.fill('Look for parts that are outdated.');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.reload();
    await add.click();
    assert.equal(await message.inputValue(), 'Look for parts that are outdated.');
    await dialog.getByLabel('Name').fill('Parts');
    await dialog.getByLabel('When').selectOption('1');
    await dialog.getByRole('button', { name: 'Add the routine' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await request('GET', `/api/projects/${project}/routines`, { key: owner.key });
    assert.deepEqual(
      body.map((routine: { message: string }) => routine.message),
      ['Look for parts that are outdated.'],
    );
    await add.click();
    assert.equal(await message.inputValue(), '');
    await visitor.leave();
  });

  test('a routine is added by a schedule in words, run, seen on its task, paused, and deleted', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    const visitor = await visit(browser, { url, cookie: await signIn(harness, owner) });
    const { page } = visitor;
    await visitor.open(`/projects/${project}`);
    await page.getByRole('link', { name: 'Routines' }).click();
    await page.getByText('No routines yet.').waitFor();
    await page.getByRole('button', { name: 'Add a routine' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Outdated parts');
    await dialog.getByLabel('When').selectOption('1');
    await dialog.getByLabel('At', { exact: true }).fill('06:30');
    await dialog.getByLabel('Time zone').fill('Europe/Berlin');
    await dialog.getByLabel('Message to the agent').fill('Update what is outdated, {{body}}.');
    await visitor.isCleanInEveryLook();
    await dialog.getByRole('button', { name: 'Add the routine' }).click();
    await dialog.getByText(/The message has a field that routines with this start/).waitFor();
    visitor.expectErrors(/422/);
    await dialog
      .getByLabel('Message to the agent')
      .fill('Update what is outdated, as of {{date}}.');
    await dialog.getByRole('button', { name: 'Add the routine' }).click();
    await page.getByText('Every Monday at 06:30, Europe/Berlin').waitFor();
    await page.getByText('It has not run yet.').waitFor();
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('waiting').waitFor();
    await work.round();
    await page.getByRole('link', { name: 'See the task' }).waitFor();
    await visitor.isCleanInEveryLook();
    await page.getByRole('link', { name: 'See the task' }).click();
    await page.getByRole('link', { name: 'Routine Outdated parts' }).click();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await dialog.getByLabel('When').selectOption('cron');
    await dialog.getByLabel('Five fields of cron').fill('0 */2 * * *');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('0 */2 * * *, Europe/Berlin').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete the routine' }).click();
    await page.getByText('No routines yet.').waitFor();
    await visitor.leave();
  });

  test('the token of one that is called is shown once, and its call runs it; a member only looks', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    const visitor = await visit(browser, { url, cookie: await signIn(harness, owner) });
    const { page } = visitor;
    await visitor.open(`/projects/${project}/routines`);
    await page.getByRole('button', { name: 'Add a routine' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Alarm');
    await dialog.getByLabel('It is started by').selectOption('call');
    await dialog.getByLabel('Message to the agent').fill('Look at this: {{body}}');
    await dialog.getByRole('button', { name: 'Add the routine' }).click();
    const token = await dialog.getByText(/^gldr_/).innerText();
    await visitor.isClean();
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    const [{ call_path }] = (
      await request('GET', `/api/projects/${project}/routines`, { key: owner.key })
    ).body;
    const called = await request('POST', call_path, {
      raw: 'Disk full',
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(called.status, 202);
    await work.round();
    await page.getByText('By a call').waitFor();
    await visitor.leave();
    const member = await fixtures.user();
    await fixtures.member(workspace, member);
    const other = await visit(browser, { url, cookie: await signIn(harness, member) });
    await other.open(`/projects/${project}/routines`);
    await other.page.getByRole('link', { name: 'Alarm' }).click();
    await other.page.getByText('By a call').waitFor();
    assert.equal(await other.page.getByRole('button', { name: 'Run now' }).count(), 0);
    await other.leave();
  });
} else test('routines in a browser', { skip }, () => {});
