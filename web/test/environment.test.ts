import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { noBrowser, openBrowser, type Visitor, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';

/** The environment of a project in its settings, and its setup in the conversation of a task. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { db, fixtures, request, unchanged, url } = harness;
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance: '10.00' });
  const viewer = await fixtures.user();
  await fixtures.member(workspace, viewer, 'viewer');

  const open = async (path: string, as = owner): Promise<Visitor> => {
    const visitor = await visit(browser, { url, cookie: await signIn(harness, as) });
    await visitor.open(path);
    return visitor;
  };

  test('an admin sets it; a path that leaves the repository is refused beside its field', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    const { page, leave, expectErrors } = await open(`/projects/${project}/settings`);
    const read = async () =>
      (await request('GET', `/api/projects/${project}/environment`, { key: owner.key })).body;
    const save = page.getByRole('button', { name: 'Set the environment' });
    const files = page.getByLabel('Files that the setup depends on');
    await page.getByLabel('Setup command').fill('npm ci');
    await page.getByLabel('Minutes that the setup may take').fill('20');
    await files.fill('../package-lock.json');
    await unchanged(async () => {
      await save.click();
      await page.locator('[data-invalid]').first().waitFor();
    });
    expectErrors(/422/);
    await files.fill('package-lock.json\nweb/package-lock.json\n');
    await save.click();
    await page.getByText('The environment was saved.').waitFor();
    assert.deepEqual(await read(), {
      setup: 'npm ci',
      setup_timeout_minutes: 20,
      cache: ['package-lock.json', 'web/package-lock.json'],
    });
    await page.getByLabel('Setup command').fill('');
    await page.getByLabel('Minutes that the setup may take').fill('');
    await files.fill('');
    await save.click();
    await page.getByText('The environment was saved.').waitFor();
    assert.deepEqual(await read(), {});
    await leave();
  });

  test('a viewer reads it and changes nothing', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    await request('PUT', `/api/projects/${project}/environment`, {
      key: owner.key,
      body: { setup: 'make deps' },
    });
    const { page, leave } = await open(`/projects/${project}/settings`, viewer);
    const setup = page.getByLabel('Setup command');
    await setup.waitFor();
    assert.deepEqual([await setup.inputValue(), await setup.isDisabled()], ['make deps', true]);
    await leave();
  });

  test('a setup stands in the conversation on one line, and opened with the end of its log', async () => {
    const project = await fixtures.project({ organizationId: workspace });
    const task = await fixtures.task(project, owner);
    const end = { status: 'ended', command: 'npm ci' };
    const events = [
      { id: 'a', status: 'running', command: 'npm ci' },
      { id: 'a', ...end, conclusion: 'success', seconds: 32.4, log: 'added 300 packages\n' },
      { id: 'b', status: 'running', command: 'npm ci' },
      { id: 'b', ...end, conclusion: 'failure', seconds: 1.2, log: 'no such package\n' },
      { id: 'c', status: 'running', command: 'npm ci' },
      {
        id: 'c',
        ...end,
        conclusion: 'restored',
        seconds: 2,
        log: 'Setup was taken from the cache (made 2 hours ago from commit abc1234).',
      },
    ].map((each) => JSON.stringify(each));
    await db.many(sql`
      insert into task_log (task_id, fence, owner, last_seq) values (${task}, 1, 'test', 6)`);
    await db.many(sql`
      insert into task_event (task_id, seq, type, payload)
      select ${task}, seq, 'setup', payload
        from unnest(${events}::text[]) with ordinality as logged (payload, seq)`);
    const { page, isClean, leave } = await open(`/projects/${project}/tasks/${task}`);
    const conversation = page.getByRole('region', { name: 'Conversation' });
    await conversation.getByText('Setup: npm ci — 32 s', { exact: true }).click();
    await conversation.getByText('added 300 packages').waitFor();
    await conversation.getByText('Setup: npm ci — 1.2 s, failed', { exact: true }).click();
    await conversation.getByText('no such package').waitFor();
    await conversation.getByText('Setup: npm ci — 2.0 s (from the cache)', { exact: true }).click();
    await conversation.getByText('made 2 hours ago from commit abc1234').waitFor();
    await isClean();
    await leave();
  });
} else test('the environment of a project in a browser', { skip: noBrowser }, () => {});
