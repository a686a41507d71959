import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { until } from '../../server/testing/harness/until.ts';
import { NARROW, noBrowser, openBrowser, sees, type Visit, visit } from './browser.ts';
import { taskServer } from './task-server.ts';

/** The page of a task, against a real server, worker and agent: what a person does, and sees live. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const tasks = await taskServer();
  const { call, create, db, owner, project, untilStatus, url } = tasks;
  await db.many(sql`update app_user set name = 'Ada Byron' where id = ${owner.id}`);

  const visitor = async (look: Partial<Visit> = {}) =>
    visit(browser, { url, cookie: await signIn({ db }, owner), ...look });

  test('from a message to a merge, in one window, without looking elsewhere', async () => {
    const { page, open, leave } = await visitor();
    await open(`/projects/${project}`);
    await page.getByLabel('What is to be built?').fill('Write notes/road.md');
    await page.getByLabel('Branch to begin with').fill('main');
    await page.getByRole('button', { name: 'Start the task' }).click();
    await page.getByRole('heading', { level: 1, name: 'Write notes/road.md' }).waitFor();
    await page.getByRole('button', { name: 'Approve version 1' }).click();
    await sees(page, 'I begin with the files of the plan.');
    await page.getByRole('button', { name: 'Open a pull request' }).click();
    const bar = page.getByRole('region', { name: 'What the task waits for' });
    await bar.getByRole('button', { name: 'Merge into main (production)' }).click();
    const dialog = page.getByRole('dialog', { name: 'Merge into main (production)?' });
    await dialog.getByRole('button', { name: 'Merge into main' }).click();
    await page.getByText('The change is merged.').waitFor();
    for (const done of ['Open a pull request', 'Merge into main'])
      assert.equal(await page.getByRole('button', { name: done }).count(), 0, done);
    // The tab hears of it by another answer than the bar.
    const title = /^(\(\d+\+?\) )?Merged: Write notes\/road\.md · Guildhall$/;
    await until('the tab says so', async () => title.test(await page.title()));
    await page.getByRole('link', { name: 'Code' }).click();
    await page.getByText('notes/road.md', { exact: true }).first().waitFor();
    await leave();
  });

  test('the page is clean, and approved by keyboard alone', async () => {
    const { id, path } = await create('Write notes/keys.md');
    await untilStatus(id, 'awaiting_approval');
    const { page, open, isCleanInEveryLook, leave } = await visitor(NARROW);
    await open(path);
    const button = page.getByRole('button', { name: 'Approve version 1' });
    await button.waitFor();
    await isCleanInEveryLook();
    const reached = () => button.evaluate((element) => element.matches(':focus'));
    for (let presses = 0; presses < 60 && !(await reached()); presses++)
      await page.keyboard.press('Tab');
    assert.ok(await reached(), 'the button is reached by Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Open a pull request' }).waitFor();
    assert.equal(await tasks.status(id), 'ready');
    const bar = page.getByRole('region', { name: 'What the task waits for' });
    await bar.and(page.locator(':focus')).waitFor();
    await leave();
  });

  test('changes are requested with the open comments, and a plan is rejected', async () => {
    const { id, path } = await create('Write notes/changed.md');
    await untilStatus(id, 'awaiting_approval');
    await call('POST', `tasks/${id}/plan/comments`, {
      version: 1,
      start_line: 1,
      text: 'Which notes?',
    });
    const { page, open, isClean, leave } = await visitor();
    await open(path);
    await page.getByText('One open comment goes along.').waitFor();
    await page.getByRole('button', { name: 'Ask for changes (1)' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('One open comment goes along.').waitFor();
    await dialog.getByText('Which notes?').waitFor();
    await isClean();
    await dialog.getByRole('button', { name: 'Ask for changes (1)' }).click();
    await page.getByRole('button', { name: 'Approve version 2' }).waitFor();
    await page.getByText('Change the plan as the comments say.').first().waitFor();
    await page.getByRole('button', { name: 'Reject' }).click();
    await dialog.getByLabel('Why?').fill('We keep the notes elsewhere.');
    await dialog.getByRole('button', { name: 'Reject the plan' }).click();
    await untilStatus(id, 'cancelled');
    await page.getByText('We keep the notes elsewhere.').waitFor();
    await leave();
  });

  for (const [button, field] of [
    ['Ask for changes', 'What is to change?'],
    ['Reject', 'Why?'],
  ] as const)
    test(`${button}: a plan that is approved in another tab meanwhile keeps what was written, and says so`, async () => {
      const { id, path } = await create('Write notes/overtaken.md');
      await untilStatus(id, 'awaiting_approval');
      const { page, open, leave } = await visitor();
      await open(path);
      await page.getByRole('button', { name: button }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(field).fill('With a heading.');
      await call('POST', `tasks/${id}/plan/approve`);
      await dialog.getByText('it was answered elsewhere').waitFor();
      assert.equal(await dialog.getByLabel(field).inputValue(), 'With a heading.');
      assert.ok(await dialog.getByRole('button', { name: button }).isDisabled());
      await untilStatus(id, 'ready');
      await leave();
    });

  test('a plan that changes under the pointer is not approved by a click that was meant for the one before', async () => {
    const { id, path } = await create('Write notes/swapped.md');
    await untilStatus(id, 'awaiting_approval');
    const { page, open, leave } = await visitor();
    await open(path);
    await page.getByRole('button', { name: 'Approve version 1' }).waitFor();
    await page.evaluate(`
      globalThis.offered = [];
      new MutationObserver(() => {
        const acts = document.querySelector('[data-acts]')?.textContent;
        if (acts && offered.at(-1) !== acts) offered.push(acts);
      }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
    const revised = await fetch(`${url}/api/tasks/${id}/plan`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${owner.key}`,
        'content-type': 'application/json',
        'if-match': '"1"',
      },
      body: JSON.stringify({ text: '# Another plan' }),
    });
    assert.equal(revised.status, 200);
    await page.getByRole('button', { name: 'Approve version 2' }).waitFor();
    const offered = (await page.evaluate('offered')) as string[];
    const [gone, back] = [/Read version 2/, /Approve version 2/].map((act) =>
      offered.findIndex((acts) => act.test(acts)),
    ) as [number, number];
    assert.ok(gone >= 0 && gone < back, offered.join('; '));
    await leave();
  });

  test('a text that is too long is refused as it is, and no part of it is cut off', async () => {
    const { id, path } = await create('Write notes/long.md');
    await untilStatus(id, 'awaiting_approval');
    const { page, open, expectErrors, leave } = await visitor();
    await open(path);
    const paste = async (text: string) => {
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
      await page.keyboard.press('ControlOrMeta+V');
    };
    const message = page.getByLabel('Message to the agent');
    await message.focus();
    await paste('m'.repeat(100_001));
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Write at most 100000 characters.').waitFor();
    assert.equal((await message.inputValue()).length, 100_001);
    expectErrors(/422/);
    await page.getByRole('button', { name: 'Ask for changes' }).click();
    const changes = page.getByRole('dialog').getByLabel('What is to change?');
    await changes.focus();
    await paste('c'.repeat(20_001));
    await page.getByRole('dialog').getByRole('button', { name: 'Ask for changes' }).click();
    await page.getByText('Write at most 20000 characters.').waitFor();
    assert.equal((await changes.inputValue()).length, 20_001);
    assert.equal(await tasks.status(id), 'awaiting_approval');
    await leave();
  });

  test('a task that is deleted while it is open says so, offers nothing, and keeps what was typed in sight', async () => {
    const { id, path } = await create('Write notes/deleted.md');
    await untilStatus(id, 'awaiting_approval');
    const { page, open, context } = await visitor();
    await open(path);
    await page.getByLabel('Message to the agent').fill('What I have typed.');
    const approve = page.getByRole('button', { name: 'Approve version 1' });
    await approve.waitFor();
    await call('DELETE', `tasks/${id}`);
    await page.getByText('This is not there any more').first().waitFor();
    await approve.waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('button', { name: /Approve|Ask for|Reject/ }).count(), 0);
    assert.equal(await page.getByLabel('Message to the agent').inputValue(), 'What I have typed.');
    await context.close();
  });

  test('a server that is away takes no plan from the screen', async () => {
    const { id, path } = await create('Write notes/away.md');
    await untilStatus(id, 'awaiting_approval');
    const { page, open, context } = await visitor();
    await open(path);
    const plan = page.getByRole('heading', { name: 'Steps' });
    // In the conversation and beside it, each when its text has been read.
    await plan.nth(1).waitFor();
    await context.route('**/api/**', (route) => route.abort());
    const refused = page.waitForEvent('requestfailed', (request) => /\/plan$/.test(request.url()));
    const approve = page.getByRole('button', { name: 'Approve version 1' });
    await approve.click();
    await page.getByText('There was no answer').first().waitFor();
    await refused;
    await until('everything was read again', () => approve.isEnabled());
    assert.equal(await plan.count(), 2);
    assert.equal(await tasks.status(id), 'awaiting_approval');
    await context.close();
  });

  test('a network that is cut and comes back: nothing is missing, nothing stands twice', async () => {
    const { id, path } = await create('Write notes/cut.md [[slow 3]]');
    const { page, open, context } = await visitor();
    await open(path);
    await page.getByText('The agent plans').waitFor();
    await context.setOffline(true);
    await untilStatus(id, 'awaiting_approval');
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Approve version 1' }).waitFor({ timeout: 60_000 });
    assert.equal(await page.getByText('The agent plans').count(), 1);
    await page.getByRole('button', { name: 'Approve version 1' }).click();
    await sees(page, 'I begin with the files of the plan.');
    assert.equal(await page.getByText('I begin with the files of the plan.').count(), 1);
    await context.close();
  });

  test('the server restarts during a build: the page goes on by itself', async () => {
    const { id, path } = await create('Write notes/restart.md [[build:slow 4]]');
    await untilStatus(id, 'awaiting_approval');
    const { page, open, context } = await visitor();
    await open(path);
    await page.getByRole('button', { name: 'Approve version 1' }).click();
    await untilStatus(id, 'building');
    await page.getByText('The agent builds, ').waitFor();
    await tasks.restart();
    await page.getByRole('button', { name: 'Open a pull request' }).waitFor({ timeout: 60_000 });
    const title = /^(\(\d+\+?\) )?Ready: /;
    await until('the tab says so', async () => title.test(await page.title()));
    await context.close();
  });

  test('a message that is being typed outlives the end of a build and a reload; signing out leaves nothing', async () => {
    const { id, path } = await create('Write notes/typed.md');
    await untilStatus(id, 'awaiting_approval');
    const { page, open, context } = await visitor();
    await open(path);
    const field = page.getByLabel('Message to the agent');
    await field.fill('And a heading, plea');
    await page.getByRole('button', { name: 'Approve version 1' }).click();
    await page.getByRole('button', { name: 'Open a pull request' }).waitFor();
    assert.equal(await field.inputValue(), 'And a heading, plea');
    await page.reload();
    await field.waitFor();
    assert.equal(await field.inputValue(), 'And a heading, plea');
    await page.getByRole('button', { name: 'Attach' }).waitFor();
    const kept = () => page.evaluate('JSON.stringify(localStorage)');
    assert.match(String(await kept()), /And a heading, plea/);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.doesNotMatch(String(await kept()), /And a heading/);
    await context.close();
  });

  test('who wrote, answered, approved and merged stands there by name, which leads to the member; a merge is one line', async () => {
    const { path } = await create('Write notes/who.md [[ask]]');
    const { page, open, isClean, context } = await visitor();
    await open(path);
    await page.getByRole('button', { name: 'Thorough' }).click();
    await page.getByText('You have chosen: Thorough.').waitFor();
    await page.getByRole('button', { name: 'Approve version 1' }).click();
    await page.getByRole('button', { name: 'Open a pull request' }).click();
    await page.getByRole('button', { name: 'Merge into main (production)' }).last().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Merge into main' }).click();
    await page.getByText('The change is merged.').waitFor();
    const talk = page.getByRole('region', { name: 'Conversation' });
    for (const act of [
      /^AB\s*Ada Byron answered “Thorough”/,
      /^AB\s*Ada Byron approved version 1/,
      /Ada Byron opened pull request #\d+ into main/,
      /Ada Byron merged into main\. Deploy to production/,
    ])
      await talk.getByRole('paragraph').filter({ hasText: act }).waitFor();
    assert.equal(await talk.getByText(/^Merge into/).count(), 0);
    await isClean();
    await talk.getByRole('link', { name: 'Ada Byron' }).last().click();
    await page.waitForURL((at) => at.searchParams.get('person') === owner.id);
    await page.getByRole('dialog').waitFor();
    await context.close();
  });

  test('a failed turn leads to its log', async () => {
    const { id, path } = await create('Write notes/fails.md [[fail]]');
    await untilStatus(id, 'failed');
    const { page, open, isClean, context } = await visitor();
    await open(path);
    const talk = page.getByRole('region', { name: 'Conversation' });
    await talk.getByText(/This turn failed/).waitFor();
    await isClean();
    await talk.getByRole('link', { name: 'See the log' }).click();
    await page.getByRole('heading', { name: 'Log' }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('panel'), 'pod');
    await context.close();
  });

  test('a paused task says whose cap is reached, and goes on by itself once it is raised in place', async () => {
    const { id, path } = await create('Write notes/capped.md [[cost 0.40]]');
    await untilStatus(id, 'awaiting_approval');
    await call('PUT', `tasks/${id}`, { spend_cap: '0.01' });
    await call('POST', `tasks/${id}/plan/approve`);
    await untilStatus(id, 'paused');
    const { page, open, isClean, leave } = await visitor();
    await open(path);
    await page.getByText('The task has reached its own spending cap, $0.01.').waitFor();
    await isClean();
    await page.getByRole('button', { name: 'Raise the cap' }).click();
    await page.getByRole('dialog').getByLabel('Spending cap in USD').fill('5.00');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Open a pull request' }).waitFor();
    await db.many(sql`
      update task set status = 'queued' where id = ${id}`);
    await db.many(sql`
      update task set status = 'paused', status_reason = 'insufficient_funds' where id = ${id}`);
    await page.getByRole('button', { name: 'Add funds' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add funds' });
    await dialog.getByText('Available', { exact: true }).waitFor();
    await dialog.locator('input:focus, select:focus').waitFor();
    await leave();
  });

  test('the log is read when it is opened; the pod is started and stopped, but not by whoever may only read', async () => {
    const { id, path } = await create('Write notes/pod.md');
    await untilStatus(id, 'awaiting_approval');
    const viewer = await tasks.fixtures.user();
    await tasks.fixtures.member(tasks.workspace, viewer, 'viewer');
    const reader = await visit(browser, { url, cookie: await signIn({ db }, viewer) });
    await reader.open(`${path}?panel=pod`);
    await reader.page.getByText('The log is empty').waitFor();
    assert.equal(await reader.page.getByRole('button', { name: /the pod$/ }).count(), 0);
    await reader.leave();

    await db.many(sql`
      insert into pod_log (pod_id, content)
      select id, 'agent: a warning <b>of</b> the library' from pod where task_id = ${id}
      on conflict (pod_id) do update set content = excluded.content`);
    const { page, open, isCleanInEveryLook, leave } = await visitor(NARROW);
    const reads: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/pod/log')) reads.push(request.url());
    });
    await open(path);
    await page.getByRole('button', { name: 'Approve version 1' }).waitFor();
    assert.deepEqual(reads, []);
    await page.getByRole('link', { name: 'Pod', exact: true }).press('Enter');
    await page.getByText('agent: a warning <b>of</b> the library').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('panel'), 'pod');
    await isCleanInEveryLook();
    // Between turns, a pod is paused.
    await page.getByRole('button', { name: 'Start the pod' }).press('Enter');
    await page.getByText('Running', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop the pod' }).press('Enter');
    await page.getByText('Paused', { exact: true }).waitFor();
    await leave();
  });
} else test('the page of a task in a browser', { skip: noBrowser }, () => {});
