import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { noBrowser, openBrowser, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';

/** What all lists, and all forms, have in common. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { db, fixtures, url } = harness;

  async function invitations() {
    const owner = await fixtures.user();
    const org = await fixtures.workspace(owner);
    await fixtures.invitation(org, { email: 'eve@northwind.example' });
    const visitor = await visit(browser, { url, cookie: await signIn(harness, owner) });
    return { visitor, at: `/workspaces/${org}/invitations` };
  }

  test('a menu that is loaded late opens with the focus of the button that was pressed', async () => {
    const { visitor, at } = await invitations();
    const { page } = visitor;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/menu-popup-*.js', async (route) => {
      await released;
      await route.continue();
    });
    await visitor.open(at);
    const button = page.getByRole('button', { name: /^Acts on the invitation/ });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.locator('button[aria-busy=true]').and(button).waitFor();
    assert.equal(await button.evaluate((element) => element.matches(':focus')), true);
    release();
    const entry = page.getByRole('menuitem', { name: 'Make a new link' });
    await entry.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await button.and(page.locator(':focus')).waitFor();
    await entry.waitFor({ state: 'detached' });
    await visitor.leave();
  });

  test('a list of many tasks reads on by itself; several are chosen by keys, archived at once, and a refusal stands by its row', async () => {
    const owner = await fixtures.user();
    const project = await fixtures.project({ userId: owner.id });
    await db.many(sql`
      insert into task (project_id, title, created_by_user_id, created_at, updated_at)
      select ${project}, 'Task ' || n, ${owner.id}, at, at
        from generate_series(1, 320) n, lateral (select now() - n * interval '1 minute' as at) t`);
    const visitor = await visit(browser, { url, cookie: await signIn(harness, owner) });
    const { page } = visitor;
    await visitor.open(`/projects/${project}`);
    // By their text: the names of all that is in hundreds of rows take long to find.
    const title = (n: number) => page.locator('main a').getByText(`Task ${n}`, { exact: true });
    const focused = (n: number) => page.locator('main a:focus', { hasText: `Task ${n}` });
    await title(50).waitFor();
    for (const last of [50, 250]) await title(last).scrollIntoViewIfNeeded();
    await title(320).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Show more' }).count(), 0);

    await title(1).focus();
    for (const key of ['x', 'j', 'j', 'x', 'k']) await page.keyboard.press(key);
    await focused(2).waitFor();
    await page.getByLabel('Choose Task 4', { exact: true }).check();
    await page.getByText('3 chosen').waitFor();
    await db.many(sql`delete from task where project_id = ${project} and title = 'Task 3'`);
    await page.getByRole('button', { name: 'Archive 3 tasks' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive 3 tasks' }).press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await title(1).waitFor({ state: 'detached' });
    visitor.expectErrors(/404/);
    const archived = await db.many<{ title: string }>(sql`
      select title from task where project_id = ${project} and archived_at is not null
       order by title`);
    assert.deepEqual(
      archived.map((row) => row.title),
      ['Task 1', 'Task 4'],
    );
    await visitor.leave();
  });

  test('a list of many members reads on by itself, and a link opens one of the last', async () => {
    const owner = await fixtures.user({ name: 'Ada' });
    const org = await fixtures.workspace(owner);
    await db.many(sql`
      with made as (
        insert into app_user (email, name, is_active)
        select 'p' || n || '-' || ${org} || '@example.com', 'Person ' || lpad(n::text, 3, '0'), true
          from generate_series(1, 260) n returning id)
      insert into membership (organization_id, user_id, role_id)
      select ${org}, made.id, r.id
        from made
        join role r on r.scope = 'workspace' and r.slug = 'member' and r.organization_id is null`);
    const { id } = await db.one<{ id: string }>(sql`
      select u.id from app_user u join membership m on m.user_id = u.id
       where m.organization_id = ${org} and u.name = 'Person 260'`);
    const visitor = await visit(browser, { url, cookie: await signIn(harness, owner) });
    const { page } = visitor;
    await visitor.open(`/workspaces/${org}/members?person=${id}`);
    await page.getByRole('dialog').getByText('Person 260').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Person 260' }).waitFor();
    await visitor.leave();
  });

  test('invitations are revoked at once; what is refused stands by its row, and stays chosen', async () => {
    const owner = await fixtures.user();
    const org = await fixtures.workspace(owner);
    const names = ['ada', 'eve', 'zoe'].map((name) => `${name}@northwind.example`);
    for (const email of names) await fixtures.invitation(org, { email });
    const visitor = await visit(browser, {
      url,
      cookie: await signIn(harness, owner),
      width: 360,
      scheme: 'dark',
    });
    const { page } = visitor;
    await visitor.open(`/workspaces/${org}/invitations`);
    await page.getByLabel('Choose all rows that are shown').check();
    await page.getByLabel('Choose zoe@northwind.example').uncheck();
    await visitor.isCleanInEveryLook();
    // What a server under load would answer to one of them.
    await page.route('**/invitations/*', async (route) => {
      const first = route.request().method() === 'DELETE' && !refused;
      refused ||= first;
      if (!first) return route.continue();
      const body = { code: 'overloaded', detail: 'The server is busy: try again in a moment' };
      await route.fulfill({ status: 409, json: body });
    });
    let refused = false;
    await page.getByRole('button', { name: 'Revoke 2 invitations' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke 2 invitations' }).click();
    await page.getByRole('cell', { name: 'The server is busy: try again in a moment' }).waitFor();
    visitor.expectErrors(/409/);
    const open = async () =>
      (
        await db.many(sql`
          select from invitation where organization_id = ${org} and status = 'pending'`)
      ).length;
    assert.equal(await open(), 2);
    await visitor.isClean();
    await page.unroute('**/invitations/*');
    await page.getByRole('button', { name: 'Revoke 1 invitation' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke 1 invitation' }).click();
    await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
    assert.equal(await open(), 1);
    await visitor.leave();
  });

  test('a form is sent again as it is after a refusal of a field, which goes when anything is edited', async () => {
    const visitor = await visit(browser, {
      url,
      cookie: await signIn(harness, await fixtures.user()),
    });
    const { page } = visitor;
    // What only the server can know, and what may have changed when the form is sent again.
    let refusals = 3;
    await page.route('**/api/projects', async (route) => {
      if (route.request().method() !== 'POST' || refusals === 0) return route.continue();
      refusals--;
      const detail = [{ loc: ['body', 'name'], msg: 'Taken for the moment', type: 'value_error' }];
      await route.fulfill({ status: 422, json: { detail } });
    });
    await visitor.open('/');
    await page.getByRole('main').getByRole('link', { name: 'New personal project' }).click();
    const dialog = page.getByRole('dialog');
    const create = dialog.getByRole('button', { name: 'Create the project' });
    const refusal = dialog.getByText('Taken for the moment');
    await dialog.getByLabel('Name').fill('Harbour');
    await create.click();
    await refusal.waitFor();
    const name = dialog.getByLabel('Name');
    const focused = name.and(page.locator(':focus'));
    assert.equal(await name.getAttribute('aria-invalid'), 'true');
    await focused.waitFor();
    visitor.expectErrors(/422/);
    await visitor.isClean();
    await dialog.getByLabel('Plans').selectOption('automatic');
    await refusal.waitFor({ state: 'detached' });
    assert.equal(await name.getAttribute('aria-invalid'), null);
    for (let sent = 0; sent < 2; sent++) {
      await create.click();
      await refusal.waitFor();
      await focused.waitFor();
      visitor.expectErrors(/422/);
    }
    await create.click();
    await page.getByRole('heading', { level: 1, name: 'Harbour' }).waitFor();
    // What is missing still keeps it from being sent.
    await visitor.open('/');
    await page.getByRole('main').getByRole('link', { name: 'New personal project' }).click();
    await dialog.getByLabel('Name').fill('x');
    await dialog.getByLabel('Name').fill('');
    await create.click();
    await dialog.locator('.text-wrong').first().waitFor();
    await visitor.leave();
  });

  test('a button keeps the focus while it is busy, acts once, and is pressed again after a refusal', async () => {
    const { visitor, at } = await invitations();
    const { page } = visitor;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let refused = 0;
    await page.route('**/api/organizations/*', async (route) => {
      if (route.request().method() !== 'PUT' || refused > 0) return route.continue();
      refused++;
      await released;
      await route.fulfill({ status: 409, json: { detail: 'Not for the moment', code: 'busy' } });
    });
    await visitor.open(at.replace('invitations', 'settings'));
    const save = page.getByRole('button', { name: 'Save', exact: true });
    const focused = save.and(page.locator(':focus'));
    await page.getByLabel('Name', { exact: true }).fill('Harbour');
    await save.focus();
    await page.keyboard.press('Enter');
    await page.locator('[aria-busy=true]').and(focused).waitFor();
    assert.equal(await save.isDisabled(), true);
    for (const key of ['Enter', 'Space']) await page.keyboard.press(key);
    await visitor.isClean();
    release();
    await page.getByText('Not for the moment').waitFor();
    await focused.waitFor();
    visitor.expectErrors(/409/);
    await page.keyboard.press('Enter');
    await page.getByText('The settings are saved.').waitFor();
    assert.equal(refused, 1);
    await visitor.leave();
  });

  test('names and code are not checked for their spelling', async () => {
    const owner = await fixtures.user();
    const project = await fixtures.project({ userId: owner.id });
    const visitor = await visit(browser, { url, cookie: await signIn(harness, owner) });
    const { page } = visitor;
    await visitor.open(`/projects/${project}`);
    const branch = page.getByLabel('Branch to begin with');
    assert.equal(await branch.getAttribute('spellcheck'), 'false');
    await page.keyboard.press('Control+k');
    const field = page.getByRole('dialog').getByRole('combobox');
    assert.equal(await field.getAttribute('spellcheck'), 'false');
    await visitor.leave();
  });
} else test('lists and forms in a browser', { skip: noBrowser }, () => {});
