import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { recordUsage } from '../../server/billing/ledger/usage.ts';
import { sql } from '../../server/db/sql.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { NARROW, noBrowser, openBrowser, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';

/** The page of usage. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { db, fixtures, url } = harness;

  /** A workspace in which two people have used something, each in a task of their own. */
  async function usedWorkspace() {
    const [owner, member] = [await fixtures.user({ name: 'Ada' }), await fixtures.user()];
    const org = await fixtures.workspace(owner, { balance: '5.00' });
    await fixtures.member(org, member, 'member');
    const project = await fixtures.project({ organizationId: org });
    await db.many(sql`update project set name = 'Webshop' where id = ${project}`);
    const account = await db.one<{ id: string }>(
      sql`select id from billing_account where organization_id = ${org}`,
    );
    for (const [person, amount] of [
      [owner, 1_500_000_001n],
      [member, 250_000_000n],
    ] as const) {
      const task = await fixtures.task(project, person);
      await db.transaction((tx) =>
        recordUsage(tx, [
          {
            key: randomUUID(),
            accountId: account.id,
            amount,
            reference: { type: 'task', id: task },
            occurredAt: new Date(),
            model: 'sandbox',
            inputTokens: 1_200,
            outputTokens: 34,
          },
        ]),
      );
    }
    return { owner, member, org, project };
  }

  test('an owner sees all usage, grouped, exact to the nano-dollar', async () => {
    const { owner, org } = await usedWorkspace();
    const cookie = await signIn(harness, owner);
    const visiting = await visit(browser, { url, cookie, ...NARROW });
    const { page } = visiting;
    await visiting.open(`/workspaces/${org}/usage`);
    await page.getByRole('link', { name: 'Webshop' }).last().waitFor();
    await page.getByRole('cell', { name: '$1.75' }).getByTitle('$1.750000001').waitFor();
    const chart = page.getByRole('slider', {
      name: /^Cost of each day.*highest is \$1.750000001/,
    });
    await chart.waitFor();
    await page.getByText('$2', { exact: true }).waitFor();
    await chart.press('End');
    const today = new Date().toISOString().slice(0, 10);
    await page.locator('[data-tooltip]').getByText('$1.750000001').waitFor();
    assert.equal(await chart.getAttribute('aria-valuetext'), `${today}: $1.750000001`);
    await page.getByText('There is no limit for the month').waitFor();
    await visiting.isCleanInEveryLook();
    await page.getByLabel('Group by').selectOption('Person');
    await page.getByRole('cell', { name: '$1.50' }).getByTitle('$1.500000001').waitFor();
    await page.getByRole('cell', { name: 'Ada', exact: true }).waitFor();
    await page.getByRole('cell', { name: '$0.25' }).waitFor();
    assert.match(page.url(), /by=member/);
    await visiting.leave();
  });

  test('a member sees what they asked for, and who has used nothing an empty page', async () => {
    const { member, org } = await usedWorkspace();
    const cookie = await signIn(harness, member);
    const visiting = await visit(browser, { url, cookie });
    const { page } = visiting;
    await visiting.open(`/workspaces/${org}/usage?by=day`);
    await page.getByRole('cell', { name: '$0.25' }).waitFor();
    assert.equal(await page.getByText('1.50').count(), 0);
    await visiting.open('/account/usage?from=2020-01-01&to=2020-01-31');
    await page.getByText('No task has used anything in these days').waitFor();
    await visiting.isClean();
    await visiting.open('/account/usage?from=2020-01-01&to=2026-01-31');
    await page.getByRole('alert').getByText('at most 366 days').first().waitFor();
    visiting.expectErrors(/422/);
    await visiting.leave();
  });

  test('a project shows its month against its limit, and a task what each turn cost', async () => {
    const { owner, member, org, project } = await usedWorkspace();
    const set = await harness.request('PUT', `/api/organizations/${org}/billing/spend-limits`, {
      key: owner.key,
      body: { limits: [{ subject: 'project', subject_id: project, amount: '2.00' }] },
    });
    assert.equal(set.status, 200);
    const visiting = await visit(browser, { url, cookie: await signIn(harness, owner), ...NARROW });
    const { page } = visiting;
    await visiting.open(`/projects/${project}`);
    await page.getByRole('link', { name: 'Usage', exact: true }).first().press('Enter');
    await page.getByText('of $2.00').waitFor();
    await page.getByRole('img', { name: /^This month against its limit/ }).waitFor();
    await page.getByRole('cell', { name: '$1.50' }).getByTitle('$1.500000001').waitFor();
    await visiting.isCleanInEveryLook();
    const { id: task } = await db.one<{ id: string }>(sql`
        update task set spend_cap = 5000000
         where project_id = ${project} and created_by_user_id = ${owner.id} returning id`);
    await db.many(sql`
        update task_turn set spent_nano = 1500000001, requested_by_user_id = ${owner.id}
         where id = ${await fixtures.turn(task, { state: 'done', attempt: 1 })}`);
    await visiting.open(`/projects/${project}/tasks/${task}`);
    await page.getByRole('link', { name: /^\$1\.50/ }).press('Enter');
    await page.getByRole('cell', { name: '$1.50' }).getByTitle('$1.500000001').waitFor();
    await page.getByRole('cell', { name: /^1\. Writes the plan/ }).waitFor();
    await page.getByRole('img', { name: /^The task against its cap/ }).waitFor();
    await visiting.leave();
    const other = await visit(browser, { url, cookie: await signIn(harness, member), ...NARROW });
    await other.open(`/projects/${project}/usage`);
    await other.page.getByRole('cell', { name: '$0.25' }).waitFor();
    assert.equal(await other.page.getByText('of $2.00').count(), 0);
    await other.open(`/projects/${project}/tasks/${task}?panel=cost`);
    await other.page.getByText('No turn that you may see').waitFor();
    await other.leave();
  });
} else test('the pages of usage in a browser', { skip: noBrowser }, () => {});
