import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { plannedTask } from '../../server/testing/fixtures/tasks/planned-task.ts';
import { until } from '../../server/testing/harness/until.ts';
import { NARROW, noBrowser, openBrowser, type Visit, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';

/** What a person writes to an agent, and reads of it, on the page of a task. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { db, events, fixtures, request, url } = harness;
  const { owner, project, task } = await plannedTask(fixtures, '# Plan\n\nWrite the notes.\n');
  const path = `/projects/${project}/tasks/${task}`;
  const visitor = async (look: Partial<Visit> = {}) =>
    visit(browser, { url, cookie: await signIn(harness, owner), ...look });
  const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) });

  test('a task is begun from anywhere with files, a model, a cap and a title, and what was typed survives a reload', async () => {
    const { page, open, isClean, leave } = await visitor();
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
    const { body } = await request('GET', `/api/tasks/${id}`, { key: owner.key });
    assert.equal(body.spend.cap, '2.50');
    assert.ok(body.model);
    await open('/new-task');
    assert.equal(await message.inputValue(), '', 'what was sent is no draft any more');
    await leave();
  });

  test('before the project is known nothing is sent, and what was typed stays', async () => {
    const { page, open, leave } = await visitor();
    const known = Promise.withResolvers<void>();
    await page.route('**/api/projects', async (route) => {
      await known.promise;
      await route.continue();
    });
    await open('/new-task');
    const message = page.getByLabel('What is to be built?');
    await message.fill('Write notes/early.md');
    await message.press('Control+Enter');
    const start = page.getByRole('button', { name: 'Start the task' });
    assert.equal(await start.isDisabled(), true);
    assert.equal(await message.inputValue(), 'Write notes/early.md');
    known.resolve();
    await start.click();
    await page.getByRole('heading', { level: 1, name: 'Write notes/early.md' }).waitFor();
    await leave();
  });

  test('the project that is proposed stays when another one is changed meanwhile', async () => {
    const other = await fixtures.project({ userId: owner.id });
    await db.many(sql`update project set updated_at = now() where id = ${project}`);
    const { page, open, leave } = await visitor();
    await page.clock.install();
    await open('/new-task');
    const field = page.getByLabel('Project', { exact: true });
    await until('one is proposed', async () => (await field.inputValue()) === project);
    await db.many(sql`
      update project set updated_at = now() + interval '1 minute' where id = ${other}`);
    // As a person who comes back to the tab: what is older than ten seconds is read again.
    await page.clock.fastForward('00:11');
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
    await field.locator(`option:first-child[value="${other}"]`).waitFor({ state: 'attached' });
    assert.equal(await field.inputValue(), project);
    await db.many(sql`delete from project where id = ${other}`);
    await leave();
  });

  test('a file whose name is refused says which character of it, and is not attached', async () => {
    const { page, open, expectErrors, leave } = await visitor();
    await open('/new-task');
    await page.getByLabel('Project', { exact: true }).selectOption(project);
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Attach' }).click();
    await (await chooser).setFiles([file('notes\u202Etxt.exe')]);
    await page.getByText(/(?<!\.)filename: .*U\+202E/).waitFor();
    assert.equal(await page.getByText('The server has not taken it').count(), 0);
    expectErrors(/422/);
    await leave();
  });

  test('the same field is on Home, behind c, which letters of a text are not, and in the palette', async () => {
    const { page, open, leave } = await visitor();
    await open('/');
    const message = page.getByLabel('What is to be built?');
    await message.fill('cc');
    assert.equal(new URL(page.url()).pathname, '/');
    await open(`/projects/${project}/settings`);
    await page.keyboard.press('c');
    await page.getByRole('heading', { level: 1, name: 'New task' }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('project'), project);
    assert.equal(await message.inputValue(), 'cc', 'the draft is that of Home');
    await message.and(page.locator(':focus')).waitFor();
    await message.fill('');
    await open('/');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('new task');
    await page.getByRole('option', { name: 'New task' }).click();
    await page.getByRole('heading', { level: 1, name: 'New task' }).waitFor();
    await leave();
  });

  test('the conversation opens at its end and follows it, unless its reader has gone up; steps are folded', async () => {
    await events.log.acquire(task, 1n, 'a worker');
    const say = (...texts: string[]) =>
      events.log.append(
        task,
        1n,
        texts.map((text) => ({ type: 'message', payload: { messageId: text, text } })),
      );
    await say(...Array.from({ length: 400 }, (_, index) => `Message ${index}.`));
    await events.log.append(
      task,
      1n,
      Array.from({ length: 12 }, (_, index) => ({
        type: 'tool_call',
        payload: {
          toolCallId: `t${index}`,
          title: `Step ${index}`,
          // The agent ends before this one does.
          status: index === 3 ? 'in_progress' : 'completed',
        },
      })),
    );
    await events.log.append(task, 1n, [{ type: 'turn_ended', payload: { state: 'failed' } }]);
    const { page, open, isClean, leave } = await visitor();
    await open(path);
    const talk = page.getByRole('region', { name: 'Conversation' });
    const latest = page.getByRole('button', { name: 'Jump to latest' });
    const isSeen = (text: string) =>
      talk
        .getByText(text, { exact: true })
        .last()
        .evaluate((element) => {
          const { top, bottom } = element.getBoundingClientRect();
          const frame = element.closest('[tabindex="0"]')?.getBoundingClientRect();
          return frame !== undefined && bottom > frame.top && top < frame.bottom;
        });
    await until('it opens at its end', () => isSeen('This turn failed.'));
    await talk.getByText('12 steps').click();
    await talk.getByText('Step 3', { exact: true }).waitFor();
    await talk.getByText('interrupted', { exact: true }).waitFor({ state: 'attached' });
    assert.equal(await talk.getByText('in_progress', { exact: true }).count(), 0);
    const beyond = "const m = document.querySelector('main'); m.scrollHeight - m.clientHeight";
    assert.equal(await page.evaluate(beyond), 0, 'what is read scrolls, not the page around it');
    await until('the end is shown', () => isSeen('Step 11'));
    await say('The first news.');
    await talk.getByText('The first news.').waitFor();
    await until('it is followed', () => isSeen('The first news.'));
    // What becomes smaller and grows again, both before it is drawn, moves the reader as well.
    await page.evaluate(`{
      const { style, parentElement } = document.querySelector('[aria-label="Conversation"]');
      style.height = '9px';
      parentElement.scrollTop;
      style.height = '';
      style.paddingBottom = '99px';
    }`);
    await until('it is followed on', () => isSeen('The first news.'));
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
    await leave();
  });

  test('on a phone, chat, plan and code are tabs, and the bar is one line', async () => {
    const { page, open, leave, isCleanInEveryLook } = await visitor(NARROW);
    await open(path);
    await page.getByRole('heading', { name: 'Plan', exact: true }).waitFor();
    const bar = page.getByRole('region', { name: 'What the task waits for' });
    const { height } = (await bar.boundingBox()) ?? { height: 0 };
    assert.ok(height > 0 && height < 60, `${height} pixels`);
    await isCleanInEveryLook();
    await page.getByRole('link', { name: 'Chat' }).click();
    await page.getByLabel('Message to the agent').fill('From the train');
    await isCleanInEveryLook();
    await page.getByRole('link', { name: 'Code' }).click();
    await page.getByRole('region', { name: 'Code' }).waitFor();
    await bar.getByRole('button', { name: 'Other ways on' }).click();
    await page.getByRole('menuitem', { name: 'Read the plan' }).click();
    await page.getByRole('region', { name: 'Plan' }).waitFor();
    await page.getByRole('link', { name: 'Chat' }).click();
    assert.equal(await page.getByLabel('Message to the agent').inputValue(), 'From the train');
    await leave();
  });
} else test('the conversation of a task in a browser', { skip: noBrowser }, () => {});
