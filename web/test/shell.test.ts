import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { sql } from '../../server/db/sql.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { until } from '../../server/testing/harness/until.ts';
import { COMPOSING_ENTER, NARROW, noBrowser, openBrowser, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';

/** The frame of the dashboard: what it loads, what it may do, and how it is moved through. */

const skip = noBrowser;

if (skip === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { db, fixtures, url } = harness;

  test('the shell loads at most 56 KiB of compressed JavaScript, anything that is loaded later at most 60', () => {
    const dist = join(import.meta.dirname, '../dist');
    const manifest = JSON.parse(readFileSync(join(dist, 'manifest.json'), 'utf8')) as Record<
      string,
      { file: string; isEntry?: boolean; imports?: string[]; dynamicImports?: string[] }
    >;
    const size = (name: string) =>
      gzipSync(readFileSync(join(dist, manifest[name]?.file as string)), { level: 9 }).length;
    const needs = (name: string): Set<string> =>
      new Set([name, ...(manifest[name]?.imports ?? []).flatMap((next) => [...needs(next)])]);
    const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry) as string;
    const shell = needs(entry);
    const sum = (names: Iterable<string>) => [...names].reduce((all, name) => all + size(name), 0);
    assert.ok(sum(shell) <= 56 * 1024, `the shell: ${sum(shell)} bytes`);
    const loads = Object.keys(manifest).flatMap((loader) =>
      (manifest[loader]?.dynamicImports ?? []).map((page) => ({ loader, page })),
    );
    assert.ok(loads.length >= 20);
    for (const { loader, page } of loads) {
      const there = new Set([...shell, ...needs(loader)]);
      const more = sum([...needs(page)].filter((name) => !there.has(name)));
      assert.ok(more <= 60 * 1024, `${page}, loaded by ${loader}: ${more} bytes`);
    }
  });

  test('pages and files are sent as the build has compressed them', async () => {
    const page = await (await fetch(url)).text();
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1] as string;
    for (const path of ['/', '/sign-in', script]) {
      const codings = ['br', 'gzip', 'identity'].map(async (accepted) => {
        const { headers } = await fetch(url + path, { headers: { 'accept-encoding': accepted } });
        assert.match(headers.get('vary') ?? '', /accept-encoding/i);
        return headers.get('content-encoding');
      });
      assert.deepEqual(await Promise.all(codings), ['br', 'gzip', null], path);
    }
  });

  test('every address is the page, not to be kept; its files are kept for ever; others are 404', async () => {
    for (const path of ['/', '/sign-in', '/projects/x/tasks/y?panel=code', '/account/keys']) {
      const reply = await fetch(url + path);
      assert.equal(reply.status, 200);
      assert.match(reply.headers.get('content-type') ?? '', /^text\/html/);
      assert.equal(reply.headers.get('cache-control'), 'no-cache');
      assert.match(
        reply.headers.get('content-security-policy') ?? '',
        /^default-src 'none'.*script-src 'self' 'sha256-\S+'; style-src 'self' 'sha256-\S+'$/,
      );
    }
    const [, asset] = /src="(\/assets\/[^"]+)"/.exec(await (await fetch(url)).text()) ?? [];
    const script = await fetch(url + asset);
    assert.equal(script.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.match(
      script.headers.get('content-security-policy') ?? '',
      /^default-src 'none'.*script-src 'self'; style-src 'self'$/,
    );
    for (const path of ['/assets/none.js', '/api/nowhere', '/auth/nowhere', '/nowhere']) {
      const reply = await fetch(url + path, { headers: { accept: 'text/html' } });
      assert.equal(reply.status, 404, path);
      const isPage = path === '/nowhere';
      assert.match(
        reply.headers.get('content-type') ?? '',
        isPage ? /^text\/html/ : /^application\/json/,
      );
    }
    const program = await fetch(`${url}/nowhere`);
    assert.match(program.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal((await fetch(url, { method: 'POST' })).status, 405);
  });

  test('what is gone, is no id, or has no route has a way on', async () => {
    const user = await fixtures.user();
    const visitor = await visit(browser, { url, cookie: await signIn(harness, user) });
    const { page } = visitor;
    const gone = crypto.randomUUID();
    for (const path of [`/projects/${gone}/tasks/${gone}`, `/projects/${gone}`, '/projects/%00']) {
      await page.goto(path);
      await page.getByText('This is not there any more').waitFor();
      await page.getByRole('link', { name: 'Go to the first page' }).click();
      await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    }
    for (const path of ['/inbox', '/links/%E0%A4%A']) {
      await page.goto(path);
      await page.getByRole('link', { name: 'Go to the first page' }).click();
      await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    }
    visitor.expectErrors(/404|422/);
    await visitor.leave();
  });

  test('while its scripts are on their way, the first page has its frame and asks for its data once', async () => {
    const user = await fixtures.user();
    const project = await fixtures.project({ userId: user.id });
    const task = await fixtures.task(project, user);
    const cookie = await signIn(harness, user);
    const lists = ['/auth/session', '/api/inbox?limit=50', '/api/organizations', '/api/projects'];
    for (const [path, asked] of [
      ['/', lists],
      [`/projects/${project}/tasks/${task}`, [...lists, `/api/tasks/${task}`]],
    ] as const) {
      const visitor = await visit(browser, { url, cookie });
      const all = asked.map((one) => visitor.page.waitForRequest(url + one));
      if (path !== '/') all.push(visitor.page.waitForRequest('**/assets/task-*.js'));
      await visitor.page.route('**/assets/shell-*.js', async (route) => {
        await Promise.all(all);
        await visitor.page.getByText('Guildhall', { exact: true }).waitFor();
        await route.continue();
      });
      const requests: string[] = [];
      visitor.page.on('request', (request) => requests.push(request.url().slice(url.length)));
      await visitor.open(path);
      await visitor.page.getByRole('link', { name: 'Home' }).waitFor();
      visitor.hasNoErrors();
      for (const one of asked)
        assert.equal(requests.filter((request) => request === one).length, 1, one);
      await visitor.context.close();
    }
  });

  test('a first page asks for its files at once, for few, and for those of no other page', async () => {
    const user = await fixtures.user();
    const project = await fixtures.project({ userId: user.id });
    const task = await fixtures.task(project, user);
    const cookie = await signIn(harness, user);
    const frame = ['first', 'index', 'rolldown-runtime', 'shell'];
    for (const [path, more] of [
      ['/', ['home', 'table']],
      // Forms and the stream of its events come after what is to be read.
      [`/projects/${project}/tasks/${task}`, ['task', 'work']],
      ['/help', []],
    ] as const) {
      const visitor = await visit(browser, { url, cookie });
      const { page } = visitor;
      const names: string[] = [];
      page.on('request', (request) => {
        const [, name] = /\/assets\/(.+)-[\w-]{6,8}\.\w+$/.exec(request.url()) ?? [];
        if (name) names.push(name);
      });
      // The document has been read when data are asked for, which the session comes before.
      const all = [...more, 'api/projects'].map((name) =>
        page.waitForRequest((request) => new RegExp(`/${name}(-[^/]+)?$`).test(request.url())),
      );
      const held = Promise.withResolvers<string[]>();
      await page.route('**/assets/shell-*.js', async (route) => {
        await Promise.all(all);
        held.resolve([...names]);
        await route.continue();
      });
      await visitor.open(path);
      assert.deepEqual((await held.promise).sort(), [...frame, ...more].sort(), path);
      visitor.hasNoErrors();
      await visitor.context.close();
    }
  });

  test('a page is loaded while the session is asked for', async () => {
    const user = await fixtures.user();
    const project = await fixtures.project({ userId: user.id });
    const visitor = await visit(browser, { url, cookie: await signIn(harness, user) });
    const file = visitor.page.waitForRequest('**/assets/tasks-*.js');
    await visitor.page.route('**/auth/session', async (route) => {
      await file;
      await route.continue();
    });
    await visitor.open(`/projects/${project}`);
    await visitor.leave();
  });

  test('who is not signed in is led to the sign-in, and told where from', async () => {
    const visitor = await visit(browser, { url });
    visitor.page.on('request', (request) => assert.doesNotMatch(request.url(), /\/api\//));
    await visitor.open('/projects/x?q=a');
    await visitor.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(new URL(visitor.page.url()).searchParams.get('return_to'), '/projects/x?q=a');
    await visitor.leave();
  });

  test('the sidebar orders names as people count, folds groups, filters, and has what was opened last', async () => {
    const user = await fixtures.user();
    const org = await fixtures.workspace(user, { name: 'Harbour' });
    const ids = new Map<number, string>();
    for (let i = 30; i > 0; i--) {
      const id = await fixtures.project({ organizationId: org });
      await db.many(sql`update project set name = ${`Crane ${i}`} where id = ${id}`);
      ids.set(i, id);
    }
    const visitor = await visit(browser, { url, cookie: await signIn(harness, user) });
    const { page } = visitor;
    await visitor.open(`/projects/${ids.get(30)}`);
    const side = page.getByRole('navigation', { name: 'Main' });
    const names = () => side.getByRole('link').allTextContents();
    const crane = (number: number) =>
      side.getByRole('link', { name: `Crane ${number}`, exact: true });
    await crane(2).waitFor();
    const listed = (await names()).filter((name) => name.startsWith('Crane'));
    // The one that was opened last stands above.
    assert.deepEqual(listed.slice(0, 4), ['Crane 30', 'Crane 1', 'Crane 2', 'Crane 3']);
    assert.equal(listed.length, 26);
    await side.getByRole('button', { name: 'Show all 30 projects: Harbour' }).click();
    assert.equal(await crane(30).count(), 2);
    await side.getByRole('searchbox', { name: 'Filter projects' }).fill('crane 2');
    assert.equal(await side.getByRole('link', { name: /^Crane/ }).count(), 11);
    await side.getByRole('searchbox', { name: 'Filter projects' }).fill('');
    await side.getByRole('button', { name: 'List of Harbour' }).press('Enter');
    assert.equal(await crane(2).count(), 0);
    await page.reload();
    await side.getByRole('button', { name: 'List of Harbour', expanded: false }).waitFor();
    assert.equal(await crane(2).count(), 0);
    // The foot stays in sight.
    assert.ok(await side.getByRole('button', { name: 'Sign out' }).isVisible());
    await visitor.isClean();
    await visitor.leave();
  });

  test('a cut of the connection is said, and no longer when it is back', async () => {
    const user = await fixtures.user();
    const visitor = await visit(browser, { url, cookie: await signIn(harness, user) });
    const { page, context } = visitor;
    // All of the page is there then.
    const followed = page.waitForResponse('**/api/task-changes');
    await visitor.open('/');
    await followed;
    await context.setOffline(true);
    const banner = page.getByRole('status').filter({ hasText: 'Live updates are cut' });
    await banner.waitFor();
    await context.setOffline(false);
    await banner.waitFor({ state: 'hidden' });
    // A server that does not answer, although there is a network.
    await page.route('**/{api,auth}/**', (route) => route.abort());
    await page.getByTitle(user.email).click();
    await banner.waitFor();
    await page.unroute('**/{api,auth}/**');
    await banner.waitFor({ state: 'hidden' });
    visitor.expectErrors(/ERR_INTERNET_DISCONNECTED|ERR_FAILED/);
    await visitor.isClean();
    await context.close();
  });

  test('a page whose file cannot be loaded says so, and is loaded when it is asked for again; what was typed stays', async () => {
    const user = await fixtures.user();
    const visitor = await visit(browser, { url, cookie: await signIn(harness, user) });
    const { page, context } = visitor;
    await page.clock.install();
    await visitor.open('/account');
    await page.getByLabel('Name').fill('Typed');
    await page.evaluate('window.same = true');
    // Long enough for a new document, if it were needed.
    await page.clock.fastForward('00:20');
    await context.setOffline(true);
    // What lies over the page waits for the network, and leaves what was typed there.
    await page.keyboard.press('Control+k');
    await page.clock.runFor(3_000);
    assert.equal(await page.getByLabel('Name').inputValue(), 'Typed');
    await context.setOffline(false);
    await page.clock.runFor(3_000);
    await page.getByRole('dialog').getByRole('combobox').waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await page.getByLabel('Name').inputValue(), 'Typed');

    await context.setOffline(true);
    const help = page.getByRole('link', { name: 'Help', exact: true });
    const failed = page.getByRole('heading', { name: 'This page cannot be shown' });
    await help.click();
    await failed.waitFor();
    await page.getByText('It could not be loaded. Try again').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await failed.waitFor();
    await context.setOffline(false);
    visitor.expectErrors(/ERR_INTERNET_DISCONNECTED|page_not_loaded/);
    await visitor.isClean();
    await help.click();
    await failed.waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'First steps' }).waitFor();
    assert.equal(await page.evaluate('window.same'), true);

    // A file that has failed once is not asked for again by every browser, but by a new document.
    await page.route('**/assets/board-*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await failed.waitFor();
    assert.equal(await page.evaluate('window.same'), true);
    await page.unroute('**/assets/board-*.js');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
    visitor.expectErrors(/ERR_INTERNET_DISCONNECTED|ERR_FAILED|page_not_loaded/);
    await visitor.leave();
  });

  test('after an update of the server, a page that was opened before is loaded anew', async () => {
    const user = await fixtures.user();
    const visitor = await visit(browser, { url, cookie: await signIn(harness, user) });
    const { page } = visitor;
    await page.clock.install();
    await visitor.open('/account');
    await page.getByLabel('Name').waitFor();
    await page.evaluate('window.same = true');
    await page.clock.fastForward('00:20');
    const gone = { status: 404, body: '' };
    // Once: the page that is loaded anew names files that are there.
    await page.route('**/assets/help-*.js', (route) => route.fulfill(gone), { times: 1 });
    await page.route('**/assets/index-*.js', (route) =>
      route.request().method() === 'HEAD' ? route.fulfill(gone) : route.continue(),
    );
    const anew = page.waitForEvent('load');
    await page.getByRole('link', { name: 'Help', exact: true }).click();
    await anew;
    assert.equal(await page.evaluate('window.same'), undefined);
    visitor.expectErrors(/404/);
    await visitor.context.close();
  });

  test('an address that leads nowhere has the frame and a way on; titles tell pages apart', async () => {
    const user = await fixtures.user();
    const org = await fixtures.workspace(user, { name: 'Harbour' });
    const visitor = await visit(browser, { url, cookie: await signIn(harness, user) });
    const { page } = visitor;
    await visitor.open('/account/no-such-page');
    await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await visitor.isClean();
    await page.getByRole('link', { name: 'Go to the first page' }).click();
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    const hasTitle = (title: string) => until(title, async () => (await page.title()) === title);
    await hasTitle('Home · Guildhall');
    for (const [path, title] of [
      [`/workspaces/${org}`, 'Overview · Harbour · Guildhall'],
      [`/workspaces/${org}/members`, 'Members · People · Harbour · Guildhall'],
      ['/account/keys', 'API keys · Your account · Guildhall'],
    ] as const) {
      await visitor.open(path);
      await hasTitle(title);
    }
    await visitor.context.close();
  });

  test('a tab in which another one has signed out asks to sign in', async () => {
    const user = await fixtures.user();
    const visitor = await visit(browser, { url, cookie: await signIn(harness, user) });
    await visitor.open('/');
    await visitor.page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    const other = await visitor.context.newPage();
    await other.goto(url);
    await other.getByRole('button', { name: 'Sign out' }).click();
    await visitor.page.waitForURL('**/sign-in*');
    await visitor.context.close();
  });

  test('the focus goes back to what opened a dialog: a link, and the button of a menu', async () => {
    const user = await fixtures.user();
    const org = await fixtures.workspace(user, { name: 'Harbour' });
    await fixtures.member(org, await fixtures.user({ name: 'Ada' }));
    const visitor = await visit(browser, { url, cookie: await signIn(harness, user) });
    const { page } = visitor;
    await visitor.open('/');
    const link = page.getByRole('main').getByRole('link', { name: 'New workspace' });
    const focused = () =>
      page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent');
    await link.press('Enter');
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await focused(), 'New workspace');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await focused(), 'New workspace');
    await visitor.open(`/workspaces/${org}/members`);
    const menu = page.getByRole('button', { name: /Acts on Ada/ });
    await menu.press('Enter');
    await page.getByRole('menuitem', { name: /Remove/ }).press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.match(String(await focused()), /Ada/);
    const project = await fixtures.project({ userId: user.id });
    await visitor.open(`/projects/${project}/tasks/${await fixtures.task(project, user)}`);
    for (const how of ['a finger', 'a key']) {
      const acts = page.getByRole('button', { name: 'More acts on the task' });
      const entry = page.getByRole('menuitem', { name: 'Title, model and cap' });
      if (how === 'a key') await acts.press('Enter');
      else await acts.click();
      if (how === 'a key') await entry.press('Enter');
      else await entry.click();
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      assert.equal(await focused(), 'More acts on the task', how);
    }
    await visitor.context.close();
  });

  test('Ctrl+K goes to a project by a part of its name, without a mouse', async () => {
    const user = await fixtures.user();
    const cookie = await signIn(harness, user);
    const made = await fetch(`${url}/api/projects`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ name: 'Lighthouse', erp_version: '18.0', erp_edition: 'community' }),
    });
    assert.equal(made.status, 201, await made.clone().text());
    const visitor = await visit(browser, { url, cookie });
    await visitor.open('/');
    await visitor.page.keyboard.press('Control+k');
    await visitor.page.getByRole('dialog').getByRole('combobox').waitFor();
    await visitor.page.keyboard.type('light');
    const entry = visitor.page.getByRole('option', { name: 'Lighthouse project' });
    await entry.waitFor();
    await visitor.isClean();
    // Enter that ends a word of an input method opens nothing.
    await visitor.page.evaluate(COMPOSING_ENTER);
    assert.equal(await entry.isVisible(), true);
    await visitor.page.keyboard.press('Enter');
    await visitor.page.getByRole('heading', { level: 1, name: 'Lighthouse' }).waitFor();
    await visitor.context.close();
  });

  test('Ctrl+K finds a task by what was said in it, and acts on it', async () => {
    const user = await fixtures.user();
    const project = await fixtures.project({ userId: user.id });
    const task = await fixtures.task(project, user);
    await harness.db.many(sql`
        insert into task_message (task_id, number, role, content)
        values (${task}, 1, 'agent', ${'## Long ago\n\n- [ ] the **platypus** invoice\nwas <b>`rounded_up`</b>.'})`);
    await fixtures.revision(task);
    const visitor = await visit(browser, { url, cookie: await signIn(harness, user), ...NARROW });
    const { page } = visitor;
    await visitor.open('/');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').waitFor();
    await page.keyboard.type('platypus inv');
    const found = page.getByRole('option', {
      name: /A task .*Long ago the platypus invoice was <b>rounded_up</,
    });
    await found.waitFor();
    assert.equal(await found.locator('mark').first().textContent(), 'platypus');
    await visitor.isCleanInEveryLook();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/projects/${project}/tasks/${task}`);
    await page.getByRole('button', { name: 'Approve version 1' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.locator('dialog input').waitFor();
    await page.keyboard.type('approve');
    await page.getByRole('option', { name: /Approve version 1.*act here/ }).waitFor();
    await visitor.isClean();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Approve version 1' }).waitFor({ state: 'detached' });
    assert.deepEqual(
      await harness.db.one(sql`select approved_version from plan where task_id = ${task}`),
      { approved_version: 1 },
    );
    await page.keyboard.press('Control+k');
    await page.locator('dialog input').waitFor();
    await page.keyboard.type('new task in');
    await page.getByRole('option', { name: /^New task in/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/new-task?project=${project}`);
    await page.locator('main textarea:focus').waitFor();
    await visitor.context.close();
  });

  test('? shows the keys, j and k move through a list from anywhere, and a field keeps its letters', async () => {
    const user = await fixtures.user();
    const project = await fixtures.project({ userId: user.id });
    const [older, newer] = [await fixtures.task(project, user), await fixtures.task(project, user)];
    const visitor = await visit(browser, { url, cookie: await signIn(harness, user) });
    const { page } = visitor;
    await visitor.open(`/projects/${project}`);
    const focused = () =>
      page.evaluate<string | undefined>(
        "document.activeElement.closest('[data-row]')?.getAttribute('data-row')",
      );
    await page.locator(`[data-row="${older}"]`).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await visitor.isClean();
    await page.keyboard.press('j');
    assert.equal(await focused(), undefined, 'a dialog is open');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const field = page.getByRole('searchbox');
    await field.press('j');
    await field.press('?');
    assert.deepEqual([...(await field.inputValue())].sort(), ['?', 'j']);
    // What was typed is looked for: only then are the rows those of an empty field again.
    await page.getByText('No task fits.').waitFor();
    await field.fill('');
    await page.locator(`[data-row="${older}"]`).waitFor();
    await field.evaluate((element) => element.blur());
    await page.keyboard.press('j');
    assert.equal(await focused(), newer);
    await page.keyboard.press('j');
    assert.equal(await focused(), older);
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/tasks/${newer}`);
    await page.getByRole('heading', { level: 1, name: 'A task' }).waitFor();
    await visitor.leave();
  });

  test('the guide is shown by topics, reached from the pages it is about', async () => {
    const user = await fixtures.user();
    const project = await fixtures.project({ userId: user.id });
    const visitor = await visit(browser, { url, cookie: await signIn(harness, user), ...NARROW });
    const { page } = visitor;
    await visitor.open(`/projects/${project}/people`);
    await page.getByRole('link', { name: 'What roles may do' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Roles' }).waitFor();
    await page.getByText('A workspace has exactly one').waitFor();
    await page.getByRole('columnheader', { name: 'Viewer' }).waitFor();
    await visitor.isCleanInEveryLook();
    await page.getByRole('link', { name: 'Merge targets' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Merge targets' }).waitFor();
    assert.match(page.url(), /\/help\/merge-targets$/);
    await visitor.open('/help');
    await page.getByRole('heading', { level: 1, name: 'First steps' }).waitFor();
    await visitor.leave();
  });

  test('every link to the guide names one of its topics', () => {
    const root = join(import.meta.dirname, '../..');
    const guide = readFileSync(join(root, 'docs/guide.md'), 'utf8');
    const topics = [...guide.matchAll(/^## (.+)$/gm)].map(([, name = '']) =>
      name.toLowerCase().replaceAll(' ', '-'),
    );
    const linked = globSync('web/src/**/*.tsx', { cwd: root }).flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/HelpLink topic="([^"]+)"/g)].map(
        ([, topic = '']) => topic,
      ),
    );
    assert.ok(linked.length >= 5);
    for (const topic of linked) assert.ok(topics.includes(topic), topic);
  });
} else test('the dashboard in a browser', { skip }, () => {});
