import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Request } from 'playwright-core';
import { sql } from '../../server/db/sql.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { startHarness } from '../../server/testing/harness/harness.ts';
import { until } from '../../server/testing/harness/until.ts';
import { DASHBOARD, noBrowser, openBrowser, visit } from './browser.ts';

/** Lists of tasks follow the stream of changes. */

if (noBrowser === false) {
  const browser = await openBrowser();
  // Its own: the changes of other tests would come as well.
  const harness = await startHarness({ own: true, dashboard: DASHBOARD });
  const { db, fixtures, url, request } = harness;
  const owner = await fixtures.user({ name: 'Ada' });
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });

  const isList = (address: string) => /\/api\/(tasks|projects\/[^/]+\/tasks)\?/.test(address);
  const isStream = (address: string) => address.includes('/api/task-changes');

  /**
   * A window of this person, with what it asks for: lists of tasks, and streams of changes. Its time
   * stands: no list asks by itself until the test lets time pass.
   */
  async function windowOf(person: { id: string }, path: string) {
    const visitor = await visit(browser, { url, cookie: await signIn(harness, person) });
    const { page, context } = visitor;
    const lists: string[] = [];
    const streams: string[] = [];
    let opened = 0;
    let waiting = 0;
    context.on('request', (asked) => {
      if (isStream(asked.url())) streams.push(asked.url());
      if (!isList(asked.url())) return;
      lists.push(asked.url());
      waiting += 1;
    });
    context.on('response', (reply) => {
      if (isStream(reply.url())) opened += 1;
    });
    const ended = (asked: Request) => {
      if (isList(asked.url())) waiting -= 1;
    };
    context.on('requestfinished', ended);
    context.on('requestfailed', ended);
    await context.clock.install();
    await visitor.open(path);
    await until('its stream is open', () => opened > 0);
    // Time goes on until it stands, on a loaded machine for seconds; it cannot be set back.
    const stand = async () =>
      context.clock.pauseAt(Number(await page.evaluate('Date.now()')) + 5_000);
    await stand();
    /** Lets time pass until no list is read any more. */
    const quiet = async () => {
      for (let count = -1; count !== lists.length; ) {
        count = lists.length;
        await context.clock.runFor(2_000);
        await pause(100);
        await until('the lists are read', () => waiting === 0);
      }
    };
    await quiet();
    return { ...visitor, lists, streams, quiet, stand };
  }
  type Window = Awaited<ReturnType<typeof windowOf>>;

  /**
   * Lets little of the window's time pass until this holds: less than a list that asks by itself waits.
   */
  async function soon({ context }: Pick<Window, 'context'>, holds: () => Promise<boolean>) {
    let passed = 0;
    await until('it is shown', async () => {
      if (await holds()) return true;
      await context.clock.runFor(30);
      passed += 30;
      await pause(180);
      return holds();
    });
    assert.ok(passed < 2_000, `${passed} ms of the window`);
  }

  /** Changes a task by the API; the page shows it without asking by itself. */
  async function showsChange({ page, context }: Pick<Window, 'page' | 'context'>, task: string) {
    const title = `Title ${Math.random()}`;
    const reply = await request('PUT', `/api/tasks/${task}`, { key: owner.key, body: { title } });
    assert.equal(reply.status, 200, reply.text);
    await soon({ context }, () => page.getByRole('link', { name: title }).first().isVisible());
  }

  const ADDRESSES = {
    'the board': '/tasks',
    'the list of a project': `/projects/${project}`,
    'the first page': '/',
  };

  for (const [name, path] of Object.entries(ADDRESSES))
    test(`${name} shows what another person has changed, and asks for nothing while nothing changes`, async () => {
      const task = await fixtures.task(project, owner);
      await fixtures.taskStatus(task, 'building');
      const viewer = await fixtures.user();
      await fixtures.member(workspace, viewer, 'viewer');
      const window = await windowOf(viewer, path);
      for (let i = 0; i < 3; i++) {
        await showsChange(window, task);
        await window.quiet();
      }
      const before = window.lists.length;
      await window.context.clock.runFor(12_000);
      await pause(200);
      assert.deepEqual([window.lists.length - before, window.streams.length], [0, 1]);
      await window.leave();
    });

  test('a task that comes, moves to another state, costs more and is deleted is shown so on the board', async () => {
    const window = await windowOf(owner, '/tasks');
    const { page, lists, quiet, leave } = window;
    const title = `A new one ${Math.random()}`;
    const { id } = await db.one<{ id: string }>(sql`
      insert into task (project_id, title, created_by_user_id)
      values (${project}, ${title}, ${owner.id}) returning id`);
    const lane = (name: string) =>
      page
        .getByRole('region', { name, exact: true })
        .getByRole('listitem')
        .filter({ hasText: title });
    const ready = lane('Ready');
    const works = lane('The agent works');
    await soon(window, () => ready.isVisible());
    await quiet();
    await fixtures.taskStatus(id, 'building');
    await soon(window, async () => (await works.isVisible()) && !(await ready.isVisible()));
    await quiet();
    await fixtures.turn(id, { state: 'running' });
    await pause(1_200);
    await quiet();
    const before = lists.length;
    await db.many(sql`update task_turn set spent_nano = 1230000000 where task_id = ${id}`);
    await soon(window, () => works.filter({ hasText: '1.23' }).isVisible());
    await quiet();
    // What it costs stands in one column.
    assert.equal(lists.length - before, 1);
    await db.many(sql`delete from task where id = ${id}`);
    await soon(window, async () => !(await works.isVisible()));
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
    const window = await windowOf(person, '/tasks');
    const gone = window.page.getByRole('link', { name: 'Of the workspace' });
    assert.equal(await gone.isVisible(), true);
    const removed = await request(
      'DELETE',
      `/api/organizations/${workspace}/members/${person.id}`,
      { key: owner.key },
    );
    assert.equal(removed.status, 200, removed.text);
    await soon(window, async () => !(await gone.isVisible()));
    await window.page.getByRole('link', { name: 'Of my own' }).waitFor();
    await window.leave();
  });

  test('while the stream is refused the lists ask as before, and when it comes back they follow it again', async () => {
    const task = await fixtures.task(project, owner);
    await fixtures.taskStatus(task, 'building');
    const window = await windowOf(owner, '/tasks');
    const { lists, streams, context, quiet, expectErrors, leave } = window;
    let refused = 0;
    await context.route(isStreamUrl, (route) => {
      refused += 1;
      return route.fulfill({ status: 503 });
    });
    // As a proxy does it that is started anew.
    await context.setOffline(true);
    await context.setOffline(false);
    const passes = async (holds: () => boolean) => {
      await context.clock.runFor(1_000);
      await pause(100);
      return holds();
    };
    await until('it is refused', () => passes(() => refused > 0));
    const before = lists.length;
    await until('the lists ask', () => passes(() => lists.length > before + 5));
    await context.unroute(isStreamUrl);
    const asked = streams.length;
    await until('it is asked for again', () => passes(() => streams.length > asked));
    await quiet();
    await showsChange(window, task);
    expectErrors(/503/);
    await leave();
  });

  test('on the way from one list to another the stream stays open, and on another page it ends', async () => {
    const task = await fixtures.task(project, owner);
    const window = await windowOf(owner, '/tasks');
    const { page, lists, streams, context, quiet, stand, leave } = window;
    let ended = 0;
    page.on('requestfailed', (asked) => {
      if (isStream(asked.url())) ended += 1;
    });
    // However long the way takes, a stream without lists lasts longer in the window's time.
    const before = lists.length;
    await page.getByRole('link', { name: /^Home/ }).first().click();
    await until('the first page has its lists, and what follows them', async () => {
      await context.clock.runFor(20);
      await pause(180);
      return lists.length > before && page.getByLabel('What is to be built?').isVisible();
    });
    await quiet();
    await context.clock.resume();
    await context.clock.fastForward(11_000);
    assert.deepEqual([streams.length, ended], [1, 0], 'the first page has lists, too');
    await page.getByRole('link', { name: 'Help' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'First steps' }).waitFor();
    await context.clock.fastForward(11_000);
    await until('the stream ends', () => ended === 1);
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await until('another stream', () => streams.length === 2);
    await stand();
    await quiet();
    await showsChange(window, task);
    await leave();
  });

  test('a sign-out ends the stream before the session', async () => {
    const { page, context, streams } = await windowOf(owner, '/tasks');
    const order: string[] = [];
    page.on('requestfailed', (asked) => {
      if (isStream(asked.url())) order.push('the stream has ended');
    });
    await context.route('**/auth/sign-out', async (route) => {
      // Events of requests that were aborted before come before.
      await pause(300);
      order.push('the session ends');
      await route.continue();
    });
    await context.clock.resume();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await context.clock.fastForward(12_000);
    assert.deepEqual(order, ['the stream has ended', 'the session ends']);
    assert.equal(streams.length, 1);
    await context.close();
  });

  test('after a sign-out that fails the stream goes on', async () => {
    const task = await fixtures.task(project, owner);
    const window = await windowOf(owner, '/tasks');
    const { page, context, streams, quiet, stand, expectErrors, leave } = window;
    await context.route('**/auth/sign-out', (route) => route.abort());
    await context.clock.resume();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('alert').getByText('You are still signed in').waitFor();
    await until('another stream', () => streams.length === 2);
    await stand();
    await quiet();
    await showsChange(window, task);
    expectErrors(/ERR_FAILED/);
    await leave();
  });

  test('a list that comes while the session ends asks for nothing', async () => {
    const visitor = await visit(browser, { url, cookie: await signIn(harness, owner) });
    const { page, context, leave } = visitor;
    const asked: string[] = [];
    const ended = Promise.withResolvers<void>();
    await context.route('**/auth/sign-out', async (route) => {
      const response = await route.fetch();
      context.on('request', (request) => asked.push(new URL(request.url()).pathname));
      ended.resolve();
      // Until the list has come.
      await pause(1_000);
      await route.fulfill({ response });
    });
    await context.route(/\/assets\/tasks-/, async (route) => {
      await ended.promise;
      await route.continue();
    });
    await visitor.open('/');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.deepEqual(
      asked.filter((path) => path.startsWith('/api/')),
      [],
    );
    await leave();
  });

  test('of several tabs one has the stream and tells the others, and another takes over when it is closed', async () => {
    const task = await fixtures.task(project, owner);
    const { page, streams, context, quiet, leave } = await windowOf(owner, '/tasks');
    const others = [await context.newPage(), await context.newPage()];
    for (const each of others) await each.goto(`${url}/tasks`);
    await quiet();
    assert.equal(streams.length, 1);
    for (const each of others) await showsChange({ page: each, context }, task);
    await page.close();
    await until('another tab has it', async () => {
      await context.clock.runFor(1_000);
      return streams.length === 2;
    });
    await quiet();
    for (const each of others) await showsChange({ page: each, context }, task);
    assert.equal(streams.length, 2);
    await leave();
  });

  test('a list of four pages is read whole no more than once in twenty seconds, however much changes', async () => {
    const large = await fixtures.project({ organizationId: workspace });
    await db.many(sql`
      insert into task (project_id, title, created_by_user_id, created_at)
      select ${large}, 'Task ' || n, ${owner.id}, now() - n * interval '1 second'
        from generate_series(1, 600) n`);
    const { id } = await db.one<{ id: string }>(sql`
      select id from task where project_id = ${large} order by created_at desc limit 1`);
    const { page, lists, context, quiet, stand, leave } = await windowOf(
      owner,
      `/projects/${large}`,
    );
    await context.clock.resume();
    const table = page.getByRole('table', { name: 'Tasks' });
    await until('its four pages', async () => {
      await page.getByRole('main').evaluate((main) => main.scrollTo(0, main.scrollHeight));
      return lists.filter((address) => address.includes('cursor')).length >= 3;
    });
    await stand();
    await quiet();
    const reads = () => lists.filter((address) => !address.includes('cursor')).length;
    const before = reads();
    const change = async () => {
      await db.many(sql`update task set title = ${`Title ${Math.random()}`} where id = ${id}`);
      await context.clock.runFor(1_000);
    };
    // From when the stream is open and the time since an earlier reading has passed.
    await until('a change is read', async () => {
      await change();
      return reads() > before;
    });
    await quiet();
    const read = reads();
    for (let n = 0; n < 12; n++) {
      await change();
      await pause(300);
    }
    assert.equal(reads(), read);
    await until('the changes are read', async () => {
      await context.clock.runFor(1_000);
      return reads() === read + 1;
    });
    await table.first().waitFor();
    await leave();
  });
}

function isStreamUrl(address: URL): boolean {
  return address.pathname === '/api/task-changes';
}
