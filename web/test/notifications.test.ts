import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readVapidKey } from '../../server/identity/notifications/push/sealed-push.ts';
import { openSealing } from '../../server/platform/sealing/sealing.ts';
import { startPushService } from '../../server/testing/fakes/push-service.ts';
import { SERVER_SECRET } from '../../server/testing/fixtures/erp/odoo-connections.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { plannedTask } from '../../server/testing/fixtures/tasks/planned-task.ts';
import { until } from '../../server/testing/harness/until.ts';
import { noBrowser, openBrowser, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';

/** What a person is told of: their settings, and what they follow or mute. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { db, fixtures, request, url } = harness;

  test('settings are saved; a bad time zone is refused beside its field', async () => {
    const user = await fixtures.user();
    const visitor = await visit(browser, { url, cookie: await signIn(harness, user) });
    const { page } = visitor;
    await visitor.open('/account/notifications');
    await page.getByRole('heading', { name: 'This browser' }).waitFor();
    await page.getByLabel('Mail', { exact: true }).selectOption('One mail a day');
    await page.getByLabel('A task was merged').uncheck();
    await page.getByLabel('Quiet hours from').fill('22:00');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.text-wrong').first().waitFor();
    await page.getByLabel('Quiet hours until').fill('07:00');
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
    const muted = page.waitForResponse((reply) => reply.request().method() === 'PUT');
    await mute.press('Enter');
    assert.ok((await muted).ok());
    // One that waits is in the title of every page.
    await until('the title', async () => (await page.title()).startsWith('(1) '));
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

  test('a browser is asked once something has waited, not before and not again, and shows what it is sent', async () => {
    const { owner, project, task } = await plannedTask(fixtures);
    const nothing = await fixtures.user();
    const service = await startPushService();
    const cookie = await signIn(harness, owner);
    const visitor = await visit(browser, { url, cookie });
    const { page, context } = visitor;
    await context.grantPermissions(['notifications']);
    // As for a person who has not decided; and no push service of a browser maker is within reach.
    await readVapidKey(db, openSealing({ current: SERVER_SECRET }, 'push'));
    const { p256dh, auth } = service.subscription;
    const subscription = { endpoint: `https://push.example/${task}`, keys: { p256dh, auth } };
    await context.addInitScript(`
      let permission = 'default';
      Object.defineProperty(Notification, 'permission', { get: () => permission });
      Notification.requestPermission = async () => (permission = 'granted');
      PushManager.prototype.getSubscription = async () => null;
      PushManager.prototype.subscribe = async ({ applicationServerKey: key }) => {
        if (!/^[\\w-]{87}$/.test(key)) throw new Error('no key');
        return { toJSON: () => (${JSON.stringify(subscription)}) };
      };`);
    const ask = page.getByRole('region', { name: 'Notifications' });
    const idle = await visit(browser, { url, cookie: await signIn(harness, nothing) });
    await idle.open('/');
    await idle.page.getByText('Nothing waits for you').waitFor();
    assert.equal(await idle.page.getByRole('region', { name: 'Notifications' }).count(), 0);
    await idle.leave();

    await visitor.open('/');
    await ask.waitFor();
    await visitor.isCleanInEveryLook();
    await ask.getByRole('button', { name: 'Tell me in this browser' }).click();
    await ask.waitFor({ state: 'detached' });
    const subscribed = await page.evaluate<{ subscribed: boolean }>(
      "fetch('/auth/push').then((reply) => reply.json())",
    );
    assert.equal(subscribed.subscribed, true);
    await visitor.open('/');
    await page.getByText('Plan to approve').first().waitFor();
    assert.equal(await ask.count(), 0);

    const [worker] = context.serviceWorkers();
    assert.ok(worker);
    // A headless browser refuses to show any: what would be shown is noted.
    await worker.evaluate(`
      self.shown = [];
      self.registration.showNotification = async (...notification) => self.shown.push(notification);`);
    const devtools = await context.newCDPSession(page);
    const registered = new Promise<string>((resolve) => {
      devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const [one] = registrations;
        if (one !== undefined) resolve(one.registrationId);
      });
    });
    await devtools.send('ServiceWorker.enable');
    const at = `/projects/${project}/tasks/${task}`;
    await devtools.send('ServiceWorker.deliverPushMessage', {
      origin: url,
      registrationId: await registered,
      data: JSON.stringify({
        title: 'A plan waits for approval',
        body: 'A task',
        tag: task,
        url: at,
      }),
    });
    const shown = () => worker.evaluate<unknown[]>('self.shown');
    await until('it is shown', async () => (await shown()).length > 0);
    const options = {
      body: 'A task',
      tag: task,
      icon: '/icon.svg',
      data: { url: at },
      renotify: true,
    };
    assert.deepEqual(await shown(), [['A plan waits for approval', options]]);
    await visitor.leave();
  });
}
