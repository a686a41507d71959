import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { senderOn, startReceiver } from '../../server/testing/fixtures/webhooks.ts';
import { noBrowser, openBrowser, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';

/** The webhooks of a project and a workspace. */

const skip = noBrowser;

if (skip === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { fixtures, request, url } = harness;
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);

  test('one is added with its secret shown once, tried, changed, given another secret, and deleted', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    const receiver = await startReceiver();
    const hook = await fixtures.webhook(project, { url: `${receiver.url}/x` });
    const visitor = await visit(browser, { url, cookie: await signIn(harness, owner) });
    const { page } = visitor;
    await visitor.open(`/projects/${project}/settings`);
    await page.getByRole('link', { name: 'See the webhooks' }).click();
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Releases');
    await dialog.getByLabel('Address').fill('http://hooks.example.com/x');
    await dialog.getByRole('button', { name: 'Add the webhook' }).click();
    await dialog.getByText(/The address must begin with https/).waitFor();
    visitor.expectErrors(/422/);
    await dialog.getByLabel('Address').fill('https://hooks.example.com/x?token=hidden');
    await dialog.getByLabel('A deploy has failed').check();
    await visitor.isCleanInEveryLook();
    await dialog.getByRole('button', { name: 'Add the webhook' }).click();
    await dialog.getByText(/^whsec_/).waitFor();
    await visitor.isClean();
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText('https://hooks.example.com/x?…').waitFor();
    await page.getByRole('heading', { name: 'Releases' }).waitFor();
    await page.getByText('Nothing was sent in the last 30 days.').waitFor();
    const [, made] = (await request('GET', `/api/projects/${project}/webhooks`, { key: owner.key }))
      .body;
    assert.deepEqual(made.event_types, [
      'task.plan_waiting',
      'task.failed',
      'task.merged',
      'deploy.failed',
    ]);
    // The other one has a receiver.
    await page.getByRole('link', { name: 'Hook' }).click();
    await page.getByRole('button', { name: 'Replace the secret' }).click();
    await dialog.getByRole('button', { name: 'Replace the secret' }).click();
    const secret = await dialog.getByText(/^whsec_/).innerText();
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('0 attempts').waitFor();
    await senderOn(harness).round();
    await page.getByText('delivered').waitFor();
    const [message] = receiver.messages;
    new Webhook(secret).verify(message?.text ?? '', message?.headers as Record<string, string>);
    await page.getByRole('button', { name: 'Send again: A test' }).click();
    await page.getByText('waiting').waitFor();
    await visitor.isCleanInEveryLook();
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('button', { name: 'Switch on' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete the webhook' }).click();
    await dialog.waitFor({ state: 'detached' });
    const gone = await request('GET', `/api/webhooks/${hook}`, { key: owner.key });
    assert.equal(gone.status, 404);
    await visitor.leave();
  });

  test('Slack is added to a workspace by an admin, and a member sees no such page', async () => {
    const org = await fixtures.workspace(owner);
    const visitor = await visit(browser, { url, cookie: await signIn(harness, owner) });
    const { page } = visitor;
    await visitor.open(`/workspaces/${org}/settings`);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Channel');
    await dialog.getByLabel('Kind').selectOption('slack');
    await dialog.getByLabel('Address').fill('https://hooks.slack.com/services/T0/B0/hidden');
    await dialog.getByRole('button', { name: 'Add the webhook' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('https://hooks.slack.com/…').waitFor();
    assert.ok(!(await page.content()).includes('hidden</'));
    await visitor.leave();
    const member = await fixtures.user();
    await fixtures.member(org, member);
    const other = await visit(browser, { url, cookie: await signIn(harness, member) });
    await other.open(`/workspaces/${org}`);
    await other.page.getByRole('heading', { name: 'Projects' }).first().waitFor();
    assert.equal(await other.page.getByRole('link', { name: 'Webhooks' }).count(), 0);
    await other.leave();
  });
} else test('webhooks in a browser', { skip }, () => {});
