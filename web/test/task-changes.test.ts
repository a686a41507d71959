import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '../../server/db/sql.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { startHarness } from '../../server/testing/harness/harness.ts';
import { until } from '../../server/testing/harness/until.ts';
import { DASHBOARD, noBrowser, openBrowser, visit } from './browser.ts';

/** Lists of tasks are told what changes. */

if (noBrowser === false) {
  const browser = await openBrowser();
  // Its own: what others do there would be told as well.
  const harness = await startHarness({ own: true, dashboard: DASHBOARD });
  const { db, fixtures, url, request } = harness;
  const owner = await fixtures.user({ name: 'Ada' });
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });

  const isList = (address: string) => /\/api\/(tasks|projects\/[^/]+\/tasks)\?/.test(address);
  const isStream = (address: string) => address.includes('/api/task-changes');

  /** A window of this person, with what it asks for: lists of tasks, and streams of changes. */
  async function windowOf(person: { id: string }, path: string) {
    const visitor = await visit(browser, { url, cookie: await signIn(harness, person) });
    const lists: string[] = [];
    const streams: string[] = [];
    visitor.context.on('request', (asked) => {
      if (isList(asked.url())) lists.push(asked.url());
      if (isStream(asked.url())) streams.push(asked.url());
    });
    await visitor.open(path);
    await until('its stream', () => streams.length > 0);
    return { ...visitor, lists, streams };
  }

  /** Waits until nothing more is read. */
  async function quiet(lists: readonly string[]): Promise<void> {
    for (let count = -1; count !== lists.length; await pause(2_500)) count = lists.length;
  }

  /** Changes a task by the API, and says how long it takes until `title` is shown. */
  async function shownAfter(page: Awaited<ReturnType<typeof windowOf>>['page'], task: string) {
    const title = `Title ${Math.random()}`;
    const reply = await request('PUT', `/api/tasks/${task}`, { key: owner.key, body: { title } });
    assert.equal(reply.status, 200, reply.text);
    const began = performance.now();
    await page.getByRole('link', { name: title }).first().waitFor();
    return performance.now() - began;
  }

  const ADDRESSES = {
    'the board': '/tasks',
    'the list of a project': `/projects/${project}`,
    'the first page': '/',
  };

  for (const [name, path] of Object.entries(ADDRESSES))
    test(`${name} shows within 2 s what another person has changed, and asks for nothing while nothing changes`, async () => {
      const task = await fixtures.task(project, owner);
      await fixtures.taskStatus(task, 'building');
      const viewer = await fixtures.user();
      await fixtures.member(workspace, viewer, 'viewer');
      const { page, lists, streams, leave } = await windowOf(viewer, path);
      await quiet(lists);
      for (let i = 0; i < 3; i++) {
        const took = await shownAfter(page, task);
        assert.ok(took < 2_000, `${took} ms`);
      }
      await quiet(lists);
      const before = lists.length;
      await pause(12_000);
      assert.deepEqual([lists.length - before, streams.length], [0, 1]);
      await leave();
    });

  test('a task that comes, moves to another state, costs more and is deleted is shown so on the board', async () => {
    const { page, lists, leave } = await windowOf(owner, '/tasks');
    await quiet(lists);
    const title = `A new one ${Math.random()}`;
    const { id } = await db.one<{ id: string }>(sql`
      insert into task (project_id, title, created_by_user_id)
      values (${project}, ${title}, ${owner.id}) returning id`);
    const lane = (name: string) =>
      page
        .getByRole('region', { name, exact: true })
        .getByRole('listitem')
        .filter({ hasText: title });
    await lane('Ready').waitFor();
    await fixtures.taskStatus(id, 'building');
    await lane('The agent works').waitFor();
    await lane('Ready').waitFor({ state: 'detached' });
    await fixtures.turn(id, { state: 'running' });
    await quiet(lists);
    const before = lists.length;
    await db.many(sql`update task_turn set spent_nano = 1230000000 where task_id = ${id}`);
    await lane('The agent works').filter({ hasText: '1.23' }).waitFor();
    await quiet(lists);
    // What it costs stands in one column.
    assert.equal(lists.length - before, 1);
    await db.many(sql`delete from task where id = ${id}`);
    await lane('The agent works').waitFor({ state: 'detached' });
    await leave();
  });

  test('a member who is removed sees the tasks of the workspace go, without doing anything', async () => {
    const task = await fixtures.task(project, owner);
    const person = await fixtures.user();
    await fixtures.member(workspace, person, 'viewer');
    const own = await fixtures.project({ userId: person.id });
    const kept = await fixtures.task(own, person);
    for (const [id, title] of [
      [task, 'Of the workspace'],
      [kept, 'Of my own'],
    ])
      await db.many(sql`update task set title = ${title} where id = ${id}`);
    const { page, lists, leave } = await windowOf(person, '/tasks');
    await page.getByRole('link', { name: 'Of the workspace' }).waitFor();
    await quiet(lists);
    const began = performance.now();
    const removed = await request(
      'DELETE',
      `/api/organizations/${workspace}/members/${person.id}`,
      { key: owner.key },
    );
    assert.equal(removed.status, 200, removed.text);
    await page.getByRole('link', { name: 'Of the workspace' }).waitFor({ state: 'detached' });
    assert.ok(performance.now() - began < 5_000);
    await page.getByRole('link', { name: 'Of my own' }).waitFor();
    await leave();
  });

  test('while the stream is refused the lists ask as before, and when it comes back they are told again', async () => {
    const task = await fixtures.task(project, owner);
    await fixtures.taskStatus(task, 'building');
    const { page, lists, streams, context, expectErrors, leave } = await windowOf(owner, '/tasks');
    await quiet(lists);
    await context.route(isStreamUrl, (route) => route.fulfill({ status: 503 }));
    // As a proxy does it that is started anew.
    await context.setOffline(true);
    await context.setOffline(false);
    const before = lists.length;
    await until('the lists ask', () => lists.length > before + 5);
    const took = await shownAfter(page, task);
    assert.ok(took < 6_000, `${took} ms`);
    await context.unroute(isStreamUrl);
    const asked = streams.length;
    await until('it is asked for again', () => streams.length > asked);
    await quiet(lists);
    assert.ok((await shownAfter(page, task)) < 2_000);
    expectErrors(/503|ERR_INTERNET_DISCONNECTED/);
    await leave();
  });

  test('on the way from one list to another the stream stays open, and on another page it ends', async () => {
    const task = await fixtures.task(project, owner);
    const { page, lists, streams, leave } = await windowOf(owner, '/tasks');
    await quiet(lists);
    let ended = 0;
    page.on('requestfailed', (asked) => {
      if (isStream(asked.url())) ended += 1;
    });
    await page.getByRole('link', { name: /^Home/ }).first().click();
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await pause(11_000);
    assert.deepEqual([streams.length, ended], [1, 0], 'the first page has lists, too');
    await page.getByRole('link', { name: 'Help' }).first().click();
    await until('the stream ends', () => ended === 1);
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await until('another stream', () => streams.length === 2);
    await quiet(lists);
    assert.ok((await shownAfter(page, task)) < 2_000);
    await leave();
  });

  test('of several tabs one has the stream and tells the others, and another takes over when it is closed', async () => {
    const task = await fixtures.task(project, owner);
    const { page, lists, streams, context, leave } = await windowOf(owner, '/tasks');
    await quiet(lists);
    const others = [await context.newPage(), await context.newPage()];
    for (const each of others) await each.goto(`${url}/tasks`);
    await quiet(lists);
    assert.equal(streams.length, 1);
    for (const each of others) {
      const title = `Title ${Math.random()}`;
      await db.many(sql`update task set title = ${title} where id = ${task}`);
      await each.getByRole('link', { name: title }).waitFor({ timeout: 4_000 });
    }
    await page.close();
    await until('another tab has it', () => streams.length === 2);
    await quiet(lists);
    for (const each of others) {
      const title = `Title ${Math.random()}`;
      await db.many(sql`update task set title = ${title} where id = ${task}`);
      await each.getByRole('link', { name: title }).waitFor({ timeout: 4_000 });
    }
    assert.equal(streams.length, 2);
    await leave();
  });

  test('a list of many pages is read whole no more than once in fifteen seconds, however much changes', async () => {
    const large = await fixtures.project({ organizationId: workspace });
    await db.many(sql`
      insert into task (project_id, title, created_by_user_id, created_at)
      select ${large}, 'Task ' || n, ${owner.id}, now() - n * interval '1 second'
        from generate_series(1, 600) n`);
    const { id } = await db.one<{ id: string }>(sql`
      select id from task where project_id = ${large} order by created_at desc limit 1`);
    const { page, lists, leave } = await windowOf(owner, `/projects/${large}`);
    const table = page.getByRole('table', { name: 'Tasks' });
    await until('more than two pages', async () => {
      await page.getByRole('main').evaluate((main) => main.scrollTo(0, main.scrollHeight));
      return lists.filter((address) => address.includes('cursor')).length >= 3;
    });
    await quiet(lists);
    await pause(15_000);
    const before = lists.length;
    const writing = performance.now();
    for (let n = 0; performance.now() - writing < 12_000; n++) {
      await db.many(sql`update task set title = ${`Title ${n}`} where id = ${id}`);
      await pause(300);
    }
    const firsts = lists.slice(before).filter((address) => !address.includes('cursor'));
    assert.ok(firsts.length >= 1 && firsts.length <= 2, `read ${firsts.length} times`);
    await table.first().waitFor();
    await leave();
  });
}

function isStreamUrl(address: URL): boolean {
  return address.pathname === '/api/task-changes';
}
