import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { openRepositories } from '../../server/runner/worker/repository.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { temporaryFolder } from '../../server/testing/fixtures/tasks/file-stores.ts';
import { startHarness } from '../../server/testing/harness/harness.ts';
import { until } from '../../server/testing/harness/until.ts';
import { DASHBOARD, NARROW, noBrowser, openBrowser, type Visit, visit } from './browser.ts';

/** The code of a task as people read it: its files, its commits, its lines, and their comments. */

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const ORDERS = `class SaleOrder(models.Model):
    """Orders that need an approval."""
    _inherit = 'sale.order'

    limit = 1000  # euros
    team = True

    def check(self):
        return self.amount_total > 1000
`;

if (noBrowser === false) {
  const browser = await openBrowser();
  const folder = await temporaryFolder();
  const harness = await startHarness({ env: { DATA_DIR: folder }, dashboard: DASHBOARD });
  const { db, fixtures, request, url } = harness;
  const repositories = openRepositories(join(folder, 'repositories'));
  const owner = await fixtures.user();
  const projectId = await fixtures.project({ userId: owner.id });

  /** A task whose work tree is filled with what the default branch has. */
  async function begun() {
    const taskId = await fixtures.task(projectId, owner);
    const workTree = join(folder, taskId);
    await mkdir(workTree);
    const place = { projectId, taskId, workTree };
    await repositories.checkOut(place);
    const write = async (path: string, content: string | Buffer) => {
      await mkdir(dirname(join(workTree, path)), { recursive: true });
      await writeFile(join(workTree, path), content);
    };
    const commit = async (message: string): Promise<string> =>
      ((await repositories.commit(place, message)) as { id: string }).id;
    return { taskId, write, commit, path: `/projects/${projectId}/tasks/${taskId}?panel=code` };
  }

  const before = await begun();
  await before.write('models/sale_order.py', ORDERS);
  await before.write('logo.png', Buffer.from(PNG, 'base64'));
  const base = await before.commit('Base');
  const gitDir = join(folder, 'repositories', projectId, 'main.git');
  execFileSync('git', ['-C', gitDir, 'update-ref', 'refs/heads/main', base]);

  /** Two commits: of code, and of an image, white space and a large file. */
  async function built() {
    const task = await begun();
    await task.write('models/sale_order.py', ORDERS.replace('= 1000', '= 2000'));
    const first = await task.commit('Raise the limit');
    const spaced = ORDERS.replace('= 1000', '= 2000').replace('    team', '  team');
    await task.write('models/sale_order.py', spaced);
    await task.write('logo.png', Buffer.concat([Buffer.from(PNG, 'base64'), Buffer.alloc(9)]));
    await task.write('data ü.sql', 'insert into line values (1);\n'.repeat(1_600));
    await task.commit('The rest');
    return { ...task, first };
  }

  const visitor = async (look: Partial<Visit> = {}) =>
    visit(browser, { url, cookie: await signIn({ db }, owner), ...look });

  const read = await built();

  test('files are read one by one, in colour, large ones on demand', async () => {
    const { page, open, isClean, isCleanInEveryLook, leave } = await visitor(NARROW);
    await open(read.path);
    const orders = page.getByRole('region', { name: 'models/sale_order.py', exact: true });
    await orders.locator('.text-code-keyword', { hasText: 'def' }).waitFor();
    // The part of a line that differs.
    await orders.locator('.bg-removed-mark', { hasText: /^1$/ }).waitFor();
    await orders.locator('.bg-added-mark', { hasText: /^2$/ }).waitFor();
    for (const side of ['before', 'after']) {
      const image = page.getByRole('img', { name: `logo.png ${side} the change` });
      await image.scrollIntoViewIfNeeded();
      await until(`the image ${side} is there`, () =>
        image.evaluate(
          (element) => (element as unknown as { naturalWidth: number }).naturalWidth === 1,
        ),
      );
    }
    const large = page.getByRole('region', { name: 'data ü.sql', exact: true });
    await large.getByText('A large change: 1,600 lines.').waitFor();
    await isCleanInEveryLook();
    await page.getByRole('combobox', { name: 'View' }).selectOption('Side by side');
    await orders.getByRole('button', { name: 'Line 5 before the change' }).waitFor();
    await isClean();
    await large.getByRole('button', { name: 'Show', exact: true }).click();
    await large
      .getByRole('button', { name: /^Line 1( |$)/ })
      .first()
      .waitFor();
    await leave();
  });

  test('one commit is shown as all of them are; white space is left out; both outlive a reload', async () => {
    const visiting = await visitor();
    const { page, open, leave } = visiting;
    await open(read.path);
    const orders = page.getByRole('region', { name: 'models/sale_order.py', exact: true });
    await orders.getByText('team = True').nth(1).waitFor();
    await page.getByRole('checkbox', { name: 'Ignore white space' }).check();
    await orders.getByText('team = True').nth(1).waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Commit' }).selectOption(read.first);
    await page.getByText('One file on').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('commit'), read.first);
    await page.reload();
    await page.getByText('One file on').waitFor();
    // A link from before the branch was rewritten.
    await open(`${read.path}&commit=${'abcd'.repeat(10)}`);
    await page.getByText('The task has no commit abcdabcd any more').waitFor();
    visiting.expectErrors(/404/);
    await page.getByRole('link', { name: 'Show all changes of the task' }).click();
    await page.getByText('3 files on').waitFor();
    await page.getByRole('combobox', { name: 'View' }).selectOption('Side by side');
    await page.setViewportSize({ width: 600, height: 800 });
    await page.getByText('There is no room here for both sides').waitFor();
    assert.equal(
      await page.getByRole('checkbox', { name: 'Ignore white space' }).isChecked(),
      true,
    );
    await leave();
  });

  test('a file that was viewed is folded, until its content changes', async () => {
    const { path, write, commit } = await built();
    const { page, open, context } = await visitor();
    await open(path);
    const orders = page.getByRole('region', { name: 'models/sale_order.py', exact: true });
    await orders.getByRole('checkbox', { name: 'Viewed' }).check();
    await page.getByText('1 of 3 viewed').waitFor();
    await page.reload();
    await page.getByText('1 of 3 viewed').waitFor();
    assert.equal(await orders.getByRole('button', { name: /^Line/ }).count(), 0);
    await write('models/sale_order.py', ORDERS.replace('= 1000', '= 3000'));
    await commit('Another limit');
    await page.reload();
    await orders.getByRole('button', { name: 'Line 5', exact: true }).waitFor();
    await page.getByText('0 of 3 viewed').waitFor();
    await context.close();
  });

  test('a link to lines shows them, in a file that was viewed as well', async () => {
    const { page, open, leave } = await visitor({ width: 1440 });
    await open(read.path);
    const large = page.getByRole('region', { name: 'data ü.sql', exact: true });
    await large.getByRole('checkbox', { name: 'Viewed' }).check();
    await open(`${read.path}&file=data+%C3%BC.sql&lines=L1200-1202`);
    const chosen = page.getByRole('button', { name: /^Line 120[012]$/, pressed: true });
    await chosen.nth(2).waitFor();
    await until('they are on the screen', async () => {
      const box = await chosen.first().boundingBox();
      return box !== null && box.y > 0 && box.y < 860;
    });
    await leave();
  });

  test('lines are chosen by dragging and by keys, and commented on; comments are kept, sent and outdated', async () => {
    const { path, taskId, write, commit } = await built();
    const { page, open, isClean, leave } = await visitor({ width: 1440 });
    await open(path);
    const orders = page.getByRole('region', { name: 'models/sale_order.py', exact: true });
    const line = (number: number) =>
      orders.getByRole('button', { name: `Line ${number}`, exact: true });
    await line(3).hover();
    await page.mouse.down();
    await line(5).hover();
    await page.mouse.up();
    const box = page.getByRole('textbox', { name: 'Comment on lines 3 to 5' });
    await box.fill('From the settings.');
    assert.equal(new URL(page.url()).searchParams.get('lines'), 'L3-5');
    // What was typed outlives a reload.
    await page.reload();
    await line(3).hover();
    await page.mouse.down();
    await line(5).hover();
    await page.mouse.up();
    assert.equal(await box.inputValue(), 'From the settings.');
    await isClean();
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByRole('article', { name: 'Comment on lines 3 to 5' }).waitFor();
    await page.getByText('not sent').waitFor();

    // The same by keyboard alone, from the first line of the file.
    await line(2).focus();
    for (const key of ['ArrowDown', 'ArrowDown', ...Array(3).fill('Shift+ArrowDown'), 'Enter'])
      await page.keyboard.press(key);
    await page.getByRole('textbox', { name: 'Comment on lines 4 to 5' }).waitFor();
    await page.keyboard.type('By keys.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: 'Comment on lines 4 to 5' }).waitFor();

    await page.getByRole('button', { name: 'Ask for changes (2)' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('models/sale_order.py, lines 3 to 5').waitFor();
    await dialog.getByLabel('What else is to change?').fill('Before Friday.');
    await isClean();
    await dialog.getByRole('button', { name: 'Ask for changes (2)' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Ask for changes/ }).waitFor({ state: 'detached' });
    await page.getByText('not sent').first().waitFor({ state: 'detached' });
    const { body: messages } = await request('GET', `/api/tasks/${taskId}/messages`, {
      key: owner.key,
    });
    assert.match(
      messages.at(-1).text,
      /^Before Friday\..*on lines 3 to 5 of "models\/sale_order\.py".*> From the settings\..*> By keys\./s,
    );

    // What was begun and not sent is found where its line is now, and is shown when that is gone.
    await page.getByRole('button', { name: 'Line 8', exact: true }).click();
    await page.getByRole('textbox', { name: 'Comment on line 8' }).fill('Of which currency?');
    await write('models/sale_order.py', `# Two\n# lines\n${ORDERS.replace('= 1000', '= 2000')}`);
    await commit('Two lines above');
    await page.reload();
    await page.getByText('models/sale_order.py, line 10').waitFor();
    await page.getByRole('button', { name: 'Go on writing' }).click();
    const moved = page.getByRole('textbox', { name: 'Comment on line 10' });
    assert.equal(await moved.inputValue(), 'Of which currency?');
    await write('models/sale_order.py', 'nothing is left\n');
    await commit('All else');
    await page.reload();
    await page.getByText('Outdated:').nth(1).waitFor();
    await page.getByText('not among the changes any more').waitFor();
    await page.getByText('Of which currency?').waitFor();
    await isClean();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Of which currency?').waitFor({ state: 'detached' });
    await leave();
  });

  test('the plan: a text that is selected is commented on, a draft outlives a reload, and all are asked for at once', async () => {
    const taskId = await fixtures.task(projectId, owner);
    await fixtures.revision(taskId, '# Plan\n\nFirst, the model.\n\n- the field\n- the view\n');
    await db.many(sql`update task set status = 'awaiting_approval' where id = ${taskId}`);
    const path = `/projects/${projectId}/tasks/${taskId}`;
    const { page, open, isClean, leave } = await visitor();
    await open(path);
    await page.getByRole('heading', { name: 'Plan', exact: true }).waitFor();
    await page.getByText('the field').dblclick({ position: { x: 10, y: 10 } });
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByRole('textbox', { name: 'Comment on line 5' }).fill('Which one?');
    await page.reload();
    // By keyboard: from part to part.
    const first = page.getByRole('button', { name: 'Comment on line 1' });
    await first.focus();
    for (const _ of [1, 2]) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const box = page.getByRole('textbox', { name: 'Comment on line 5' });
    assert.equal(await box.inputValue(), 'Which one?');
    await isClean();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: 'Comment on line 5' }).waitFor();
    await page.getByRole('button', { name: 'Ask for changes (1)' }).waitFor();
    // What is begun and not sent is found again in the next version.
    await page.getByRole('button', { name: 'Comment on line 3' }).press('Enter');
    await page.getByRole('textbox', { name: 'Comment on line 3' }).fill('Which model?');

    // While a revision is typed there is nothing to approve, wherever one looks meanwhile.
    await page.getByRole('button', { name: 'Approve version 1' }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    const text = page.getByLabel('The plan, in Markdown');
    await text.fill('# Plan\n\nFirst, the model.\n\n- another field\n');
    await page.getByText('You are changing the plan').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Approve/ }).count(), 0);
    await page.getByRole('link', { name: 'Files' }).click();
    assert.equal(await page.getByRole('button', { name: /^Approve/ }).count(), 0);
    await page.getByRole('link', { name: 'Plan' }).click();
    assert.match(await text.inputValue(), /another field/);
    await page.reload();
    assert.match(await text.inputValue(), /another field/);
    // A newer version neither takes the text away nor is overwritten unseen.
    const newer = await request('PUT', `/api/tasks/${taskId}/plan`, {
      key: owner.key,
      headers: { 'if-match': '"1"' },
      body: { text: '# Plan\n\nOf somebody else.\n' },
    });
    assert.equal(newer.status, 200);
    await page.reload();
    await page.getByText('Version 2 has arrived while you typed.').waitFor();
    assert.match(await text.inputValue(), /another field/);
    await isClean();
    await page.getByRole('button', { name: 'Save as version 3, after 2' }).click();
    await page.getByRole('button', { name: 'Approve version 3' }).waitFor();
    await page.getByText('Outdated: line 5 of version 1').waitFor();
    await page.getByText('Comments that you have not sent').waitFor();
    await page.getByText('Which model?').waitFor();
    await isClean();
    await page.getByRole('button', { name: 'Go on writing' }).click();
    const again = page.getByRole('textbox', { name: 'Comment on line 3' });
    assert.equal(await again.inputValue(), 'Which model?');
    await leave();
  });
} else test('the code of a task in a browser', { skip: noBrowser }, () => {});
