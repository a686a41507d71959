import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startOdoo } from '../../server/testing/fixtures/erp/fake-server.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { startHarness } from '../../server/testing/harness/harness.ts';
import { DASHBOARD, NARROW, noBrowser, openBrowser, type Visitor, visit } from './browser.ts';

/** Connections to Odoo on the settings of a project. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startHarness({ dashboard: DASHBOARD, env: { ERP_ALLOW_HTTP: 'true' } });
  const { fixtures, request, unchanged, url } = harness;
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const [viewer, member] = [await fixtures.user(), await fixtures.user()];
  await fixtures.member(workspace, viewer, 'viewer');
  await fixtures.member(workspace, member);
  const odoo = await startOdoo({ databases: ['main', 'second'] });
  const projectOf = () => fixtures.project({ organizationId: workspace });

  const open = async (project: string, as = owner, look: object = {}): Promise<Visitor> => {
    const visitor = await visit(browser, { url, cookie: await signIn(harness, as), ...look });
    await visitor.open(`/projects/${project}/settings`);
    await visitor.page.getByRole('heading', { name: 'ERP connections' }).waitFor();
    return visitor;
  };
  const at = (project: string, id = '') => `/api/projects/${project}/odoo-connections${id}`;
  const listed = async (project: string) =>
    (await request('GET', at(project), { key: owner.key })).body;
  const change = (project: string, id: string, body: object) =>
    request('PUT', at(project, `/${id}`), { key: owner.key, body });

  /** Everything that a page of this visitor keeps or shows. */
  const kept = ({ page }: Visitor): Promise<string> =>
    page.evaluate(`JSON.stringify([
      document.documentElement.outerHTML,
      { ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state,
      [...document.querySelectorAll('input')].map(({ value }) => value),
    ])`);

  test('a connection is added by keyboard alone', async () => {
    const project = await projectOf();
    const visitor = await open(project, owner, NARROW);
    const { page, isCleanInEveryLook } = visitor;
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    const secret = odoo.key('admin');
    const { keyboard } = page;
    const next = async (label: string, text: string) => {
      await page.getByLabel(label, { exact: true }).and(page.locator(':focus')).waitFor();
      await keyboard.type(text);
      await keyboard.press('Tab');
    };
    const press = async (name: string, answer: RegExp) => {
      await page.getByRole('button', { name }).and(page.locator(':focus')).waitFor();
      await keyboard.press('Enter');
      await page.getByText(answer).waitFor();
      await keyboard.press('Tab');
    };
    await page.getByRole('button', { name: 'Add a connection' }).press('Enter');
    await next('Name', 'Staging');
    await next('Address', `${odoo.url}/`);
    await press('Check address', /2 databases/);
    await next('Database', 'main');
    await next('Login', 'admin');
    await next('Kind of secret', 'API key');
    await isCleanInEveryLook();
    await next('Secret', secret);
    await press('Check login', /^admin administers the server/);
    assert.ok(!(await page.content()).includes(secret));
    await next('Environment', 'Staging');
    await next('What agents may do', 'Only');
    await next('Exceptions', 'ir.mail_server, res.partner/signup_token ir.mail_server');
    await page.getByLabel('The secret expires on').and(page.locator(':focus')).waitFor();
    await keyboard.press('Enter');
    const row = page.getByRole('listitem').filter({ hasText: odoo.url });
    await row.getByText('The login works.').waitFor();
    for (const text of [
      'Works',
      'Agents may read',
      'ir.mail_server, res.partner/signup_token',
      /^API key, expires in/,
      /Odoo 19.0/,
    ])
      await row.getByText(text).first().waitFor();
    await isCleanInEveryLook();
    assert.ok(!(await kept(visitor)).includes(secret));
    assert.ok(!said.join().includes(secret));
    const [connection] = await listed(project);
    assert.deepEqual(
      [connection.name, connection.database, connection.has_secret, connection.agent_access],
      ['Staging', 'main', true, 'read'],
    );
    assert.deepEqual(connection.agent_exceptions, ['ir.mail_server', 'res.partner/signup_token']);
    await visitor.leave();
  });

  test('a wrong password, an unknown address and a name that is taken stand beside their fields', async () => {
    const project = await projectOf();
    await fixtures.odooConnection(project, { name: 'Taken' });
    const { page, context, expectErrors, isClean } = await open(project);
    await page.getByRole('button', { name: 'Add a connection' }).click();
    const dialog = page.getByRole('dialog');
    const fill = (label: string, text: string) =>
      dialog.getByLabel(label, { exact: true }).fill(text);
    const refused = async (field: string, words: RegExp) => {
      await unchanged(async () => {
        await dialog.getByRole('button', { name: 'Add the connection' }).click();
        await dialog.locator('[data-invalid]').filter({ hasText: words }).first().waitFor();
        await dialog.locator(`[name=${field}]:focus`).waitFor();
      });
      assert.equal(
        await dialog.locator(`[name=${field}]`).getAttribute('aria-invalid'),
        'true',
        field,
      );
      expectErrors(/422/);
    };
    await fill('Name', 'Taken');
    await fill('Address', 'ftp://files.example.com');
    await refused('url', /not the address of a server/);
    await fill('Address', odoo.url);
    await fill('Database', 'main');
    await fill('Login', 'clerk');
    await dialog.getByLabel('Kind of secret').selectOption('password');
    await fill('Secret', 'wrong');
    await refused('secret', /accept|login/);
    await isClean();
    await fill('Secret', odoo.password('clerk'));
    await fill('Exceptions', 'res.partner Mail/x');
    await refused('agent_exceptions', /form that is needed/);
    await fill('Exceptions', '');
    await refused('name', /already has a connection with this name/);
    await context.close();
  });

  test('what agents may change in production is confirmed in words first', async () => {
    const project = await projectOf();
    const id = await fixtures.odooConnection(project, {
      name: 'Shop',
      url: odoo.url,
      database: 'main',
      login: 'admin',
      agentAccess: 'write',
    });
    const visitor = await open(project);
    const { page } = visitor;
    await page.getByRole('button', { name: 'Acts on Shop' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    const save = dialog.getByRole('button', { name: 'Save' });
    const sure = dialog.getByLabel('Agents may change the production database');
    await dialog.getByLabel('Environment').selectOption('production');
    await sure.waitFor();
    assert.equal(await save.isDisabled(), true);
    await dialog.getByLabel('What agents may do').selectOption('read');
    assert.equal(await sure.count(), 0);
    await dialog.getByLabel('What agents may do').selectOption('write');
    assert.equal(await save.isDisabled(), true);
    await visitor.isClean();
    await sure.check();
    await dialog.getByLabel('Exceptions').fill('ir.mail_server');
    await save.click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Agents may read and change data').waitFor();
    const { body } = await request('GET', at(project, `/${id}`), { key: owner.key });
    assert.deepEqual([body.environment, body.agent_access], ['production', 'write']);
    assert.deepEqual(body.agent_exceptions, ['ir.mail_server']);
    await visitor.context.close();
  });

  test('another admin changed it first: both changes are kept, and nothing typed is lost', async () => {
    const project = await projectOf();
    const id = await fixtures.odooConnection(project, { name: 'Old', database: 'main' });
    const { page, context, expectErrors, isClean } = await open(project);
    await page.getByRole('button', { name: 'Acts on Old' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Mine');
    await change(project, id, { name: 'Theirs', environment: 'development' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Another person has changed this connection meanwhile').waitFor();
    expectErrors(/412/);
    await dialog.getByText('Name: “Theirs” (you have entered something else)').waitFor();
    await dialog.getByText('Environment: Development').waitFor();
    await isClean();
    assert.equal((await listed(project))[0].name, 'Theirs');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const [{ name, environment }] = await listed(project);
    assert.deepEqual([name, environment], ['Mine', 'development']);
    await context.close();
  });

  test('a connection is checked again, and deleted only as it was seen', async () => {
    const project = await projectOf();
    const id = await fixtures.odooConnection(project, {
      name: 'Odoo',
      url: odoo.url,
      database: 'main',
      secret: 'wrong',
    });
    const { page, context, expectErrors } = await open(project);
    await page.getByRole('button', { name: 'Check Odoo' }).click();
    await page.getByText('Does not work').waitFor();
    await page.getByText(/Login and secret are not accepted/).waitFor();
    await page.getByRole('button', { name: 'Acts on Odoo' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    const remove = dialog.getByRole('button', { name: 'Delete the connection' });
    await remove.waitFor();
    await change(project, id, { environment: 'production' });
    await remove.click();
    await dialog.getByText('Another person has changed this connection meanwhile').waitFor();
    expectErrors(/412/);
    await dialog.getByText('Production').waitFor();
    assert.equal((await listed(project)).length, 1);
    await remove.click();
    await page.getByText('No connections to Odoo yet.').waitFor();
    assert.deepEqual(await listed(project), []);
    await context.close();
  });

  test('the secret is kept when left empty, removed when asked, and its end is warned of', async () => {
    const project = await projectOf();
    const soon = new Date(Date.now() + 3 * 86_400_000);
    await fixtures.odooConnection(project, { name: 'Odoo', expiresAt: soon });
    const visitor = await open(project);
    const { page } = visitor;
    await page.getByText(/API key expires in 3 days/).waitFor();
    const edit = async () => {
      await page.getByRole('button', { name: 'Acts on Odoo' }).click();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
    };
    const save = async () => {
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await edit();
    await page.getByPlaceholder('Stored; leave empty to keep').waitFor();
    await page.getByLabel('Environment').selectOption('development');
    await save();
    const [kept] = await listed(project);
    assert.deepEqual([kept.has_secret, kept.environment], [true, 'development']);
    await edit();
    await page.getByLabel('Remove the stored secret').check();
    assert.equal(await page.getByLabel('Secret', { exact: true }).isDisabled(), true);
    await visitor.isClean();
    await save();
    await page.getByText(/No secret is stored/).waitFor();
    assert.equal((await listed(project))[0].has_secret, false);
    await visitor.context.close();
  });

  test('viewers see the list and cannot write; members may check', async () => {
    const project = await projectOf();
    await fixtures.odooConnection(project, { name: 'Odoo' });
    for (const [person, checks] of [
      [viewer, 0],
      [member, 1],
    ] as const) {
      const { page, leave } = await open(project, person);
      await page.getByRole('heading', { name: 'Odoo', exact: true }).waitFor();
      await page.getByText('Admins of the project can add and change connections.').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Add a connection' }).count(), 0);
      assert.equal(await page.getByRole('button', { name: 'Acts on Odoo' }).count(), 0);
      assert.equal(await page.getByRole('button', { name: 'Check Odoo' }).count(), checks);
      await leave();
    }
  });
} else test('ERP connections in a browser', { skip: noBrowser }, () => {});
