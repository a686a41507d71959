import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { startHarness } from '../../server/testing/harness/harness.ts';
import { until } from '../../server/testing/harness/until.ts';
import { DASHBOARD, noBrowser, openBrowser, type Visitor, visit } from './browser.ts';

/** The settings of a project, and its end. */

const skip = noBrowser;

/** Writes down, in every frame, where each button of a section is. */
const PLACES = `
  globalThis.places = new Map();
  (function look() {
    for (const button of document.querySelectorAll('main section button')) {
      if (!button.checkVisibility()) continue;
      if (!places.has(button)) places.set(button, new Set());
      places.get(button).add(button.getBoundingClientRect().top);
    }
    requestAnimationFrame(look);
  })()`;
const TWO_FRAMES =
  'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))';
const MOVED = `[...places].filter(([, tops]) => tops.size > 1)
  .map(([button, tops]) => [button.textContent, ...tops].join(' '))`;

if (skip === false) {
  const browser = await openBrowser();
  const harness = await startHarness({
    dashboard: DASHBOARD,
    env: { PODS_NETWORK_CHECKS: 'registry.example', PODS_NETWORK_FIXED: 'deploy' },
  });
  const { db, fixtures, request, unchanged, url } = harness;
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const viewer = await fixtures.user();
  await fixtures.member(workspace, viewer, 'viewer');

  const open = async (path: string, as = owner): Promise<Visitor> => {
    const cookie = await signIn(harness, as, { proven: true });
    const visitor = await visit(browser, { url, cookie });
    await visitor.open(path);
    return visitor;
  };
  const read = async (project: string) =>
    (await request('GET', `/api/projects/${project}`, { key: owner.key })).body;

  test('a project is renamed and gets a cap; a wrong cap is refused beside its field', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    const { page, context, expectErrors } = await open(`/projects/${project}/settings`);
    await unchanged(async () => {
      await page.getByLabel('Spending cap of the project in USD').fill('much');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Write an amount in USD, such as 25.50').waitFor();
      // What only the server knows to be wrong is said at the same place.
      await page.getByLabel('Spending cap of the project in USD').fill('-1');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Write an amount in USD').waitFor({ state: 'detached' });
      await page.locator('[data-invalid] input:focus').waitFor();
    });
    expectErrors(/422/);
    await page.getByLabel('Name').fill('قسم المبيعات');
    await page.getByLabel('Spending cap of the project in USD').fill('12.50');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'قسم المبيعات' }).waitFor();
    const { name, spend_cap } = await read(project);
    assert.deepEqual({ name, spend_cap }, { name: 'قسم المبيعات', spend_cap: '12.50' });
    await context.close();
  });

  test('the sections of the settings appear together: no button moves, whichever answer comes last', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    const own = ['environment', 'instructions', 'mcp-servers', 'network', 'variables'];
    for (const last of ['/api/config', ...own.map((name) => `/api/projects/${project}/${name}`)]) {
      const cookie = await signIn(harness, owner);
      const { page, leave } = await visit(browser, { url, cookie });
      await page.addInitScript(PLACES);
      const others = ['/api/config', ...own.map((name) => `/api/projects/${project}/${name}`)]
        .filter((path) => path !== last)
        .map((path) => page.waitForResponse((response) => response.url().endsWith(path)));
      await page.route(`**${last}`, async (route) => {
        await Promise.all((await Promise.all(others)).map((response) => response.finished()));
        // What has arrived has had its frames.
        await page.evaluate(TWO_FRAMES);
        await route.continue();
      });
      const arrived = page.waitForResponse(`**${last}`);
      await page.goto(`/projects/${project}/settings`);
      await (await arrived).finished();
      await page.getByRole('button', { name: 'Delete the project' }).waitFor();
      await page.evaluate(TWO_FRAMES);
      const moved = await page.evaluate(MOVED);
      assert.deepEqual(moved, [], last);
      await leave();
    }
  });

  test('a section whose answer is a failure says so, and holds no other back', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    const cookie = await signIn(harness, owner);
    const { page, expectErrors, leave } = await visit(browser, { url, cookie });
    await page.route(`**/api/projects/${project}/network`, (route) =>
      route.fulfill({ status: 404, json: { code: 'not_found', detail: 'Not found' } }),
    );
    await page.goto(`/projects/${project}/settings`);
    await page.getByRole('button', { name: 'Delete the project' }).waitFor();
    await page.getByText('This is not there any more').waitFor();
    expectErrors(/404/);
    await leave();
  });

  test('a viewer reads the settings and cannot change them', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    const { page, leave } = await open(`/projects/${project}/settings`, viewer);
    await page.getByText('Admins of the project can change its settings.').waitFor();
    assert.equal(await page.getByLabel('Name').isDisabled(), true);
    assert.equal(await page.getByRole('button', { name: 'Transfer' }).count(), 0);
    await leave();
  });

  test('an admin lists what checks reach; what is no host is told, and the operator’s list is shown', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    const { page, expectErrors, leave } = await open(`/projects/${project}/settings`);
    await page.getByText('The operator of this server adds: registry.example').waitFor();
    await page.getByText('decides this list').waitFor();
    const checks = page.getByLabel('Checks');
    const save = page.getByRole('button', { name: 'Set the lists' });
    await checks.fill('10.0.0.1');
    await unchanged(async () => {
      await save.click();
      await page.getByText('This should be a name such as registry.example').waitFor();
    });
    expectErrors(/422/);
    await checks.fill('*.Mirror.example\ndocs.example');
    await save.click();
    await page.getByText('This should be a name such as registry.example').waitFor({
      state: 'detached',
    });
    const lists = async () =>
      (await request('GET', `/api/projects/${project}/network`, { key: owner.key })).body;
    await until('they are stored', async () => (await lists()).checks.length === 2);
    assert.deepEqual((await lists()).checks, ['*.mirror.example', 'docs.example']);
    await leave();
  });

  test('a host that was refused is added from the conversation, and what was used stands there', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    const task = await fixtures.task(project, owner);
    const host = 'evil.example';
    const text = `${host}:443 was refused`;
    const network = { host, port: 443, because: 'not_listed', purpose: 'agent', allow: host };
    const use = { host: 'a.example', requests: 2, bytes_sent: 100, bytes_received: 3_000_000 };
    const payloads = [
      { text, network },
      { purpose: 'agent', hosts: [use] },
    ];
    await db.many(sql`
      insert into task_log (task_id, fence, owner, last_seq) values (${task}, 1, 'test', 2)`);
    await db.many(sql`
      insert into task_event (task_id, seq, type, payload)
      select ${task}, seq, (array['notice', 'network'])[seq], payload
        from unnest(${payloads.map((each) => JSON.stringify(each))}::text[])
             with ordinality as said (payload, seq)`);
    const path = `/projects/${project}/tasks/${task}`;
    const others = await open(path, viewer);
    await others.page.getByText(text).waitFor();
    await others.page.getByText('a.example 2×, 1 KiB sent, 3 MiB received').waitFor();
    assert.equal(await others.page.getByRole('button', { name: /Allow/ }).count(), 0);
    await others.context.close();
    const { page, context, isClean } = await open(path);
    await page.getByRole('button', { name: `Allow ${host} for this project` }).click();
    await page.getByText('It is on the list now.').waitFor();
    await isClean();
    const reply = await request('GET', `/api/projects/${project}/network`, { key: owner.key });
    assert.deepEqual(reply.body.agent, [host]);
    await context.close();
  });
  for (const place of ['project', 'workspace'] as const)
    test(`instructions for agents are set in the settings of a ${place}`, async () => {
      const project = await fixtures.project({ organizationId: workspace });
      const [path, api] =
        place === 'project'
          ? [`/projects/${project}/settings`, `/api/projects/${project}/instructions`]
          : [`/workspaces/${workspace}/settings`, `/api/organizations/${workspace}/instructions`];
      const { page, context } = await open(path);
      await page.getByLabel('Instructions for every agent').fill('Write British English.');
      await page.getByRole('button', { name: 'Set the instructions' }).click();
      await page.getByText('The instructions are saved.').waitFor();
      const { body } = await request('GET', api, { key: owner.key });
      assert.deepEqual(body, { text: 'Write British English.' });
      await context.close();
    });

  test('what is typed in the settings stays while the server is away, and when another person has changed them', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    const api = `/api/projects/${project}/instructions`;
    const { page, context } = await open(`/projects/${project}/settings`);
    const field = page.getByLabel('Instructions for every agent');
    const hosts = page.getByLabel('Agents', { exact: true });
    await field.fill('What I have typed.');
    await hosts.fill('typed.example');
    await context.route('**/api/**', (route) => route.abort());
    // What is refused is read again, with all that the page shows of the project.
    const failed = page.waitForEvent('requestfailed', (request) =>
      request.url().endsWith('/instructions'),
    );
    await page.getByRole('button', { name: 'Set the lists' }).click();
    await failed;
    await page.getByText('There was no answer').first().waitFor();
    assert.equal(await field.inputValue(), 'What I have typed.');
    assert.equal(await hosts.inputValue(), 'typed.example');
    await context.unroute('**/api/**');

    await request('PUT', api, { key: owner.key, body: { text: 'By another person.' } });
    await page.getByRole('button', { name: 'Set the instructions' }).click();
    await page.getByText('The instructions have changed since you read them').waitFor();
    await page.getByText('This was changed elsewhere since you began to write.').waitFor();
    assert.equal(await field.inputValue(), 'What I have typed.');
    await page.getByText('What is there now').click();
    await page.getByText('By another person.').waitFor();
    const { body } = await request('GET', api, { key: owner.key });
    assert.deepEqual(body, { text: 'By another person.' });
    await page.getByRole('button', { name: 'Go on with what I have written' }).click();
    await page.getByRole('button', { name: 'Set the instructions' }).click();
    await page.getByText('The instructions are saved.').waitFor();
    const now = await request('GET', api, { key: owner.key });
    assert.deepEqual(now.body, { text: 'What I have typed.' });
    assert.equal(await page.getByText('This was changed elsewhere').count(), 0);
    await context.close();
  });

  test('instructions that were typed and not saved are there again, and say so if they have changed since', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    const api = `/api/projects/${project}/instructions`;
    const path = `/projects/${project}/settings`;
    const { page, context, open: go, isClean } = await open(path);
    const field = page.getByLabel('Instructions for every agent');
    const changed = page.getByText('This was changed elsewhere since you began to write.');
    const put = (text: string) => request('PUT', api, { key: owner.key, body: { text } });
    await field.fill('Mine.');
    await go('/');
    await go(path);
    assert.equal(await field.inputValue(), 'Mine.');
    await page.getByText('What you have written before is not saved yet.').waitFor();
    assert.equal(await changed.count(), 0);
    await put('Theirs.');
    await page.reload();
    await changed.waitFor();
    assert.equal(await field.inputValue(), 'Mine.');
    await isClean();
    await page.getByRole('button', { name: 'Discard it' }).click();
    assert.equal(await field.inputValue(), 'Theirs.');
    await put('Theirs again.');
    await page.reload();
    await field.waitFor();
    assert.equal(await field.inputValue(), 'Theirs again.');
    await field.fill('Both.');
    await page.getByRole('button', { name: 'Set the instructions' }).click();
    await page.getByText('The instructions are saved.').waitFor();
    const { body } = await request('GET', api, { key: owner.key });
    assert.deepEqual(body, { text: 'Both.' });
    await put('The last.');
    await page.reload();
    await field.waitFor();
    assert.equal(await field.inputValue(), 'The last.');
    assert.equal(await changed.count(), 0);
    await context.close();
  });

  test('a project is archived, and taken out of the archive', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    const { page, context } = await open(`/projects/${project}/settings`);
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByRole('button', { name: 'Take out of the archive' }).click();
    await page.getByRole('button', { name: 'Archive', exact: true }).waitFor();
    await context.close();
  });

  test('a project is transferred to oneself', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    const { page, context } = await open(`/projects/${project}/settings`);
    await page.getByRole('button', { name: 'Transfer' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('New owner').selectOption('myself');
    await dialog.getByRole('button', { name: 'Transfer the project' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal((await read(project)).owner_user_id, owner.id);
    await context.close();
  });

  test('a project is deleted after its name was typed, with a receipt', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    await fixtures.task(project, owner);
    const { name } = await read(project);
    const { page, context, isClean } = await open(`/projects/${project}/settings`);
    await page.getByRole('button', { name: 'Delete the project' }).click();
    const dialog = page.getByRole('dialog');
    const submit = dialog.getByRole('button', { name: 'Delete the project' });
    await dialog.getByLabel(/Type the name/).fill('another');
    assert.equal(await submit.isDisabled(), true);
    await dialog.getByLabel(/Type the name/).fill(name);
    await submit.click();
    await page.getByRole('heading', { name: 'The project is deleted' }).waitFor();
    await isClean();
    await page.getByRole('button', { name: 'Go to the first page' }).click();
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    assert.equal(
      (await request('GET', `/api/projects/${project}`, { key: owner.key })).status,
      404,
    );
    await context.close();
  });
} else test('the settings of a project in a browser', { skip }, () => {});
