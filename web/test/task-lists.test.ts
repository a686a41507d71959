import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { NARROW, noBrowser, openBrowser, type Visitor, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';

/** Lists of tasks: of a project, and the board of all projects. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { db, fixtures, url } = harness;
  const owner = await fixtures.user({ name: 'Ada' });
  const other = await fixtures.user({ name: 'Max Meister' });
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, other);
  const [shop, bakery] = [
    await fixtures.project({ organizationId: workspace }),
    await fixtures.project({ organizationId: workspace }),
  ];
  for (const [id, name] of [
    [shop, 'Shop'],
    [bakery, 'Bakery'],
  ])
    await db.many(sql`update project set name = ${name} where id = ${id}`);
  const add = async (
    project: string,
    by: { id: string },
    title: string,
    [status, reason]: [string, string?] = ['ready'],
    model?: string,
  ) =>
    (
      await db.one<{ id: string }>(sql`
        insert into task (project_id, title, created_by_user_id, status, status_reason, model)
        values (${project}, ${title}, ${by.id}, ${status}, ${reason ?? null}, ${model ?? null})
        returning id`)
    ).id;
  await add(shop, owner, 'Sort the shelves', ['awaiting_approval']);
  await add(shop, other, 'Print labels', ['building']);
  await add(bakery, other, 'Bake bread', ['failed', 'It stopped.'], 'gone-model');
  const merged = await add(bakery, owner, 'Weigh flour');
  await fixtures.pullRequest(merged, owner);
  await fixtures.merge(merged, owner);
  await fixtures.deploy(merged);
  await add(bakery, owner, 'Count eggs');

  const open = async (path: string, look: object = {}): Promise<Visitor> => {
    const visitor = await visit(browser, { url, cookie: await signIn(harness, owner), ...look });
    await visitor.open(path);
    return visitor;
  };
  const param = (page: Visitor['page'], name: string) => new URL(page.url()).searchParams.get(name);

  test('the board shows the tasks of all projects by state', async () => {
    const { page, isCleanInEveryLook, leave } = await open('/tasks', NARROW);
    for (const [lane, title] of [
      ['Waits for a person', 'Sort the shelves'],
      ['The agent works', 'Print labels'],
      ['Ready', 'Count eggs'],
      ['Merged', 'Weigh flour'],
      ['Ended', 'Bake bread'],
    ] as const) {
      const section = page.getByRole('region', { name: lane, exact: true });
      await section.getByRole('link', { name: title }).waitFor();
      assert.equal(await section.getByRole('listitem').count(), 1, lane);
    }
    await isCleanInEveryLook();
    await leave();
  });

  test('every filter of the board stands in the address, and a view of them is saved in this browser', async () => {
    const { page, isClean, leave } = await open('/');
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
    const shows = async (...wanted: string[]) => {
      for (const title of wanted) await page.getByRole('link', { name: title }).waitFor();
      for (const title of ['Sort the shelves', 'Print labels', 'Bake bread', 'Count eggs'])
        if (!wanted.includes(title))
          await page.getByRole('link', { name: title }).waitFor({ state: 'detached' });
    };
    await page.getByLabel('Only this project').selectOption('Shop');
    await shows('Sort the shelves', 'Print labels');
    assert.equal(param(page, 'project'), shop);
    await page.getByLabel('Created by me').check();
    await shows('Sort the shelves');
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('My shop');
    await isClean();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('Only this project').selectOption('Every project');
    await page.getByLabel('Created by me').uncheck();
    await page.getByLabel('Only this status').selectOption('Failed');
    await shows('Bake bread');
    assert.equal(param(page, 'status'), 'failed');
    await page.getByLabel('Only this status').selectOption('Every status');
    const asked: string[] = [];
    page.on('request', (request) => {
      const q = new URL(request.url()).searchParams.get('q');
      if (q !== null && !asked.includes(q)) asked.push(q);
    });
    await page.clock.install();
    // However long the keys take, no pause is between them.
    await page.clock.pauseAt(Number(await page.evaluate('Date.now()')) + 5_000);
    await page.getByLabel('Search tasks by title').pressSequentially('eggs');
    await page.clock.runFor(1_000);
    await page.clock.resume();
    await shows('Count eggs');
    assert.deepEqual(asked, ['eggs'], 'only what stands there after a pause is looked for');
    assert.equal(param(page, 'q'), 'eggs');
    await page.reload();
    await shows('Count eggs');
    await page.getByRole('link', { name: 'My shop' }).click();
    await shows('Sort the shelves');
    assert.equal(await page.getByLabel('Search tasks by title').inputValue(), '');
    assert.deepEqual([param(page, 'project'), param(page, 'mine')], [shop, 'true']);
    await page.getByRole('button', { name: 'Remove the view My shop' }).click();
    await page.getByRole('link', { name: 'My shop' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await page.getByLabel('Only this model').selectOption({ index: 1 });
    await shows('Sort the shelves', 'Print labels', 'Count eggs');
    // The columns of the board are read one by one.
    const entries = page.getByRole('main').getByRole('listitem');
    await entries.getByRole('link', { name: 'Weigh flour' }).waitFor();
    await leave();
  });

  test('what is being typed into the search stays: its last space, and what comes after a slow page', async () => {
    const { page, leave } = await open('/tasks');
    const field = page.getByLabel('Search tasks by title');
    await field.pressSequentially('count ');
    await page.waitForURL(/q=count/);
    await page.getByRole('link', { name: 'Sort the shelves' }).waitFor({ state: 'detached' });
    assert.equal(await field.inputValue(), 'count ');
    await field.pressSequentially('eggs');
    await page.waitForURL(/q=count(\+|%20)eggs/);
    assert.equal(await field.inputValue(), 'count eggs');

    // The address holds words of before when others were sent: nothing is written into the field.
    await page.evaluate(`{
      const { set, get } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
      const note = function (value) {
        (window.written ??= []).push(value);
        set.call(this, value);
      };
      Object.defineProperty(document.querySelector('[type=search]'), 'value', { get, set: note });
    }`);
    await field.press('End');
    for (const key of ['x', 'Enter', 'y', 'Enter', 'z', 'Enter']) await page.keyboard.press(key);
    await page.waitForURL(/eggsxyz/);
    assert.equal(await page.evaluate('window.written'), undefined);
    assert.equal(await field.inputValue(), 'count eggsxyz');
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await page.getByRole('link', { name: 'Sort the shelves' }).waitFor();
    assert.equal(await field.inputValue(), '');
    await leave();
  });

  test('the list of a project has the same filters, an author, and an order', async () => {
    const { page, isClean, leave } = await open(`/projects/${bakery}`);
    const table = page.getByRole('table', { name: 'Tasks' });
    const titles = async (...wanted: string[]) => {
      for (let index = 0; index < wanted.length; index++)
        await table
          .getByRole('row')
          .nth(index + 1)
          .filter({ hasText: wanted[index] as string })
          .waitFor();
      await table
        .getByRole('row')
        .nth(wanted.length + 1)
        .waitFor({ state: 'detached' });
    };
    await titles('Count eggs', 'Weigh flour', 'Bake bread');
    await isClean();
    await table.getByRole('link', { name: 'Max Meister' }).click();
    await titles('Bake bread');
    assert.equal(param(page, 'by'), other.id);
    await page.getByLabel('Only tasks created by').selectOption('Me');
    await titles('Count eggs', 'Weigh flour');
    assert.equal(param(page, 'by'), 'me');
    await page.getByLabel('Only tasks created by').selectOption('Everyone');
    await page.getByLabel('Only this status').selectOption('Failed');
    await titles('Bake bread');
    await page.getByLabel('Only this status').selectOption('Every status');
    await page.getByLabel('Only this model').selectOption({ index: 1 });
    await titles('Count eggs', 'Weigh flour');
    await page.getByLabel('Only this model').selectOption('Every model');
    await db.many(sql`update task set title = 'Weigh much flour' where id = ${merged}`);
    await page.getByLabel('Order').selectOption('Last changed first');
    await titles('Weigh much flour', 'Count eggs', 'Bake bread');
    assert.equal(param(page, 'sort'), 'updated');
    await page.getByLabel('Search tasks by title').fill('egg');
    await titles('Count eggs');
    await page.getByLabel('Archived').check();
    await page.getByText('No task fits.').waitFor();
    await leave();
  });

  test('a deploy says who merged it', async () => {
    const { page, leave } = await open(`/projects/${bakery}/deploys`);
    await page.getByRole('row').filter({ hasText: 'production' }).getByText('Ada').waitFor();
    await leave();
  });
} else test('lists of tasks in a browser', { skip: noBrowser }, () => {});
