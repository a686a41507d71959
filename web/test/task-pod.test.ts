import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { taskServers } from '../../server/testing/fixtures/runner/task-servers.ts';
import { noBrowser, openBrowser, visit } from './browser.ts';
import { signIn } from './sign-in.ts';

/** The pod on the page of a task: its state, its log, and who may stop it. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const tasks = await taskServers();
  const { db, owner } = tasks;
  const { url } = await tasks.serve();

  test('the log is read when it is opened; the pod is started and stopped', async () => {
    const id = await tasks.create({ url }, 'Write notes/pod.md');
    await tasks.untilStatus(id, 'awaiting_approval');
    const { project_id } = await tasks.call<{ project_id: string }>({ url }, 'GET', `tasks/${id}`);
    await db.many(sql`
      insert into pod_log (pod_id, content)
      select id, 'agent: a warning <b>of</b> the library' from pod where task_id = ${id}
      on conflict (pod_id) do update set content = excluded.content`);
    const visitor = await visit(browser, {
      url,
      cookie: await signIn({ db }, owner),
      width: 360,
      scheme: 'dark',
    });
    const { page } = visitor;
    const reads: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/pod/log')) reads.push(request.url());
    });
    await visitor.open(`/projects/${project_id}/tasks/${id}`);
    await page.getByRole('button', { name: 'Approve version 1' }).waitFor();
    assert.deepEqual(reads, []);
    await page.getByRole('link', { name: 'Pod', exact: true }).press('Enter');
    await page.getByText('agent: a warning <b>of</b> the library').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('panel'), 'pod');
    const overflow = Number(await page.evaluate('document.documentElement.scrollWidth'));
    assert.ok(overflow <= 360, `${overflow} pixels`);
    await visitor.isClean();
    // Between turns, a pod is paused.
    await page.getByRole('button', { name: 'Start the pod' }).press('Enter');
    await page.getByText('Running', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop the pod' }).press('Enter');
    await page.getByText('Paused', { exact: true }).waitFor();
    await visitor.isClean();
    await visitor.context.close();
  });

  test('whoever may only read sees the log, and cannot stop the pod', async () => {
    const id = await tasks.create({ url }, 'Write notes/reader.md');
    await tasks.untilStatus(id, 'awaiting_approval');
    const { project_id } = await tasks.call<{ project_id: string }>({ url }, 'GET', `tasks/${id}`);
    const viewer = await tasks.fixtures.user();
    await tasks.fixtures.member(tasks.workspace, viewer, 'viewer');
    const visitor = await visit(browser, { url, cookie: await signIn({ db }, viewer) });
    await visitor.open(`/projects/${project_id}/tasks/${id}?panel=pod`);
    await visitor.page.getByText('The log is empty').waitFor();
    assert.equal(await visitor.page.getByRole('button', { name: /the pod$/ }).count(), 0);
    await visitor.isClean();
    await visitor.context.close();
  });
} else test('the pod of a task in a browser', { skip: noBrowser }, () => {});
