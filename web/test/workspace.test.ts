import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import type { User } from '../../server/testing/fixtures/tenants.ts';
import { noBrowser, openBrowser, type Visitor, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';

/** The pages of a workspace: each one's main act, what it refuses, and how it looks. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { db, fixtures, request, url } = harness;

  const as = async (user: User) => visit(browser, { url, cookie: await signIn(harness, user) });
  /** A dialog has been answered, and is gone. */
  const closed = ({ page }: Visitor) => page.getByRole('dialog').waitFor({ state: 'detached' });

  async function tenant() {
    const owner = await fixtures.user({ name: 'Ada' });
    const member = await fixtures.user({ name: 'Grace' });
    const org = await fixtures.workspace(owner, { name: 'Northwind', balance: '12.50' });
    await fixtures.member(org, member);
    const team = await fixtures.team(org, { name: 'Core' });
    await fixtures.teamMember(team, member);
    return { owner, member, org, team, at: `/workspaces/${org}` };
  }

  test('five heads have the pages of a workspace under them; who may do less sees fewer', async () => {
    const { owner, member, at } = await tenant();
    const names = async ({ page }: Visitor, label: string) =>
      page.getByRole('navigation', { name: label }).getByRole('link').allInnerTexts();
    const visitor = await as(owner);
    const { page } = visitor;
    await visitor.open(`${at}/teams`);
    const heads = ['Overview', 'People', 'Billing', 'Usage', 'Settings'];
    assert.deepEqual(await names(visitor, 'Workspace'), heads);
    assert.deepEqual(await names(visitor, 'People'), ['Members', 'Teams', 'Invitations']);
    // The head of this page is marked, although it leads to another page.
    const marked = page.getByRole('navigation', { name: 'Workspace' }).locator('[aria-current]');
    assert.deepEqual(await marked.allInnerTexts(), ['People']);
    await page.getByRole('link', { name: 'Settings' }).press('Enter');
    await page.getByRole('link', { name: 'Roles' }).press('Enter');
    await page.getByRole('heading', { level: 2, name: 'Roles' }).waitFor();
    assert.deepEqual(await marked.allInnerTexts(), ['Settings']);
    const sections = [
      'General',
      'Roles',
      'Service accounts',
      'Webhooks',
      'Audit trail',
      'Leave or delete',
    ];
    assert.deepEqual(await names(visitor, 'Settings'), sections);
    await visitor.context.close();

    const less = await as(member);
    await less.open(at);
    await less.page.getByRole('link', { name: 'Settings' }).click();
    await less.page.getByRole('heading', { level: 2, name: 'Roles' }).waitFor();
    assert.deepEqual(await names(less, 'Settings'), ['Roles', 'Leave or delete']);
    await less.leave();
  });

  test('who opens by its address what is for admins reads so, asks for nothing and changes nothing', async () => {
    const { owner, member, at } = await tenant();
    const visitor = await as(member);
    const { page, open } = visitor;
    const dialog = page.getByRole('dialog');
    for (const path of ['invitations?create=true', 'service-accounts', 'webhooks', 'audit']) {
      await open(`${at}/${path}`);
      await page.getByText('This page is for owners and admins of the workspace.').waitFor();
      assert.equal(await dialog.count(), 0, path);
    }
    await open(`${at}/billing?view=limits`);
    await page.getByText('This page is for owners and admins of the workspace.').waitFor();
    await visitor.isCleanInEveryLook();
    await open(`${at}?create=true`);
    await page.getByText('You can open no project here yet.').waitFor();
    assert.equal(await dialog.count(), 0);
    await open(`${at}/settings`);
    await page.getByText('Owners and admins of the workspace can change its settings.').waitFor();
    for (const control of [page.getByLabel('Name'), page.getByRole('button', { name: 'Save' })])
      assert.equal(await control.isDisabled(), true);
    await open(`${at}/members`);
    await page.getByRole('row').getByRole('link', { name: 'Ada' }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^Acts on/ }).count(), 0);
    await open(`${at}/members?person=${member.id}`);
    await dialog.getByText('Core').waitFor();
    assert.deepEqual(await dialog.getByRole('definition').first().allInnerTexts(), ['Member']);
    assert.equal(await dialog.getByRole('button', { name: /role|Remove/ }).count(), 0);
    await visitor.leave();

    const admin = await as(owner);
    await admin.open(`${at}/members?person=${member.id}`);
    await admin.page.getByRole('button', { name: 'Save the role' }).waitFor();
    await admin.leave();
  });

  test('what is typed about a workspace or a team stays when another person has changed it meanwhile', async () => {
    const { owner, org, team, at } = await tenant();
    const visitor = await as(owner);
    const { page } = visitor;
    await page.clock.install();
    for (const [table, id, path] of [
      ['organization', org, `${at}/settings`],
      ['team', team, `${at}/teams/${team}`],
    ] as const) {
      await visitor.open(path);
      const name = page.getByLabel('Name', { exact: true });
      await name.fill('What I have typed');
      await page.clock.fastForward('00:10');
      const { key } = owner;
      const api = `/api/organizations/${org}${table === 'team' ? `/teams/${id}` : ''}`;
      const { status } = await request('PUT', api, { key, body: { name: `Theirs, a ${table}` } });
      assert.equal(status, 200);
      await page.evaluate(
        "document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))",
      );
      await page.getByText('This was changed elsewhere since you began to write.').waitFor();
      assert.equal(await name.inputValue(), 'What I have typed');
      await page.getByRole('button', { name: 'Discard it' }).click();
      await page.getByText('This was changed elsewhere').waitFor({ state: 'detached' });
      assert.equal(await name.inputValue(), `Theirs, a ${table}`);
    }
    await visitor.leave();
  });

  test('what had no answer is done once if it is sent again, and anew after something else was done', async () => {
    const owner = await fixtures.user();
    const visitor = await as(owner);
    const { page } = visitor;
    const dialog = page.getByRole('dialog');
    // On the same page: it forgets nothing.
    const named = async (name: string) => {
      await page.getByRole('navigation').getByRole('link', { name: 'New workspace' }).click();
      await dialog.getByLabel('Name').fill(name);
      await page.keyboard.press('Enter');
    };
    // It is done, and what the server answers is lost.
    const loseAnswers = () =>
      page.route('**/api/organizations', async (route) => {
        if (route.request().method() === 'POST') await route.fetch();
        await route.abort('connectionreset');
      });
    const made = async () =>
      (
        await db.many<{ name: string }>(sql`
          select o.name from organization o join membership m on m.organization_id = o.id
           where m.user_id = ${owner.id} order by o.name`)
      ).map(({ name }) => name);
    await visitor.open('/');
    await loseAnswers();
    await named('Once');
    await dialog.getByText('There was no answer').waitFor();
    await page.unroute('**/api/organizations');
    await page.keyboard.press('Enter');
    await closed(visitor);
    assert.deepEqual(await made(), ['Once']);
    await named('Once');
    await closed(visitor);
    assert.deepEqual(await made(), ['Once', 'Once'], 'it was answered, and this is another one');

    await loseAnswers();
    await named('Twice');
    await dialog.getByText('There was no answer').waitFor();
    await page.unroute('**/api/organizations');
    await page.keyboard.press('Escape');
    await closed(visitor);
    await named('Other');
    await closed(visitor);
    await named('Twice');
    await closed(visitor);
    assert.deepEqual(await made(), ['Once', 'Once', 'Other', 'Twice', 'Twice'].toSorted());
    visitor.expectErrors(/ERR_CONNECTION_RESET/);
    await visitor.leave();
  });

  test('a colour and an icon are chosen by sight, also by keys, shown in the sidebar, and taken away again', async () => {
    const { owner, org, at } = await tenant();
    const look = () =>
      db.one<{ color: string | null; icon: string | null }>(
        sql`select color, icon from organization where id = ${org}`,
      );
    await db.many(
      sql`update organization set icon = 'anchor', color = '#123456' where id = ${org}`,
    );
    const visitor = await as(owner);
    const { page } = visitor;
    const save = async () => {
      await page.getByRole('button', { name: 'Save' }).first().press('Enter');
      await page.getByText('The settings are saved.').waitFor();
    };
    await visitor.open(`${at}/settings`);
    // What the API was given and is not among the choices stays.
    assert.equal(await page.getByLabel('anchor').isChecked(), true);
    assert.equal(await page.getByLabel('Another').isChecked(), true);
    await page.getByLabel('Name', { exact: true }).fill('Harbour');
    await save();
    assert.deepEqual({ ...(await look()) }, { color: '#123456', icon: 'anchor' });
    await page.getByLabel('Green').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowRight');
    await page.getByLabel('rocket').check();
    await save();
    const { color, icon } = await look();
    assert.deepEqual([color?.toLowerCase(), icon], ['#0f766e', 'rocket']);
    const entry = page.getByRole('navigation', { name: 'Main' }).getByRole('link', {
      name: 'Harbour',
    });
    await entry.locator('svg').waitFor();
    await visitor.isClean();
    await page.getByRole('group', { name: 'Colour' }).getByLabel('None').check();
    await page.getByRole('group', { name: 'Icon' }).getByLabel('None').check();
    await save();
    assert.deepEqual({ ...(await look()) }, { color: null, icon: null });
    await entry.locator('svg').waitFor({ state: 'detached' });
    await visitor.context.close();
  });

  test('a project is created in the workspace, without a mouse', async () => {
    const { owner, org, at } = await tenant();
    const visitor = await as(owner);
    await visitor.open(at);
    await visitor.page.getByText('$12.50').first().waitFor();
    await visitor.page.getByRole('link', { name: 'New project' }).focus();
    await visitor.page.keyboard.press('Enter');
    await visitor.page.getByRole('dialog').getByLabel('Name').waitFor();
    await visitor.page
      .getByRole('button', { name: 'Create the project', disabled: false })
      .waitFor();
    await visitor.page.keyboard.type('Lighthouse');
    await visitor.page.keyboard.press('Enter');
    await visitor.page.getByRole('heading', { level: 1, name: 'Lighthouse' }).waitFor();
    const projects = await db.many<{ name: string; plan_approval: string }>(
      sql`select name, plan_approval from project where organization_id = ${org}`,
    );
    assert.deepEqual(projects, [{ name: 'Lighthouse', plan_approval: 'required' }]);
    await visitor.leave();
  });

  test('a member is found, gets another role by keys alone, and is removed with a receipt', async () => {
    const { owner, member, org, at } = await tenant();
    const visitor = await as(owner);
    const { page } = visitor;
    const person = (name: string) => page.getByRole('row').getByRole('link', { name });
    await visitor.open(`${at}/members`);
    await person('Ada').focus();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Role').selectOption({ label: 'Viewer' });
    assert.equal(new URL(page.url()).searchParams.get('person'), member.id);
    await page.getByRole('button', { name: 'Save the role' }).press('Enter');
    await closed(visitor);
    await page.getByRole('row').filter({ hasText: 'Grace' }).getByText('Viewer').waitFor();
    await page.getByRole('searchbox').fill('gra');
    await person('Ada').waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).searchParams.get('q'), 'gra');
    // An address without words empties the field.
    await page.getByRole('link', { name: 'Members', exact: true }).click();
    await person('Ada').waitFor();
    assert.equal(await page.getByRole('searchbox').inputValue(), '');

    await person('Grace').click();
    await page.getByRole('button', { name: 'Remove from the workspace' }).click();
    const remove = page.getByRole('button', { name: 'Remove the member' });
    assert.equal(await remove.isDisabled(), true);
    await page.getByLabel('Type “Grace” to confirm').fill('Grace');
    await remove.click();
    await page.getByRole('status').getByText('Teams left: 1').waitFor();
    const left = await db.many(
      sql`select user_id from membership where organization_id = ${org} and user_id = ${member.id}`,
    );
    assert.equal(left.length, 0);
    await visitor.leave();
  });

  test('a role that was chosen stays, also when another person gives the member another one meanwhile', async () => {
    const { owner, member, org, at } = await tenant();
    const visitor = await as(owner);
    const { page } = visitor;
    const roles = await db.many<{ id: string; slug: string }>(
      sql`select id, slug from role where scope = 'workspace' and organization_id is null`,
    );
    const give = (slug: string) =>
      db.many(sql`
      update membership set role_id = ${roles.find((role) => role.slug === slug)?.id ?? null}
       where organization_id = ${org} and user_id = ${member.id}`);
    await page.clock.install();
    await visitor.open(`${at}/members?person=${member.id}`);
    const field = page.getByRole('dialog').getByLabel('Role');
    const shown = field.locator('option:checked');
    await shown.getByText('Member', { exact: true }).waitFor({ state: 'attached' });
    const readAgain = async () => {
      await page.clock.fastForward('00:10');
      const read = page.waitForResponse(/\/members\?/);
      await page.evaluate(
        "document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))",
      );
      await read;
    };
    await give('viewer');
    await readAgain();
    await shown.getByText('Viewer').waitFor({ state: 'attached' });
    await field.selectOption({ label: 'Admin' });
    await give('member');
    await readAgain();
    const row = page.locator('tr', { hasText: 'Grace' });
    await row.getByText('Member', { exact: true }).waitFor({ state: 'attached' });
    assert.equal(await shown.textContent(), 'Admin');
    await page.getByRole('button', { name: 'Save the role' }).click();
    await closed(visitor);
    await page.getByRole('row').filter({ hasText: 'Grace' }).getByText('Admin').waitFor();
    await visitor.leave();
  });

  test('a day that is typed is looked for once its year is whole', async () => {
    const { owner, at } = await tenant();
    const visitor = await as(owner);
    const { page } = visitor;
    await visitor.open(`${at}/audit`);
    const asked: (string | null)[] = [];
    page.on('request', (request) => {
      const { searchParams } = new URL(request.url());
      if (searchParams.has('from')) asked.push(searchParams.get('from'));
    });
    await page.getByLabel('From').click({ position: { x: 12, y: 12 } });
    const whole = page.waitForRequest(/from=2026-11-15/);
    await page.keyboard.type('11152026', { delay: 60 });
    await whole;
    assert.deepEqual(asked, ['2026-11-15T00:00:00Z']);
    await visitor.leave();
  });

  test('a role that is in use is deleted when another one replaces it', async () => {
    const { owner, org, at } = await tenant();
    const role = await fixtures.role(org, { name: 'Consultant' });
    const invited = await fixtures.invitation(org, { role });
    const visitor = await as(owner);
    const { page } = visitor;
    await visitor.open(`${at}/roles`);
    await page.getByRole('button', { name: 'Acts on the role Consultant' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete the role' }).click();
    await page.getByLabel('They get instead').selectOption({ label: 'Viewer' });
    visitor.expectErrors(/409/);
    await page.getByRole('button', { name: 'Delete the role' }).click();
    await closed(visitor);
    const { slug } = await db.one<{ slug: string }>(sql`
      select r.slug from invitation i join role r on r.id = i.role_id where i.id = ${invited}`);
    assert.equal(slug, 'viewer');
    await visitor.leave();
  });

  test('a person is invited with a role and a team; who is a member already is refused in words', async () => {
    const { owner, member, org, team, at } = await tenant();
    const visitor = await as(owner);
    const { page } = visitor;
    await visitor.open(`${at}/invitations?create=true`);
    await page.getByLabel('E-mail address').fill(member.email);
    await page.getByRole('button', { name: 'Make the invitation' }).click();
    await page.getByRole('alert').getByText('already').waitFor();
    visitor.expectErrors(/409/);
    await page.getByLabel('E-mail address').fill('eve@northwind.example');
    await page.getByLabel('Core').check();
    await page.getByRole('button', { name: 'Make the invitation' }).click();
    await page.getByRole('cell', { name: 'eve@northwind.example' }).first().waitFor();
    const { team_id } = await db.one<{ team_id: string }>(sql`
      select t.team_id from invitation i join invitation_team t on t.invitation_id = i.id
       where i.email = 'eve@northwind.example' and i.organization_id = ${org}`);
    assert.equal(team_id, team);
    await visitor.leave();
  });
} else test('the pages of a workspace in a browser', { skip: noBrowser }, () => {});
