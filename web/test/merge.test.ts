import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { checksOn } from '../../server/testing/fixtures/code/checks.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { makePods } from '../../server/testing/fixtures/runner/pods.ts';
import { startHarness } from '../../server/testing/harness/harness.ts';
import { DASHBOARD, noBrowser, openBrowser, type Visitor, visit } from './browser.ts';

/** Merging a task: into what, how, and whether in spite of its checks. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startHarness({ dashboard: DASHBOARD, own: true });
  const { db, fixtures, url } = harness;
  const tasks = await checksOn(harness);
  const { owner, workspace } = tasks;
  const name = 'Max Meister';
  await db.many(sql`update app_user set name = ${name} where id = ${owner.id}`);

  const open = async (
    { projectId, taskId }: { projectId: string; taskId: string },
    as: Parameters<typeof signIn>[1] = owner,
    look: object = {},
  ): Promise<Visitor> => {
    const visitor = await visit(browser, { url, cookie: await signIn(harness, as), ...look });
    await visitor.open(`/projects/${projectId}/tasks/${taskId}?panel=pull-request`);
    return visitor;
  };
  const mergeOf = (taskId: string) =>
    db.many<{ branch: string; method: string; forced: boolean }>(
      sql`select branch, method, forced from merge where task_id = ${taskId}`,
    );

  test('production is asked for once, by its name; the merge is done as chosen, and says by whom', async () => {
    const task = await tasks.offered();
    const { page, isClean, leave } = await open(task);
    const panel = page.getByRole('region', { name: 'Pull request' });
    await panel.getByLabel('As').selectOption('One commit');
    await panel.getByRole('button', { name: 'Merge into main (production)' }).click();
    const dialog = page.getByRole('dialog', { name: 'Merge into main (production)?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.deepEqual(await mergeOf(task.taskId), []);
    await panel.getByRole('button', { name: 'Merge into main (production)' }).click();
    await isClean();
    await dialog.getByRole('button', { name: 'Merge into main' }).click();
    await dialog.waitFor({ state: 'detached' });
    // The button that has opened it is gone.
    await panel.and(page.locator(':focus')).waitFor();
    assert.deepEqual(await mergeOf(task.taskId), [
      { branch: 'main', method: 'squash', forced: false },
    ]);
    await tasks.work();
    await page.reload();
    await panel.getByText(`into main (production), as one commit, by ${name}`).waitFor();
    assert.equal(await panel.getByRole('button', { name: /^Merge/ }).count(), 0);
    // A task has one pull request: nothing that is built after its merge gets into another.
    await page.getByText('Begin a new task for what comes next').waitFor();
    await leave();
  });

  test('a pull request that was closed says so, and not that one is to be opened', async () => {
    const task = await tasks.offered();
    await db.many(sql`
      update pull_request set state = 'closed' where task_id = ${task.taskId}`);
    const { page, leave } = await open(task);
    await page.getByText('The pull request was closed without a merge.').waitFor();
    assert.equal(await page.getByText('then open a pull request').count(), 0);
    assert.equal(await page.getByRole('button', { name: /^(Merge|Open a pull)/ }).count(), 0);
    await leave();
  });

  test('another target is chosen where the merge is; staging is not asked for', async () => {
    const task = await tasks.offered();
    tasks.gitIn(task.projectId, 'branch', 'next', 'main');
    await fixtures.mergeTarget(task.projectId, 'next');
    const { page, leave } = await open(task);
    const panel = page.getByRole('region', { name: 'Pull request' });
    await panel.getByLabel('Into').selectOption('next (staging)');
    await panel.getByRole('button', { name: 'Merge into next (staging)' }).click();
    await panel.getByText('Waits for a worker').waitFor();
    assert.deepEqual(await mergeOf(task.taskId), [
      { branch: 'next', method: 'merge', forced: false },
    ]);
    await leave();
  });

  test('a failed check is named and leads to its log; an owner merges anyway, after a question', async (t) => {
    const task = await tasks.checked({ unit: 'true', 'end to end': 'exit 1' });
    const running = tasks.worker(await makePods(t));
    await tasks.untilEnded(task.taskId);
    await running.close();
    const { page, isClean, leave } = await open(task, owner, { scheme: 'dark', width: 360 });
    const panel = page.getByRole('region', { name: 'Pull request' });
    const bar = page.getByRole('region', { name: 'What the task waits for' });
    for (const place of [panel, bar]) {
      const link = place.getByRole('link', { name: 'end to end: read its log' });
      const log = await page.request.get((await link.getAttribute('href')) as string);
      assert.equal(log.status(), 200);
    }
    assert.equal(await bar.getByRole('button', { name: /^Merge/ }).count(), 0);
    await panel.getByRole('button', { name: 'Merge anyway' }).click();
    await page.getByRole('dialog').getByText('1 of its checks failed.').waitFor();
    await isClean();
    await page.getByRole('dialog').getByRole('button', { name: 'Merge anyway' }).click();
    await panel.getByText('although its checks had not passed').waitFor();
    assert.deepEqual(await mergeOf(task.taskId), [
      { branch: 'main', method: 'merge', forced: true },
    ]);
    assert.doesNotMatch(await page.locator('body').innerText(), /\bforced?\b/i);
    await leave();
  });

  test('who may not merge reads who may, and has no button for it', async () => {
    const task = await tasks.offered();
    const member = await fixtures.user();
    await fixtures.member(workspace, member);
    const { page, leave } = await open(task, member);
    const panel = page.getByRole('region', { name: 'Pull request' });
    await panel
      .getByText(/You may not merge into this branch\. An owner or admin may, and a team/)
      .waitFor();
    assert.equal(await page.getByRole('button', { name: /^Merge/ }).count(), 0);
    await leave();
  });
} else test('merging a task in a browser', { skip: noBrowser }, () => {});
