import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { sql } from '../../server/db/sql.ts';
import { givePassword, PASSWORD } from '../../server/testing/fixtures/identity/passwords.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { plannedTask } from '../../server/testing/fixtures/tasks/planned-task.ts';
import { startHarness } from '../../server/testing/harness/harness.ts';
import { seriesOf } from '../../server/testing/harness/metrics.ts';
import { until } from '../../server/testing/harness/until.ts';
import { DASHBOARD, noBrowser, openBrowser, visit } from './browser.ts';
import { localAddress } from './local-address.ts';

/**
 * A server on a local network, over plain HTTP: browsers give its pages no Web Locks, no clipboard
 * and no passkeys, because they do not trust the address.
 */

if (noBrowser === false) {
  const browser = await openBrowser();
  const { url, forward } = await localAddress('nas');
  const harness = await startHarness({ dashboard: DASHBOARD, env: { PUBLIC_URL: url } });
  forward(harness.url);
  const { events, fixtures, metrics } = harness;

  /** A task whose plan waits for approval, and what its agent would say. */
  async function planned() {
    const at = await plannedTask(fixtures);
    await events.log.acquire(at.task, 1n, 'a worker');
    return {
      ...at,
      path: `/projects/${at.project}/tasks/${at.task}`,
      say: (text: string) =>
        events.log.append(at.task, 1n, [{ type: 'message', payload: { messageId: text, text } }]),
    };
  }
  /** What is in the clipboard, as a person finds out: by pasting it. */
  async function pasted(field: Locator): Promise<string> {
    await field.fill('');
    await field.press('ControlOrMeta+V');
    return field.inputValue();
  }

  const streams = async (): Promise<number> =>
    (await seriesOf(metrics, 'guildhall_event_streams'))[''] ?? 0;

  test('a person signs in, sees a task live, approves it, and copies its id', async () => {
    const { owner, path, task, say } = await planned();
    await givePassword(harness, owner);
    const visitor = await visit(browser, { url });
    const { page } = visitor;
    await visitor.open('/');
    await page.getByLabel('Email').fill(owner.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    assert.equal(await page.evaluate('isSecureContext || "locks" in navigator'), false);

    await visitor.open(path);
    const approve = page.getByRole('button', { name: 'Approve version 1' });
    await approve.click();
    await approve.waitFor({ state: 'detached' });
    await say('I begin with the files of the plan.');
    await page.getByText('I begin with the files of the plan.').waitFor();
    await page.getByRole('button', { name: 'Copy the id of the task' }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    assert.equal(await pasted(page.getByLabel('Message to the agent')), task);
    await visitor.leave();
  });

  test('five tabs open at most three streams, and all of them see what happens', async () => {
    const { owner, path, say } = await planned();
    const { context, page } = await visit(browser, { url, cookie: await signIn(harness, owner) });
    const pages = [page];
    while (pages.length < 5) pages.push(await context.newPage());
    await Promise.all(pages.map((tab) => tab.goto(path)));
    for (const tab of pages) await tab.getByRole('button', { name: 'Approve version 1' }).waitFor();
    await page.getByRole('button', { name: 'Approve version 1' }).click();
    await say('I begin with the files of the plan.');
    for (const tab of pages) await tab.getByText('I begin with the files of the plan.').waitFor();
    await until('one to three streams', async () => [1, 2, 3].includes(await streams()));
    // A tab that is closed leaves its place to another.
    for (const tab of pages.slice(0, 4)) await tab.close();
    await until('one stream', async () => (await streams()) === 1);
    await context.close();
  });

  test('three tabs have one stream of changes, and when the tab that has it is closed another goes on', async () => {
    const { owner, task } = await planned();
    const { context, page } = await visit(browser, { url, cookie: await signIn(harness, owner) });
    let asked = 0;
    context.on('request', (request) => {
      if (request.url().includes('/api/task-changes')) asked += 1;
    });
    const others = [await context.newPage(), await context.newPage()];
    await page.goto('/tasks');
    await until('the stream', () => asked === 1);
    for (const tab of others) await tab.goto('/tasks');
    const allShow = async (tabs: Page[], title: string) => {
      await harness.db.many(sql`update task set title = ${title} where id = ${task}`);
      for (const tab of tabs) await tab.getByRole('link', { name: title }).waitFor();
    };
    await allShow([page, ...others], 'Told to three tabs');
    assert.equal(asked, 1);
    await page.close();
    await until('another tab has the stream', () => asked === 2);
    await allShow(others, 'Told to two tabs');
    assert.equal(asked, 2);
    await context.close();
  });

  test('the places of tabs that have crashed are free', async () => {
    const { owner, path } = await planned();
    const { context, page } = await visit(browser, { url, cookie: await signIn(harness, owner) });
    await page.goto(`${url}/healthz`);
    await page.evaluate(
      '[0, 1, 2].forEach((place) => localStorage.setItem("guildhall-stream-" + place, "crashed"))',
    );
    await page.goto(path);
    await until('a stream', async () => (await streams()) === 1);
    await context.close();
  });

  test('what needs HTTPS says so, and what does not works: an API key is made and copied', async () => {
    const cookie = await signIn(harness, await fixtures.user(), { proven: true });
    const visitor = await visit(browser, { url, cookie, width: 360, scheme: 'dark' });
    const { page } = visitor;
    await visitor.open('/account/security');
    await page.getByText(/Passkeys need HTTPS/).waitFor();
    await visitor.open('/account/keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('laptop');
    await page.getByRole('dialog').getByRole('button', { name: 'Create the key' }).click();
    const key = page.getByRole('dialog').getByRole('button', { name: 'Copy the key' });
    const text = await key.locator('span').first().textContent();
    await key.click();
    await page.getByText('Copied', { exact: true }).waitFor();
    await visitor.open('/account');
    assert.equal(await pasted(page.getByLabel('Name')), text);
    await visitor.context.close();
  });
} else test('a server on a local network in a browser', { skip: noBrowser }, () => {});
