import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { openEventLog } from '../../server/tasks/events/open-event-log.ts';
import { taskServers } from '../../server/testing/fixtures/runner/task-servers.ts';
import { until } from '../../server/testing/harness/until.ts';
import { noBrowser, openBrowser, type Visit, visit } from './browser.ts';
import { signIn } from './sign-in.ts';

/** What a person writes to an agent, reads of it, and sees of other people, on the page of a task. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const tasks = await taskServers();
  const { db, owner, call, create } = tasks;
  await db.many(sql`update app_user set name = 'Ada Byron' where id = ${owner.id}`);
  const server = await tasks.serve();
  const { project_id: project } = await call<{ project_id: string }>(
    server,
    'GET',
    `tasks/${await create(server, 'Write notes/first.md')}`,
  );
  const pathOf = (id: string) => `/projects/${project}/tasks/${id}`;
  const visitor = async (look: Partial<Visit> = {}) =>
    visit(browser, { url: server.url, cookie: await signIn({ db }, owner), ...look });
  const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) });

  test('a task is begun from anywhere with files, a model, a cap and a title, and what was typed survives a reload', async () => {
    const { page, open, isClean, context } = await visitor();
    await open('/new-task');
    const message = page.getByLabel('What is to be built?');
    await message.fill('Write notes/anywhere.md');
    await page.reload();
    assert.equal(await message.inputValue(), 'Write notes/anywhere.md');
    await page.getByText('A person approves the plan').waitFor();
    await page.getByLabel('Project', { exact: true }).selectOption(project);
    await page.getByLabel('Model').selectOption({ index: 1 });
    await page.getByLabel('Spending cap in USD').fill('2.50');
    await page.getByLabel('Title').fill('Notes from anywhere');
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Attach' }).click();
    await (await chooser).setFiles([file('chosen.txt'), file('too-much.txt')]);
    // As text: these tests have no types of a browser.
    await page.evaluate(`{
      const field = document.querySelector('textarea');
      const files = (name) => {
        const all = new DataTransfer();
        all.items.add(new File([name], name));
        return all;
      };
      const options = { bubbles: true, cancelable: true };
      field.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: files('pasted.txt'), ...options }));
      for (const type of ['dragover', 'drop'])
        field.dispatchEvent(new DragEvent(type, { dataTransfer: files('dropped.txt'), ...options }));
    }`);
    await page.getByText('dropped.txt').waitFor();
    await page.getByRole('button', { name: 'Remove too-much.txt' }).click();
    await page.getByRole('progressbar').first().waitFor({ state: 'detached' });
    await isClean();
    await page.getByRole('button', { name: 'Start the task' }).click();
    await page.getByRole('heading', { level: 1, name: 'Notes from anywhere' }).waitFor();
    for (const name of ['chosen.txt', 'pasted.txt', 'dropped.txt'])
      await page.getByRole('link', { name }).waitFor();
    assert.equal(await page.getByText('too-much.txt').count(), 0);
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const task = await call<{ model?: string; spend: { cap?: string } }>(
      server,
      'GET',
      `tasks/${id}`,
    );
    assert.equal(task.spend.cap, '2.50');
    assert.ok(task.model);
    await open('/new-task');
    assert.equal(await message.inputValue(), '', 'what was sent is no draft any more');
    await context.close();
  });

  test('the same field is on Home, behind c, which letters of a text are not, and in the palette', async () => {
    const { page, open, isClean, context } = await visitor();
    await open('/');
    const message = page.getByLabel('What is to be built?');
    await message.fill('cc');
    assert.equal(new URL(page.url()).pathname, '/');
    await isClean();
    await open(`/projects/${project}/settings`);
    await page.keyboard.press('c');
    await page.getByRole('heading', { level: 1, name: 'New task' }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('project'), project);
    assert.equal(await message.inputValue(), 'cc', 'the draft is that of Home');
    assert.ok(await message.evaluate((element) => element.matches(':focus')));
    await message.fill('');
    await open('/');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('new task');
    await page.getByRole('option', { name: 'New task' }).click();
    await page.getByRole('heading', { level: 1, name: 'New task' }).waitFor();
    await context.close();
  });

  test('a message that is being typed outlives the end of a build and a reload; signing out leaves nothing', async () => {
    const id = await create(server, 'Write notes/typed.md');
    await tasks.untilStatus(id, 'awaiting_approval');
    const { page, open, isClean, context } = await visitor();
    await open(pathOf(id));
    const field = page.getByLabel('Message to the agent');
    await field.fill('And a heading, plea');
    await page.getByRole('button', { name: 'Approve version 1' }).click();
    await page.getByRole('button', { name: 'Open a pull request' }).waitFor();
    assert.equal(await field.inputValue(), 'And a heading, plea');
    await page.reload();
    await field.waitFor();
    assert.equal(await field.inputValue(), 'And a heading, plea');
    await page.getByRole('button', { name: 'Attach' }).waitFor();
    await isClean();
    const kept = () => page.evaluate('JSON.stringify(localStorage)');
    assert.match(String(await kept()), /And a heading, plea/);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.doesNotMatch(String(await kept()), /And a heading/);
    await context.close();
  });

  test('who wrote, answered, approved and merged stands there by name, which leads to the member; a merge is one line', async () => {
    const id = await create(server, 'Write notes/who.md [[ask]]');
    const { page, open, isClean, context } = await visitor();
    await open(pathOf(id));
    await page.getByRole('button', { name: 'Thorough' }).click();
    await page.getByRole('button', { name: 'Approve version 1' }).click();
    await page.getByRole('button', { name: 'Open a pull request' }).click();
    await page.getByRole('button', { name: 'Merge into main (production)' }).last().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Merge into main' }).click();
    await page.getByText('The change is merged.').waitFor();
    const talk = page.getByRole('region', { name: 'Conversation' });
    for (const act of [
      /^AB\s*Ada Byron answered “Thorough”/,
      /^AB\s*Ada Byron approved version 1/,
      /Ada Byron opened pull request #1 into main/,
      /Ada Byron merged into main\. Deploy to production/,
    ])
      await talk.getByRole('paragraph').filter({ hasText: act }).waitFor();
    assert.equal(await talk.getByText(/^Merge into/).count(), 0);
    await isClean();
    await talk.getByRole('link', { name: 'Ada Byron' }).last().click();
    await page.waitForURL((url) => url.searchParams.get('person') === owner.id);
    await page.getByRole('dialog').waitFor();
    await context.close();
  });

  test('a failed turn leads to its log', async () => {
    const id = await create(server, 'Write notes/fails.md [[fail]]');
    await tasks.untilStatus(id, 'failed');
    const { page, open, isClean, context } = await visitor();
    await open(pathOf(id));
    const talk = page.getByRole('region', { name: 'Conversation' });
    await talk.getByText(/This turn failed/).waitFor();
    await isClean();
    await talk.getByRole('link', { name: 'See the log' }).click();
    await page.getByRole('heading', { name: 'Log' }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('panel'), 'pod');
    await context.close();
  });

  test('the conversation opens at its end and follows it, unless its reader has gone up; steps are folded', async () => {
    const id = await create(server, 'Write notes/long.md');
    await tasks.untilStatus(id, 'awaiting_approval');
    const log = openEventLog({ urls: [tasks.databaseUrl] });
    await log.acquire(id, 1_000n, 'another');
    const say = (...texts: string[]) =>
      log.append(
        id,
        1_000n,
        texts.map((text) => ({ type: 'message', payload: { messageId: text, text } })),
      );
    await say(...Array.from({ length: 400 }, (_, index) => `Message ${index}.`));
    await log.append(
      id,
      1_000n,
      Array.from({ length: 12 }, (_, index) => ({
        type: 'tool_call',
        payload: { toolCallId: `t${index}`, title: `Step ${index}`, status: 'completed' },
      })),
    );
    const { page, open, isClean, context } = await visitor();
    await open(pathOf(id));
    const talk = page.getByRole('region', { name: 'Conversation' });
    const latest = page.getByRole('button', { name: 'Jump to latest' });
    await talk.getByText('12 steps').click();
    await talk.getByText('Step 3', { exact: true }).waitFor();
    const beyond = "const m = document.querySelector('main'); m.scrollHeight - m.clientHeight";
    assert.equal(await page.evaluate(beyond), 0, 'what is read scrolls, not the page around it');
    const isSeen = (text: string) =>
      talk
        .getByText(text, { exact: true })
        .last()
        .evaluate((element) => {
          const { top, bottom } = element.getBoundingClientRect();
          const frame = element.closest('[tabindex="0"]')?.getBoundingClientRect();
          return frame !== undefined && bottom > frame.top && top < frame.bottom;
        });
    await until('the end is shown', () => isSeen('Step 11'));
    await say('The first news.');
    await talk.getByText('The first news.').waitFor();
    await until('it is followed', () => isSeen('The first news.'));
    assert.equal(await latest.count(), 0);
    await talk.hover();
    await page.mouse.wheel(0, -600);
    await latest.waitFor();
    await say('The second news.');
    await talk.getByText('The second news.').waitFor();
    assert.equal(await isSeen('The second news.'), false, 'the reader is not moved');
    await isClean();
    await latest.click();
    await until('it is seen', () => isSeen('The second news.'));
    await latest.waitFor({ state: 'detached' });
    assert.ok((await talk.getByRole('listitem').count()) < 400, 'not all are drawn');
    await log.close();
    await context.close();
  });

  for (const scheme of ['light', 'dark'] as const)
    test(`on a phone, chat, plan and code are tabs, and the bar is one line: ${scheme}`, async () => {
      const id = await create(server, 'Write notes/phone.md');
      await tasks.untilStatus(id, 'awaiting_approval');
      const { page, open, isClean, context } = await visitor({ scheme, width: 320 });
      await open(pathOf(id));
      await page.getByRole('heading', { name: 'Plan', exact: true }).waitFor();
      const bar = page.getByRole('region', { name: 'What the task waits for' });
      const { height } = (await bar.boundingBox()) ?? { height: 0 };
      assert.ok(height > 0 && height < 60, `${height} pixels`);
      await isClean();
      await page.getByRole('link', { name: 'Chat' }).click();
      await page.getByLabel('Message to the agent').fill('From the train');
      await isClean();
      await page.getByRole('link', { name: 'Code' }).click();
      await page.getByRole('region', { name: 'Code' }).waitFor();
      await bar.getByRole('button', { name: 'Other ways on' }).click();
      await page.getByRole('menuitem', { name: 'Read the plan' }).click();
      await page.getByRole('region', { name: 'Plan' }).waitFor();
      await page.getByRole('link', { name: 'Chat' }).click();
      assert.equal(await page.getByLabel('Message to the agent').inputValue(), 'From the train');
      const overflow = Number(await page.evaluate('document.documentElement.scrollWidth'));
      assert.ok(overflow <= 320, `${overflow} pixels`);
      await context.close();
    });

  test('a paused task says whose cap is reached, and goes on by itself once it is raised in place', async () => {
    const id = await create(server, 'Write notes/capped.md [[cost 0.40]]');
    await tasks.untilStatus(id, 'awaiting_approval');
    await call(server, 'PUT', `tasks/${id}`, { spend_cap: '0.01' });
    await call(server, 'POST', `tasks/${id}/plan/approve`);
    await tasks.untilStatus(id, 'paused');
    const { page, open, isClean, context } = await visitor();
    await open(pathOf(id));
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
    await isClean();
    await context.close();
  });
} else test('the conversation of a task in a browser', { skip: noBrowser }, () => {});
