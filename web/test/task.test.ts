import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { taskServers } from '../../server/testing/fixtures/runner/task-servers.ts';
import type { Served } from '../../server/testing/harness/serve.ts';
import { until } from '../../server/testing/harness/until.ts';
import { noBrowser, openBrowser, sees, type Visit, visit } from './browser.ts';
import { signIn } from './sign-in.ts';

/** The page of a task, against a real server, worker and agent: what a person does, and sees live. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const tasks = await taskServers();
  const { db, owner, call, create } = tasks;
  let server = await tasks.serve();

  const taskPath = async (id: string): Promise<string> => {
    const { project_id } = await call<{ project_id: string }>(server, 'GET', `tasks/${id}`);
    return `/projects/${project_id}/tasks/${id}`;
  };
  const visitor = async (look: Partial<Visit> = {}) =>
    visit(browser, { url: server.url, cookie: await signIn({ db }, owner), ...look });

  test('from a message to a merge, in one window, without looking elsewhere', async () => {
    const { project_id } = await call<{ project_id: string }>(
      server,
      'GET',
      `tasks/${await create(server, 'Write notes/first.md')}`,
    );
    const { page, open, isClean, context } = await visitor();
    await open(`/projects/${project_id}`);
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
    assert.match(await page.title(), /^Merged: Write notes\/road\.md · Guildhall$/);
    await page.getByRole('link', { name: 'Code' }).click();
    await page.getByText('notes/road.md', { exact: true }).first().waitFor();
    await isClean();
    await context.close();
  });

  for (const { scheme, width } of [
    { scheme: 'light', width: 360 },
    { scheme: 'dark', width: 1280 },
  ] as const)
    test(`the page is clean, and approved by keyboard alone: ${scheme}, ${width} pixels wide`, async () => {
      const id = await create(server, 'Write notes/keys.md');
      await tasks.untilStatus(id, 'awaiting_approval');
      const { page, open, isClean, context } = await visitor({ scheme, width });
      await open(await taskPath(id));
      const button = page.getByRole('button', { name: 'Approve version 1' });
      await button.waitFor();
      await isClean();
      const overflow = Number(await page.evaluate('document.documentElement.scrollWidth'));
      assert.ok(overflow <= width, `${overflow} pixels`);
      const reached = () => button.evaluate((element) => element.matches(':focus'));
      for (let presses = 0; presses < 60 && !(await reached()); presses++)
        await page.keyboard.press('Tab');
      assert.ok(await reached(), 'the button is reached by Tab');
      await page.keyboard.press('Enter');
      await tasks.untilStatus(id, 'ready');
      await page.getByRole('button', { name: 'Open a pull request' }).waitFor();
      await isClean();
      await context.close();
    });

  test('what a build may cost stands beside the approval, and one click sets the cap', async () => {
    const first = await create(server, 'Write notes/before.md');
    await tasks.untilStatus(first, 'awaiting_approval');
    await call(server, 'POST', `tasks/${first}/plan/approve`);
    await tasks.untilStatus(first, 'ready');
    const id = await create(server, 'Write notes/estimated.md');
    await tasks.untilStatus(id, 'awaiting_approval');
    const { page, open, isClean, context } = await visitor({ width: 360 });
    await open(await taskPath(id));
    // On one line there is room for what the task waits for alone.
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText(/cost .* to .*, half of them up to/).waitFor();
    await isClean();
    await page.getByRole('button', { name: 'Set the cap to $0.01' }).click();
    await until(
      'the cap is set',
      async () =>
        (await call<{ spend: { cap: string } }>(server, 'GET', `tasks/${id}`)).spend.cap === '0.01',
    );
    await page.getByRole('button', { name: /^Set the cap/ }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Approve version 1' }).waitFor();
    await isClean();
    await context.close();
  });

  test('a question of the agent is answered where it is asked', async () => {
    const id = await create(server, 'Write notes/asked.md [[ask]]');
    const { page, open, isClean, context } = await visitor();
    await open(await taskPath(id));
    await page.getByRole('button', { name: 'Thorough' }).click();
    await page.getByText('You have chosen: Thorough.').waitFor();
    await page.getByRole('button', { name: 'Approve version 1' }).waitFor();
    await isClean();
    await context.close();
  });

  test('a newer plan takes the approval away until it is read; the refusal of an old one is shown', async () => {
    const id = await create(server, 'Write notes/newer.md');
    await tasks.untilStatus(id, 'awaiting_approval');
    const { page, open, expectErrors, isClean, context } = await visitor();
    await open(await taskPath(id));
    await page.getByRole('button', { name: 'Approve version 1' }).waitFor();
    await page.getByRole('link', { name: 'Files' }).click();
    const revise = (version: number) =>
      fetch(`${server.url}/api/tasks/${id}/plan`, {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${owner.key}`,
          'content-type': 'application/json',
          'if-match': `"${version}"`,
        },
        body: JSON.stringify({ text: `# Plan ${version + 1}\n` }),
      });
    assert.equal((await revise(1)).status, 200);
    // The page still shows version 1: what it sends is refused, and nothing is approved.
    await page.getByRole('button', { name: 'Approve version 1' }).click();
    await page.getByRole('alert').waitFor();
    expectErrors(/412/);
    await page.getByText('A newer version of the plan has arrived').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Approve/ }).count(), 0);
    const { plan } = await call<{ plan: { approved_version?: number } }>(
      server,
      'GET',
      `tasks/${id}`,
    );
    assert.equal(plan.approved_version, undefined);
    await page.getByRole('link', { name: 'Plan' }).click();
    await page.getByRole('heading', { name: 'Plan 2' }).waitFor();
    await page.getByRole('button', { name: 'Approve version 2' }).click();
    await tasks.untilStatus(id, 'ready');
    await isClean();
    await context.close();
  });

  test('changes are requested with the open comments, and a plan is rejected', async () => {
    const id = await create(server, 'Write notes/changed.md');
    await tasks.untilStatus(id, 'awaiting_approval');
    await call(server, 'POST', `tasks/${id}/plan/comments`, {
      version: 1,
      start_line: 1,
      text: 'Which notes?',
    });
    const { page, open, isClean, context } = await visitor();
    await open(await taskPath(id));
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
    await tasks.untilStatus(id, 'cancelled');
    await page.getByText('We keep the notes elsewhere.').waitFor();
    await isClean();
    await context.close();
  });

  test('lines of the code are commented on, and the comments sent as one message', async () => {
    const id = await create(server, 'Write notes/lines.md');
    await tasks.untilStatus(id, 'awaiting_approval');
    await call(server, 'POST', `tasks/${id}/plan/approve`);
    await tasks.untilStatus(id, 'ready');
    const { page, open, isClean, context } = await visitor();
    await open(`${await taskPath(id)}?panel=code`);
    const line = page.getByRole('button', { name: 'Line 1', exact: true });
    await line.click();
    await page.getByRole('textbox', { name: 'Comment on line 1' }).fill('Begin with a heading.');
    await isClean();
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByText('not sent').waitFor();
    await isClean();
    await line.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('By keyboard.');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByRole('button', { name: 'Ask for changes (2)' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('By keyboard.').waitFor();
    await isClean();
    await dialog.getByRole('button', { name: 'Ask for changes (2)' }).click();
    await page.getByText('not sent').first().waitFor({ state: 'detached' });
    const messages = await call<{ text: string }[]>(server, 'GET', `tasks/${id}/messages`);
    const sent = messages.map(({ text }) => text).find((text) => text.includes('By keyboard.'));
    assert.match(sent ?? '', /on line 1 of "notes\/lines.md".*> Begin with a heading\./s);
    await isClean();
    await context.close();
  });

  test('a network that is cut and comes back: nothing is missing, nothing stands twice', async () => {
    const id = await create(server, 'Write notes/cut.md [[slow 3]]');
    const { page, open, context } = await visitor();
    await open(await taskPath(id));
    await page.getByText('The agent plans').waitFor();
    await context.setOffline(true);
    await tasks.untilStatus(id, 'awaiting_approval');
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Approve version 1' }).waitFor({ timeout: 60_000 });
    assert.equal(await page.getByText('The agent plans').count(), 1);
    await page.getByRole('button', { name: 'Approve version 1' }).click();
    await sees(page, 'I begin with the files of the plan.');
    assert.equal(await page.getByText('I begin with the files of the plan.').count(), 1);
    await context.close();
  });

  test('a network that is cut before the first events have been read: the page follows once it is back', async () => {
    const id = await create(server, 'Write notes/first-cut.md');
    await tasks.untilStatus(id, 'awaiting_approval');
    const { page, open, context, expectErrors } = await visitor();
    let refused = 0;
    const isCut = (url: URL) => url.pathname === `/api/tasks/${id}/events`;
    await page.route(isCut, (route) => {
      refused += 1;
      return route.abort('internetdisconnected');
    });
    await open(await taskPath(id));
    await page.getByRole('button', { name: 'Approve version 1' }).waitFor();
    // The client has given up, as it does after its retries, and the page has asked again.
    await until('the events were asked for again', () => refused > 4, 60_000);
    await page.unroute(isCut);
    await page.getByRole('button', { name: 'Approve version 1' }).click();
    await sees(page, 'I begin with the files of the plan.');
    assert.equal(await page.getByText('I begin with the files of the plan.').count(), 1);
    expectErrors(/ERR_INTERNET_DISCONNECTED/);
    await context.close();
  });

  test('the server restarts during a build: the page goes on by itself', async () => {
    const id = await create(server, 'Write notes/restart.md [[build:slow 4]]');
    await tasks.untilStatus(id, 'awaiting_approval');
    const { page, open, context } = await visitor();
    await open(await taskPath(id));
    await page.getByRole('button', { name: 'Approve version 1' }).click();
    await tasks.untilStatus(id, 'building');
    await page.getByText('The agent builds, ').waitFor();
    server = await restarted(server);
    await page.getByRole('button', { name: 'Open a pull request' }).waitFor({ timeout: 60_000 });
    assert.match(await page.title(), /^(\(\d+\+?\) )?Ready: /);
    await context.close();
  });

  async function restarted(old: Served): Promise<Served> {
    old.child.kill('SIGKILL');
    await once(old.child, 'exit');
    await tasks.expireLeases();
    return tasks.serve([], { PORT: new URL(old.url).port });
  }

  test('a session that ended elsewhere leads to the sign-in, and remembers the page', async () => {
    const id = await create(server, 'Write notes/ended.md');
    await tasks.untilStatus(id, 'awaiting_approval');
    const { page, open, context } = await visitor();
    const path = await taskPath(id);
    await open(path);
    await page.getByRole('button', { name: 'Approve version 1' }).waitFor();
    await db.many(
      sql`update session set ended_at = now() where user_id = ${owner.id} and ended_at is null`,
    );
    // What the page reads every ten seconds is refused.
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('return_to'), path);
    assert.equal(await tasks.status(id), 'awaiting_approval');
    await context.close();
  });

  test('five tabs of one browser open at most three streams, and all of them see what happens', async () => {
    const id = await create(server, 'Write notes/tabs.md');
    await tasks.untilStatus(id, 'awaiting_approval');
    const { context, page, open } = await visitor();
    const path = await taskPath(id);
    await open(path);
    const pages = [page];
    for (let more = 0; more < 4; more++) {
      const tab = await context.newPage();
      await tab.goto(path);
      pages.push(tab);
    }
    for (const tab of pages) await tab.getByRole('button', { name: 'Approve version 1' }).waitFor();
    await page.getByRole('button', { name: 'Approve version 1' }).click();
    for (const tab of pages) await tab.getByText('I begin with the files of the plan.').waitFor();
    const streams = async () => {
      const text = await (await fetch(server.metrics)).text();
      return Number(/^guildhall_event_streams\b[^ ]* (\d+)$/m.exec(text)?.[1]);
    };
    // Those of windows that were closed before may end a moment later.
    await until('one to three streams', async () => [1, 2, 3].includes(await streams()));
    await context.close();
  });
} else test('the page of a task in a browser', { skip: noBrowser }, () => {});
