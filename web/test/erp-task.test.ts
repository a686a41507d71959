import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/sql.ts';
import { signIn } from '../../server/testing/fixtures/identity/session.ts';
import { NARROW, noBrowser, openBrowser, type Visitor, visit } from './browser.ts';
import { startDashboard } from './dashboard.ts';

/** What the page of a task shows and does of ERP systems. */

if (noBrowser === false) {
  const browser = await openBrowser();
  const harness = await startDashboard();
  const { db, fixtures, request, url } = harness;
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance: '10.00' });
  const [viewer, member] = [await fixtures.user(), await fixtures.user()];
  await fixtures.member(workspace, viewer, 'viewer');
  await fixtures.member(workspace, member);

  const taskOf = async () => {
    const project = await fixtures.project({ organizationId: workspace });
    return { project, task: await fixtures.task(project, owner) };
  };
  const open = async (
    { project, task }: Awaited<ReturnType<typeof taskOf>>,
    as = member,
    look: object = {},
  ): Promise<Visitor> => {
    const visitor = await visit(browser, { url, cookie: await signIn(harness, as), ...look });
    await visitor.open(`/projects/${project}/tasks/${task}?panel=erp`);
    return visitor;
  };
  const active = async (task: string): Promise<string[]> => {
    const { body } = await request('GET', `/api/tasks/${task}/odoo-connections`, {
      key: owner.key,
    });
    return body.map(({ name }: { name: string }) => name);
  };

  test('a member activates and deactivates by keyboard', async () => {
    const at = await taskOf();
    const production = { environment: 'production', agentAccess: 'write' } as const;
    await fixtures.odooConnection(at.project, { name: 'Shop', version: '19.0', ...production });
    await fixtures.odooConnection(at.project, { name: 'Closed', agentAccess: 'none' });
    await fixtures.odooConnection(at.project, { name: 'Empty', secret: null });
    const { page, context, isCleanInEveryLook } = await open(at, member, NARROW);
    const rows = page.getByRole('list', { name: 'Connections of the project' });
    const shop = rows.getByRole('listitem').filter({ hasText: 'Shop' });
    await shop.getByText('Agents may read and change data').waitFor();
    await rows.getByText('An admin of the project can let agents use it.').waitFor();
    await rows.getByText('It has no secret: an admin of the project can store one.').waitFor();
    assert.equal(await rows.getByRole('button').count(), 1);
    await isCleanInEveryLook();
    await shop.getByRole('button', { name: 'Activate Shop' }).press('Enter');
    await shop.getByText('Active', { exact: true }).waitFor();
    assert.deepEqual(await active(at.task), ['Shop']);
    await shop.getByRole('button', { name: 'Deactivate Shop' }).press('Enter');
    await shop.getByText('Not active here').waitFor();
    assert.deepEqual(await active(at.task), []);
    await context.close();
  });

  test('viewers see what is active, and change nothing', async () => {
    const at = await taskOf();
    await fixtures.odooActive(at.task, await fixtures.odooConnection(at.project, { name: 'Shop' }));
    const { page, leave } = await open(at, viewer);
    await page.getByText('Active', { exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: /ctivate/ }).count(), 0);
    await leave();
  });

  test('what was closed to agents meanwhile is refused in words', async () => {
    const at = await taskOf();
    const id = await fixtures.odooConnection(at.project, { name: 'Shop' });
    const { page, context, expectErrors } = await open(at);
    const activate = page.getByRole('button', { name: 'Activate Shop' });
    await activate.waitFor();
    const path = `/api/projects/${at.project}/odoo-connections/${id}`;
    await request('PUT', path, { key: owner.key, body: { agent_access: 'none' } });
    await activate.click();
    await page.getByRole('alert').getByText('Agents may not use this connection').waitFor();
    expectErrors(/409/);
    assert.deepEqual(await active(at.task), []);
    await context.close();
  });

  test('calls of the agent to Odoo stand in the conversation, each on one line', async () => {
    const at = await taskOf();
    const call = { target: { id: at.task, name: 'Shop' }, kind: 'connection', ms: 12 };
    const calls = [
      { ...call, model: 'res.partner', method: 'read', allowed: true, status: 200 },
      { ...call, model: 'res.partner', method: 'unlink', allowed: false, status: 403 },
      { ...call, model: 'sale.order', method: 'read', allowed: true, status: 502 },
    ].map((each) => JSON.stringify(each));
    await db.many(sql`
      insert into task_log (task_id, fence, owner, last_seq) values (${at.task}, 1, 'test', 3)`);
    await db.many(sql`
      insert into task_event (task_id, seq, type, payload)
      select ${at.task}, seq, 'erp_call', payload
        from unnest(${calls}::text[]) with ordinality as called (payload, seq)`);
    const { page, isClean, leave } = await open(at);
    const conversation = page.getByRole('region', { name: 'Conversation' });
    await conversation.getByText('3 steps').click();
    for (const line of [
      'read res.partner on Shop: allowed',
      'unlink res.partner on Shop: refused',
      'read sale.order on Shop: allowed, answered with 502',
    ])
      await conversation.getByText(line, { exact: true }).last().waitFor();
    await isClean();
    await leave();
  });
} else test('ERP systems of a task in a browser', { skip: noBrowser }, () => {});
