import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { auditLedger } from '../billing/audit/ledger-audit.ts';
import { capture, hold } from '../billing/ledger/holds.ts';
import { recordUsage } from '../billing/ledger/usage.ts';
import { sql } from '../db/sql.ts';
import { usd } from '../testing/fixtures/billing/spender.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, unchanged, db } = await startHarness({ own: true });

async function tenant(tasks = 1) {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance: '10.00' });
  const project = await fixtures.project({ organizationId: workspace });
  const all: string[] = [];
  for (let i = 0; i < tasks; i++) {
    all.push(await fixtures.task(project, owner));
    await fixtures.revision(all[i] as string);
  }
  return { owner, workspace, project, tasks: all };
}

const path = (project: string) => `/api/projects/${project}`;
const remove = (project: string, by: User, headers = {}) =>
  request('DELETE', path(project), { key: by.key, headers });
const accountOf = (whose: { organizationId?: string; userId?: string }) =>
  db.one<{ id: string; balance: bigint; held: bigint }>(sql`
    select id, balance, held from billing_account
     where organization_id = ${whose.organizationId ?? null} or user_id = ${whose.userId ?? null}`);
const holdFor = (accountId: string, task: string, amount: string) =>
  db.transaction((tx) =>
    hold(tx, {
      accountId,
      amount: usd(amount),
      key: randomUUID(),
      reference: { type: 'task', id: task },
    }),
  );

test('200: a receipt; nothing of the project can be read afterwards, and the audit trail stays', async () => {
  const { owner, workspace, project, tasks } = await tenant(3);
  const guest = await fixtures.user();
  await fixtures.grant(project, guest, 'viewer');
  const approve = `/api/tasks/${tasks[0]}/plan/approve`;
  assert.equal((await request('POST', approve, { key: owner.key })).status, 200);
  const reply = await remove(project, owner);
  const { deleted_at, ...receipt } = reply.body;
  assert.deepEqual(
    [reply.status, receipt],
    [
      200,
      {
        id: project,
        status: 'deleted',
        tasks_deleted: 3,
        pods_stopped: 0,
        files_deleted: 0,
        bytes_freed: 0,
      },
    ],
  );
  assert.ok(Math.abs(Date.parse(deleted_at) - Date.now()) < 60_000);
  for (const { key } of [owner, guest]) {
    for (const gone of [path(project), `${path(project)}/people`])
      assert.equal((await request('GET', gone, { key })).status, 404);
    assert.equal((await request('POST', approve, { key })).status, 404);
  }
  const [row] = await db.many(sql`
    select actor_user_id, organization_id, project_id, after from audit_event
     where target_id = ${project} and action = 'project.delete' and outcome = 'done'`);
  assert.deepEqual(row, {
    actor_user_id: owner.id,
    organization_id: workspace,
    project_id: project,
    after: { tasks_deleted: 3, files_deleted: 0, holds_released: 0 },
  });
});

test('200: project admins and the user of a personal project may; a released one has only its admins', async () => {
  const [owner, admin] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner);
  for (const [whose, by] of [
    [{ organizationId: workspace }, admin],
    [{ userId: owner.id }, owner],
    [{ userId: owner.id }, admin],
    [{}, admin],
  ] as const) {
    const project = await fixtures.project(whose);
    await fixtures.grant(project, admin, 'admin');
    assert.equal((await remove(project, by)).status, 200);
  }
});

test('200: what its tasks used is charged to whoever pays, what they held becomes available, and usage stays', async () => {
  const { owner, workspace, project, tasks } = await tenant(2);
  await fixtures.fund({ userId: owner.id }, '5.00');
  const [shop, own] = [
    await accountOf({ organizationId: workspace }),
    await accountOf({ userId: owner.id }),
  ];
  const other = await fixtures.task(await fixtures.project({ organizationId: workspace }), owner);
  await holdFor(shop.id, other, '1.00');
  await holdFor(shop.id, tasks[0] as string, '4.00');
  // A task that began before a transfer still holds money of the previous owner.
  await holdFor(own.id, tasks[1] as string, '2.00');
  const taken = await holdFor(shop.id, tasks[0] as string, '3.00');
  await db.transaction((tx) => capture(tx, taken.id, usd('3.00')));
  await db.transaction((tx) =>
    recordUsage(tx, [
      {
        key: randomUUID(),
        accountId: shop.id,
        amount: 500_000_000n,
        reference: { type: 'task', id: tasks[0] as string },
        occurredAt: new Date(),
      },
    ]),
  );
  assert.equal((await remove(project, owner)).status, 200);
  const { balance, held } = await accountOf({ organizationId: workspace });
  assert.deepEqual([balance, held], [usd('6.50'), usd('1.00')]);
  assert.equal((await accountOf({ userId: owner.id })).held, 0n);
  const usage = await db.many(sql`
    select settlement_id is not null as settled from usage_event where account_id = ${shop.id}`);
  assert.deepEqual(usage, [{ settled: true }]);
  assert.deepEqual((await auditLedger(db)).violations, []);
});

test('412: a stale If-Match changes nothing; the current one deletes', async () => {
  const { owner, project } = await tenant();
  const etag = (await request('GET', path(project), { key: owner.key })).headers.get('etag');
  const stale = await unchanged(() => remove(project, owner, { 'if-match': '"1"' }));
  assert.deepEqual([stale.status, stale.body.code], [412, 'project_changed']);
  assert.equal((await remove(project, owner, { 'if-match': etag })).status, 200);
});
