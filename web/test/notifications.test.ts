import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plannedTask } from '../../server/testing/fixtures/tasks/planned-task.ts';
import { noBrowser, openBrowser, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';
import { signIn } from './sign-in.ts';

/** What a person is told of: their settings, and what they follow or mute. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { fixtures, request, url } = harness;

  test('settings are saved; a bad time zone is refused beside its field', async () => {
    const user = await fixtures.user();
    const visitor = await visit(browser, { url, cookie: await signIn(harness, user) });
    const { page } = visitor;
    await visitor.open('/account/notifications');
    await page.getByRole('heading', { name: 'This browser' }).waitFor();
    await page.getByLabel('Mail', { exact: true }).selectOption('One mail a day');
    await page.getByLabel('A task was merged').uncheck();
    await page.getByLabel('Quiet hours from').fill('22:00');
    await page.getByLabel('until', { exact: true }).fill('07:00');
    await page.getByLabel('Time zone').fill('Mars/Olympus');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.text-wrong').first().waitFor();
    visitor.expectErrors(/422/);
    await visitor.isCleanInEveryLook();
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { body } = await request('GET', '/api/account/notifications', { key: user.key });
    assert.deepEqual(
      [body.mail, body.events_off, body.quiet_hours, body.time_zone],
      ['daily', ['task.merged'], { from: '22:00', until: '07:00' }, 'Europe/Berlin'],
    );
    await visitor.leave();
  });

  test('a task is muted from its menu by keyboard, a project in its settings, and both are unmuted on one page', async () => {
    const { owner, project, task } = await plannedTask(fixtures);
    const visitor = await visit(browser, { url, cookie: await signIn(harness, owner) });
    const { page } = visitor;
    await visitor.open(`/projects/${project}/tasks/${task}`);
    await page.getByRole('button', { name: 'More acts on the task' }).focus();
    await page.keyboard.press('Enter');
    const mute = page.getByRole('menuitem', { name: 'Mute: tell me nothing of it' });
    await mute.waitFor();
    await mute.press('Enter');
    // One that waits is in the title of every page.
    await page.waitForFunction("document.title.startsWith('(1) ')");
    await visitor.open(`/projects/${project}/settings`);
    await page.getByRole('button', { name: 'Mute the project' }).click();
    await page.getByText('You have muted the project').waitFor();
    await visitor.open('/account/notifications');
    await page.getByRole('table', { name: 'Muted tasks and projects' }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^Unmute/ }).count(), 2);
    await visitor.isCleanInEveryLook();
    for (let left = 2; left > 0; left--) {
      const before = page.getByRole('button', { name: /^Unmute/ });
      const name = await before.first().getAttribute('aria-label');
      await before.first().click();
      await page.getByRole('button', { name: name ?? '' }).waitFor({ state: 'detached' });
    }
    await page.getByText('You have muted nothing').waitFor();
    const state = await request('GET', `/api/tasks/${task}/subscription`, { key: owner.key });
    assert.deepEqual(state.body, { state: 'following' });
    await visitor.leave();
  });
}
