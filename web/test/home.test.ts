import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { PASSWORD } from '../../server/testing/fixtures/identity/passwords.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import type { User } from '../../server/testing/fixtures/tenants.ts';
import { until } from '../../server/testing/harness/until.ts';
import { NARROW, noBrowser, openBrowser, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';

/** The first page and the page of an invitation. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { db, fixtures, url } = harness;

  const named = async (owner: { organizationId?: string; userId?: string }, name: string) => {
    const project = await fixtures.project(owner);
    await db.many(sql`update project set name = ${name} where id = ${project}`);
    return project;
  };
  const as = async (user: User, look: { scheme?: 'light' | 'dark'; width?: number } = {}) =>
    visit(browser, { url, cookie: await signIn(harness, user), ...look });

  test('the inbox leads to the plan', async () => {
    const user = await fixtures.user();
    const project = await fixtures.project({ userId: user.id });
    const task = await fixtures.task(project, user);
    await fixtures.revision(task);
    await fixtures.invitation(await fixtures.workspace(await fixtures.user()), {
      email: user.email,
    });
    const visitor = await as(user, NARROW);
    await visitor.open('/');
    const act = visitor.page.getByRole('link', { name: 'Read the plan: A task' });
    await act.waitFor();
    await visitor.isCleanInEveryLook();
    await act.press('Enter');
    await visitor.page.waitForURL(`**/projects/${project}/tasks/${task}?panel=plan`);
    await visitor.leave();
  });

  test('what was merged last comes first, whatever was changed since', async () => {
    const user = await fixtures.user();
    const project = await fixtures.project({ userId: user.id });
    for (const title of ['Early', 'Late']) {
      const task = await fixtures.task(project, user);
      await fixtures.pullRequest(task, user);
      await fixtures.merge(task, user);
      await db.many(sql`
        update pull_request set state = 'merged', updated_at = clock_timestamp()
         where task_id = ${task}`);
      await db.many(sql`update task set title = ${title} where id = ${task}`);
    }
    await db.many(sql`update task set title = 'Early, renamed' where title = 'Early'`);
    const visitor = await as(user);
    await visitor.open('/');
    const merged = visitor.page.getByRole('table', { name: 'Merged lately' });
    await merged.getByRole('link', { name: 'Early, renamed' }).waitFor();
    assert.deepEqual(await merged.getByRole('link').allInnerTexts(), ['Late', 'Early, renamed']);
    await visitor.leave();
  });

  test('whoever begins a task in a place without funds is told before, and adds them in place', async () => {
    const user = await fixtures.user();
    const org = await fixtures.workspace(user);
    await named({ organizationId: org }, 'Quay');
    const visitor = await as(user, NARROW);
    const { page } = visitor;
    await visitor.open('/');
    await page.getByText('$0.00 is available for this project').waitFor();
    await visitor.isCleanInEveryLook();
    await page.getByRole('button', { name: 'Add funds' }).click();
    await page.getByRole('dialog').getByLabel('Amount in USD').waitFor();
    await visitor.leave();
    const member = await fixtures.user();
    await fixtures.member(org, member);
    const other = await as(member);
    await other.open('/');
    await other.page.getByText('A person approves the plan').waitFor();
    assert.equal(await other.page.getByText('is available for this project').count(), 0);
    await other.leave();
  });

  test('a field of the composer that is refused says so in words of the page, and has the focus', async () => {
    const user = await fixtures.user();
    const org = await fixtures.workspace(user, { balance: '10.00' });
    await named({ organizationId: org }, 'Quay');
    const visitor = await as(user);
    const { page } = visitor;
    await visitor.open('/');
    await page.getByLabel('What is to be built?').fill('A quay');
    const cap = page.getByLabel('Spending cap in USD');
    await cap.fill('25,50');
    await page.getByRole('button', { name: 'Start the task' }).click();
    await page
      .getByRole('alert')
      .getByText('Spending cap in USD: Write an amount in USD, such as 25.50.')
      .waitFor();
    await cap.and(page.locator(':focus')).waitFor();
    assert.equal(await cap.getAttribute('aria-invalid'), 'true');
    visitor.expectErrors(/422/);
    await visitor.isClean();
    await cap.fill('25.50');
    assert.equal(await cap.getAttribute('aria-invalid'), null);
    await visitor.leave();
  });

  test('the inbox is by project: what is done or snoozed leaves it and its count, and comes back', async () => {
    const user = await fixtures.user();
    const org = await fixtures.workspace(user, { name: 'Harbour' });
    const [big, small] = [
      await named({ organizationId: org }, 'Cranes'),
      await named({ organizationId: org }, 'Quay'),
    ];
    for (let i = 0; i < 7; i++) await fixtures.revision(await fixtures.task(big, user));
    const ended = await fixtures.task(small, user);
    await fixtures.taskStatus(ended, 'planning');
    await fixtures.taskStatus(ended, 'failed');
    await db.many(sql`update task set title = 'Lift it' where id = ${ended}`);
    const running = await fixtures.task(small, user);
    await fixtures.taskStatus(running, 'planning');
    const visitor = await as(user);
    const { page } = visitor;
    await visitor.open('/');
    const waiting = (count: string) => page.getByRole('link', { name: `Home ${count} waiting` });
    await waiting('8').waitFor();
    await until('the title', async () => (await page.title()) === '(8) Home · Guildhall');
    const cranes = page.getByRole('table', { name: 'What waits for you: Harbour / Cranes' });
    await cranes.waitFor();
    assert.equal(await cranes.getByRole('row').count(), 6);
    await page.getByRole('button', { name: 'Show 2 more: Harbour / Cranes' }).click();
    assert.equal(await cranes.getByRole('row').count(), 8);
    await page.getByRole('table', { name: 'At work' }).getByText('Planning').waitFor();
    await visitor.isClean();

    await page.getByRole('button', { name: 'Done: Lift it' }).press('Enter');
    await waiting('7').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await waiting('8').waitFor();
    await page.getByRole('button', { name: 'Set aside: Lift it' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Snooze for a week' }).press('Enter');
    await waiting('7').waitFor();
    await until('the title', async () => (await page.title()) === '(7) Home · Guildhall');
    await page.getByRole('link', { name: 'Show what is set aside' }).click();
    await page
      .getByRole('row', { name: 'Lift it' })
      .getByText(/in \d days/)
      .waitFor();
    await page.getByRole('button', { name: 'Bring back: Lift it' }).click();
    await waiting('8').waitFor();
    await page.getByRole('link', { name: 'Show what waits for you' }).click();
    await page.getByRole('link', { name: 'See why: Lift it' }).press('Enter');
    await page.waitForURL(`**/projects/${small}/tasks/${ended}`);
    await visitor.leave();
  });

  test('a new place begins with steps, which lead on and can be hidden', async () => {
    const user = await fixtures.user();
    const visitor = await as(user, { width: 360 });
    const { page } = visitor;
    await visitor.open('/');
    await page.getByRole('heading', { name: '1. Make a project and connect its code' }).waitFor();
    await visitor.isCleanInEveryLook();
    const project = await named({ userId: user.id }, 'Lighthouse');
    await visitor.open('/');
    await page.getByRole('heading', { name: '4. Give an agent its first task' }).waitFor();
    await page.getByText('Lighthouse has no code yet').waitFor();
    await page.getByRole('link', { name: 'New task' }).press('Enter');
    await page.waitForURL(`**/projects/${project}`);
    await visitor.open('/');
    await page.getByRole('button', { name: 'Hide these steps' }).click();
    await page.reload();
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    assert.equal(await page.getByRole('heading', { name: 'First steps' }).count(), 0);
    await visitor.leave();
  });

  test('a browser that refuses its storage shows every page, and keeps nothing', async () => {
    const user = await fixtures.user();
    const visitor = await as(user);
    const { page } = visitor;
    await page.addInitScript(
      `Object.defineProperty(window, 'localStorage', { get() { throw new Error('refused'); } })`,
    );
    await visitor.open('/');
    await page.getByRole('button', { name: 'Hide these steps' }).press('Enter');
    await page.getByRole('button', { name: 'Hide these steps' }).waitFor({ state: 'detached' });
    await visitor.open('/tasks?status=ready');
    await page.getByRole('button', { name: 'Save this view' }).press('Enter');
    await page.getByRole('textbox', { name: 'Name' }).fill('Ready ones');
    await page.getByRole('button', { name: 'Save', exact: true }).press('Enter');
    await page.getByRole('link', { name: 'Ready ones' }).waitFor();
    await visitor.leave();
  });

  test('the mail of an invitation makes the account and joins in one step', async () => {
    const owner = await fixtures.user({ name: 'Ada' });
    const org = await fixtures.workspace(owner, { name: 'Northwind' });
    const email = 'new@example.com';
    const id = await fixtures.invitation(org, { email, by: owner });
    const visitor = await visit(browser, { url, ...NARROW });
    const { page } = visitor;
    const link = new URL(harness.mailedInviteLink(id, 1));
    await visitor.open(link.pathname + link.search);
    await page.getByRole('heading', { level: 1, name: 'Join Northwind' }).waitFor();
    await page.getByText(`has invited ${email} to the workspace Northwind, as Member.`).waitFor();
    await visitor.isCleanInEveryLook();
    await page.getByLabel('Your name').fill('Eve');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Northwind' }).waitFor();
    await visitor.leave();
  });

  test('the link that is copied shows who invites to what, and signs in with the address filled in', async () => {
    const owner = await fixtures.user({ name: 'Ada' });
    const org = await fixtures.workspace(owner, { name: 'Northwind' });
    const id = await fixtures.invitation(org, { email: 'copied@example.com', by: owner });
    const visitor = await visit(browser, { url });
    const { page } = visitor;
    const link = new URL(harness.inviteLink(id, 1));
    await visitor.open(link.pathname + link.search);
    await page.getByRole('heading', { level: 1, name: 'Sign in to join Northwind' }).waitFor();
    assert.equal(await page.getByLabel('Email').inputValue(), 'copied@example.com');
    await page.getByRole('link', { name: 'New here, or no password?' }).click();
    await page.getByRole('button', { name: 'Send me a link' }).waitFor();
    assert.equal(await page.getByLabel('Email').inputValue(), 'copied@example.com');
    await visitor.isClean();
    await db.many(sql`update invitation set status = 'revoked' where id = ${id}`);
    await page.reload();
    await page.getByRole('alert').getByText('ask for a new one').waitFor();
    visitor.expectErrors(/404/);
    await visitor.leave();
  });

  test('without a mail server, whoever invites gets the link to copy', async () => {
    const owner = await fixtures.user();
    const org = await fixtures.workspace(owner);
    const visitor = await as(owner);
    const { page } = visitor;
    await visitor.open(`/workspaces/${org}/invitations?create=true`);
    await page.getByLabel('E-mail address').fill('eve@example.com');
    await page.getByRole('button', { name: 'Make the invitation' }).click();
    const dialog = page.getByRole('dialog', { name: 'Copy the link and send it' });
    await dialog.getByRole('button', { name: 'Copy the link' }).click();
    await dialog.getByText('Copied.').waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    assert.match(String(copied), /\/invitations\/[\w-]+\?token=[\w-]+$/);
    await visitor.isClean();
    await visitor.leave();
  });

  test('a workspace is created by keys alone; a name that is refused says so at its field', async () => {
    const visitor = await as(await fixtures.user());
    const { page } = visitor;
    await visitor.open('/');
    await page.getByRole('main').getByRole('link', { name: 'New workspace' }).press('Enter');
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    await page.keyboard.type('x'.repeat(101));
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').locator('.text-wrong').first().waitFor();
    visitor.expectErrors(/422/);
    await page.getByRole('dialog').getByLabel('Name').fill('Harbour');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Harbour' }).waitFor();
    await visitor.leave();
  });

  test('an invitation is accepted by the link of its mail, and declined on the first page', async () => {
    const user = await fixtures.user();
    const owner = await fixtures.user();
    const org = await fixtures.workspace(owner, { name: 'Northwind' });
    const id = await fixtures.invitation(org, { email: user.email, by: owner });
    const other = await fixtures.workspace(owner, { name: 'Harbour' });
    const declined = await fixtures.invitation(other, { email: user.email });
    const visitor = await as(user);
    const { page } = visitor;
    const link = new URL(harness.inviteLink(id, 1));
    await visitor.open(link.pathname + link.search);
    await page.getByRole('heading', { name: 'Invitation to Northwind' }).waitFor();
    await visitor.isClean();
    await page.getByRole('button', { name: 'Accept' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Northwind' }).waitFor();
    await visitor.open('/');
    await page.getByRole('button', { name: 'Decline: Harbour' }).click();
    await page.getByRole('status').getByText('You have declined Harbour.').waitFor();
    const { status } = await db.one<{ status: string }>(
      sql`select status from invitation where id = ${declined}`,
    );
    assert.equal(status, 'declined');
    await visitor.leave();
  });

  test('an invitation to another address is explained, and refused in words', async () => {
    const id = await fixtures.invitation(await fixtures.workspace(await fixtures.user()));
    const user = await fixtures.user();
    const visitor = await as(user);
    await visitor.open(`/invitations/${id}`);
    await visitor.page.getByText(user.email).first().waitFor();
    await visitor.page.getByRole('button', { name: 'Try to accept it' }).click();
    await visitor.page.getByRole('alert').getByText('permission').waitFor();
    visitor.expectErrors(/403/);
    await visitor.leave();
  });

  test('where two factors are required, the refusal leads to the account', async () => {
    const owner = await fixtures.user({ twoFactor: true });
    const org = await fixtures.workspace(owner, { require2fa: true });
    const user = await fixtures.user();
    const visitor = await as(user);
    await visitor.open(`/invitations/${await fixtures.invitation(org, { email: user.email })}`);
    await visitor.page.getByRole('button', { name: 'Accept' }).click();
    await visitor.page.getByRole('link', { name: 'Enable a second factor' }).waitFor();
    visitor.expectErrors(/403/);
    await visitor.leave();
  });
} else test('the first page in a browser', { skip: noBrowser }, () => {});
