import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { endUnpaid } from '../../server/runner/worker/instances/end-unpaid.ts';
import { publishIdle } from '../../server/runner/worker/publish-changes.ts';
import { limitsOf } from '../../server/testing/fixtures/billing/spend-limits.ts';
import { today, usageOn } from '../../server/testing/fixtures/billing/usage.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { startHarness } from '../../server/testing/harness/harness.ts';
import { DASHBOARD, NARROW, noBrowser, openBrowser, type Visit, visit } from './browser.ts';

/** The throwaway Odoo on the page of a task, from its start to its end. */

if (noBrowser === false) {
  const browser = await openBrowser();

  async function serve(env: Record<string, string> = {}) {
    const harness = await startHarness({ dashboard: DASHBOARD, env });
    const { db, fixtures, request, url } = harness;
    const owner = await fixtures.user();
    const workspace = await fixtures.workspace(owner, { balance: '10.00' });
    const viewer = await fixtures.user();
    await fixtures.member(workspace, viewer, 'viewer');
    const project = await fixtures.project({ organizationId: workspace });
    const open = async (task: string, as = owner, look: Partial<Visit> = {}) => {
      const visitor = await visit(browser, { url, cookie: await signIn(harness, as), ...look });
      await visitor.open(`/projects/${project}/tasks/${task}?panel=erp`);
      await visitor.page.getByRole('heading', { name: 'Throwaway Odoo' }).waitFor();
      return visitor;
    };
    return {
      db,
      url,
      fixtures,
      owner,
      viewer,
      open,
      request,
      workspace,
      use: usageOn(harness).use,
      // What a worker does all the time.
      publish: () =>
        publishIdle(db, harness.events.log, {
          owner: 'a',
          onFailure: (error) => assert.fail(`${error}`),
        }),
      task: () => fixtures.task(project, owner),
    };
  }
  const { db, fixtures, open, owner, publish, request, task, url, use, viewer, workspace } =
    await serve();

  /** What a worker does. */
  const becomes = (id: string, state: string, reason: string | null = null, at?: string) =>
    db.many(sql`
      update erp_instance
         set state = ${state}, ready_at = now(), reason = ${reason}, url = ${at ?? null},
             cleared_at = case when ${state} = 'ended' then now() end
       where task_id = ${id} and state <> 'ended'`);
  const statusOf = async (id: string): Promise<string> => {
    const path = `/api/tasks/${id}/odoo-instance`;
    const { status, body } = await request('GET', path, { key: owner.key });
    return status === 200 ? body.status : body.code;
  };
  const isArchived = async (id: string): Promise<boolean> =>
    (await request('GET', `/api/tasks/${id}`, { key: owner.key })).body.archived;

  test('it is started, seen ready, and stopped by keyboard', async () => {
    const id = await task();
    const { page, context, isClean, isCleanInEveryLook } = await open(id, owner, NARROW);
    await isClean();
    await page.getByRole('button', { name: 'Start an instance' }).press('Enter');
    const panel = page.getByRole('region', { name: 'ERP', exact: true });
    await panel.getByText('Starting', { exact: true }).waitFor();
    await panel.getByText('Odoo 18.0 Community').waitFor();
    await becomes(id, 'running', null, 'https://one.erp.example.com');
    await panel.getByText('Ready', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'https://one.erp.example.com' }).waitFor();
    await page.getByText(/It ends in 4 hr\. with its data/).waitFor();
    await isCleanInEveryLook();
    await page.getByRole('button', { name: 'Stop it' }).press('Enter');
    await page.getByText('Its database and everything in it is deleted.').waitFor();
    await isClean();
    assert.equal(await statusOf(id), 'running');
    await page.getByRole('button', { name: 'Stop and delete it' }).press('Enter');
    await page.getByText('Being removed', { exact: true }).waitFor();
    await becomes(id, 'ended');
    await page.getByText('The task has no Odoo of its own.').waitFor();
    assert.equal(await statusOf(id), 'odoo_instance_not_found');
    await context.close();
  });

  test('it is opened by a link that signs in, restarted and reset, and its mails and log are read', async () => {
    const id = await task();
    const instance = await fixtures.erpInstance(id);
    await db.many(sql`
      insert into erp_instance_log (instance_id, text) values (${instance}, 'It runs <b>well</b>.')`);
    await db.many(sql`
      insert into erp_instance_mail (instance_id, sender, recipients, subject, text)
      values (${instance}, 'odoo@example.com', '{azure@example.com}', 'Your quotation',
              '<img src=x onerror=alert(1)>')`);
    await db.many(sql`
      update erp_instance set entry_url = ${`${url}/_guildhall/open`} where id = ${instance}`);
    const { page, context, isCleanInEveryLook } = await open(id, owner, NARROW);
    const panel = page.getByRole('region', { name: 'ERP', exact: true });
    await panel.getByText('Mails', { exact: true }).click();
    await panel.getByText('<img src=x onerror=alert(1)>').waitFor();
    await panel.getByText('Log', { exact: true }).click();
    await panel.getByText('It runs <b>well</b>.').waitFor();
    await isCleanInEveryLook();
    const opening = context.waitForEvent('page');
    await panel.getByRole('button', { name: 'Open Odoo' }).click();
    await (await opening).waitForURL(/_guildhall\/open\?ticket=[\w-]{43}$/);
    await panel.getByRole('button', { name: 'Restart it' }).click();
    await panel.getByText('Starting', { exact: true }).waitFor();
    await becomes(id, 'running');
    await panel.getByText('Ready', { exact: true }).waitFor();
    // Not when the task is asked for again by itself, which is every ten seconds.
    await panel.getByRole('button', { name: 'Reset it' }).waitFor({ timeout: 4_000 });
    await panel.getByRole('button', { name: 'Reset it' }).click();
    await page.getByRole('button', { name: 'Delete its data and start anew' }).click();
    await panel.getByText('Starting', { exact: true }).waitFor();
    await context.close();
  });

  test('what others do to it is seen without the page asking by itself', async () => {
    const id = await task();
    await fixtures.erpInstance(id);
    const { page, context } = await open(id, viewer);
    // It asks for nothing by itself: its timers of many seconds never end.
    await page.addInitScript(`
      for (const name of ['setTimeout', 'setInterval']) {
        const own = window[name];
        window[name] = (act, time, ...rest) => own(act, time > 9_000 ? 2 ** 31 - 1 : time, ...rest);
      }`);
    await page.reload();
    const panel = page.getByRole('region', { name: 'ERP', exact: true });
    const sees = async (word: string) => {
      await publish();
      await panel.getByText(word, { exact: true }).waitFor();
    };
    await sees('Ready');
    const path = `/api/tasks/${id}/odoo-instance`;
    const { key } = owner;
    assert.equal((await request('POST', `${path}/restart`, { key })).status, 200);
    await sees('Starting');
    await becomes(id, 'running');
    await sees('Ready');
    assert.equal((await request('DELETE', path, { key })).status, 200);
    await sees('Being removed');
    await context.close();
  });

  test('its address is a link for people whom no link of the server lets in, and for no one else', async () => {
    const id = await task();
    const instance = await fixtures.erpInstance(id);
    const address = `https://${instance}.erp.example.com`;
    const at = (entry: string | null, shown = address) =>
      db.many(sql`
        update erp_instance set url = ${shown}, entry_url = ${entry} where id = ${instance}`);
    const links = async (as: typeof owner): Promise<number> => {
      const { page, leave } = await open(id, as);
      const panel = page.getByRole('region', { name: 'ERP', exact: true });
      await panel.getByText('Ready', { exact: true }).waitFor();
      const count = await panel.getByRole('link', { name: 'erp.example.com' }).count();
      await leave();
      return count;
    };
    await at(`${address}/_guildhall/open`);
    assert.deepEqual([await links(owner), await links(viewer)], [0, 0]);
    await at(null);
    assert.equal(await links(owner), 1);
    await at(null, 'https://one.erp.example.com');
    assert.deepEqual([await links(owner), await links(viewer)], [1, 1]);
  });

  test('archiving a task whose Odoo lives asks first', async () => {
    const id = await task();
    await fixtures.erpInstance(id);
    const { page, context, isClean } = await open(id);
    const archive = async (): Promise<void> => {
      await page.getByRole('button', { name: 'More acts on the task' }).click();
      await page.getByRole('menuitem', { name: 'Archive' }).click();
    };
    await archive();
    const dialog = page.getByRole('dialog', { name: 'Archive this task?' });
    await dialog.getByText('its database and everything in it is deleted').waitFor();
    await isClean();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual([await isArchived(id), await statusOf(id)], [false, 'running']);
    await archive();
    await dialog.getByRole('button', { name: 'Archive it and delete its Odoo' }).click();
    await page.getByText('This task is archived').waitFor();
    assert.equal(await isArchived(id), true);
    await becomes(id, 'stopping');
    await becomes(id, 'ended');
    const panel = page.getByRole('region', { name: 'ERP', exact: true });
    await panel.getByText('it is archived, which ends one with its data').waitFor();
    // Whether the page has asked for it once more when it had ended is a matter of time.
    await context.close();
  });

  test('the page of an archived task says so, with the way out; without an Odoo nothing is asked', async () => {
    const id = await task();
    const { page, isCleanInEveryLook, leave } = await open(id);
    await page.getByRole('button', { name: 'More acts on the task' }).click();
    await page.getByRole('menuitem', { name: 'Archive' }).click();
    const says = page.getByRole('region', { name: 'The archive' });
    await says.getByText('This task is archived').waitFor();
    assert.deepEqual([await page.getByRole('dialog').count(), await isArchived(id)], [0, true]);
    await page.getByText('it is archived, which ends one with its data').waitFor();
    await isCleanInEveryLook();
    await says.getByRole('button', { name: 'Take out of the archive' }).click();
    await says.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Start an instance' }).waitFor();
    assert.equal(await isArchived(id), false);
    await leave();
  });

  test('archiving a task whose Odoo has failed asks nothing', async () => {
    const id = await task();
    await fixtures.erpInstance(id, 'failed');
    const { page, leave } = await open(id);
    await page.getByRole('button', { name: 'More acts on the task' }).click();
    await page.getByRole('menuitem', { name: 'Archive' }).click();
    await page.getByText('This task is archived').waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    await leave();
  });

  test('viewers are told that a task is archived, and cannot take it out', async () => {
    const id = await task();
    await db.many(sql`update task set archived_at = now() where id = ${id}`);
    const { page, leave } = await open(id, viewer);
    await page.getByText('This task is archived').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Take out of the archive' }).count(), 0);
    await leave();
  });

  test('one that failed says why, and another one is started', async () => {
    const id = await task();
    await fixtures.erpInstance(id, 'failed');
    await becomes(id, 'failed', 'Its database could not be made.');
    const { page, context } = await open(id);
    await page.getByText('Its database could not be made.').waitFor();
    await page.getByRole('button', { name: 'Start another one' }).click();
    await page.getByText('Starting', { exact: true }).waitFor();
    await context.close();
  });

  test('one that a spend limit has ended says so, and why no other starts, until the limit is raised', async () => {
    const id = await task();
    await fixtures.erpInstance(id);
    const { page, context, expectErrors, isClean } = await open(id);
    const panel = page.getByRole('region', { name: 'ERP', exact: true });
    await panel.getByText('Ready', { exact: true }).waitFor();
    const put = limitsOf({ request }, workspace, owner);
    await put({ subject: 'task', subject_id: id, amount: '0.10' });
    await use(id, owner, { nano: 100_000_000, day: today() });
    assert.equal(await endUnpaid(db), 1);
    await panel.getByText('Ended', { exact: true }).waitFor();
    await panel.getByText(/^The spend limit of this month for this task is reached\./).waitFor();
    assert.equal(await panel.getByText('Failed', { exact: true }).count(), 0);
    await page.getByRole('button', { name: 'Start another one' }).click();
    await panel.getByText(/^A spend limit of this month is reached: ask someone/).waitFor();
    expectErrors(/402/);
    await isClean();
    await put({ subject: 'task', subject_id: id, amount: '0.20' });
    await page.getByRole('button', { name: 'Start another one' }).click();
    await panel.getByText('Starting', { exact: true }).waitFor();
    await context.close();
  });

  test('viewers see it and cannot start or stop one', async () => {
    const id = await task();
    await fixtures.erpInstance(id);
    const { page, leave } = await open(id, viewer);
    const panel = page.getByRole('region', { name: 'ERP', exact: true });
    await panel.getByText('Ready', { exact: true }).waitFor();
    for (const name of [/Start/, /Stop/, /Keep/])
      assert.equal(await page.getByRole('button', { name }).count(), 0);
    await leave();
  });

  test('a server with the fake Odoo says so', async () => {
    const other = await serve({ ERP_INSTANCES: 'sandbox' });
    const { page, leave } = await other.open(await other.task());
    await page.getByText('For trying out, this server runs a fake Odoo').waitFor();
    await page.getByRole('button', { name: 'Start an instance' }).waitFor();
    await leave();
  });

  test('a server without instances says so, and what its operator can do', async () => {
    const other = await serve({ ERP_INSTANCES: 'off' });
    const { page, leave } = await other.open(await other.task());
    await page.getByText('This server runs no throwaway instances of Odoo.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Start an instance' }).count(), 0);
    await leave();
  });
} else test('throwaway ERP instances in a browser', { skip: noBrowser }, () => {});
