import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { auditLedger } from '../billing/audit/ledger-audit.ts';
import { capture, hold } from '../billing/ledger/holds.ts';
import { sql } from '../db/sql.ts';
import { usd } from '../testing/fixtures/billing/spender.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, db } = await startHarness({ own: true });

const transfer = (project: string, by: User, organization_id?: string) =>
  request('POST', `/api/projects/${project}/transfer`, {
    key: by.key,
    body: organization_id === undefined ? {} : { organization_id },
  });
const ownerOf = (project: string) =>
  db.maybeOne<{ organization_id: string | null; owner_user_id: string | null }>(sql`
    select organization_id, owner_user_id from project where id = ${project}`);
const statuses = (replies: { status: number }[]) => replies.map(({ status }) => status).sort();

async function tenant() {
  const owner = await fixtures.user();
  const [a, b] = [await fixtures.workspace(owner), await fixtures.workspace(owner)];
  const project = (organizationId: string) => fixtures.project({ organizationId });
  return { owner, a, b, project };
}

test('money held before a transfer is captured from the account that reserved it', async () => {
  const owner = await fixtures.user();
  const [a, b] = [
    await fixtures.workspace(owner, { balance: '10.00' }),
    await fixtures.workspace(owner, { balance: '10.00' }),
  ];
  const project = await fixtures.project({ organizationId: a });
  const task = await fixtures.task(project, owner);
  const { id: accountId } = await db.one<{ id: string }>(sql`
    select id from billing_account where organization_id = ${a}`);
  const [first, second] = await Promise.all(
    ['4.00', '2.00'].map((amount) =>
      db.transaction((tx) =>
        hold(tx, {
          accountId,
          amount: usd(amount),
          key: randomUUID(),
          reference: { type: 'task', id: task },
        }),
      ),
    ),
  );
  assert.equal((await transfer(project, owner, b)).status, 200);
  await db.transaction((tx) => capture(tx, first?.id as string, usd('3.00')));
  const balance = async (organizationId: string) => fixtures.balance({ organizationId });
  assert.deepEqual([await balance(a), await balance(b)], [usd('7.00'), usd('10.00')]);
  // The other hold ends with the project, wherever that is by then.
  await request('DELETE', `/api/projects/${project}`, { key: owner.key });
  const ended = await db.one(sql`
    select h.status, a.held from hold h join billing_account a on a.id = h.account_id
     where h.id = ${second?.id}`);
  assert.deepEqual(ended, { status: 'released', held: 0n });
  assert.deepEqual((await auditLedger(db)).violations, []);
});

test('race: two projects change places, and one goes there and back: no deadlock, and each is where the last one put it', async () => {
  for (let round = 0; round < 10; round++) {
    const { owner, a, b, project } = await tenant();
    const [here, there] = [await project(a), await project(b)];
    const started = Date.now();
    const replies = await Promise.all([transfer(here, owner, b), transfer(there, owner, a)]);
    assert.deepEqual(statuses(replies), [200, 200]);
    assert.deepEqual(
      [(await ownerOf(here))?.organization_id, (await ownerOf(there))?.organization_id],
      [b, a],
    );
    const both = await Promise.all([transfer(here, owner, a), transfer(here, owner, b)]);
    // To stay where it is, is refused; whichever of the two came first decides whether one was.
    const last = (await ownerOf(here))?.organization_id;
    assert.ok(both.every(({ status }) => status === 200 || status === 422));
    assert.ok(last === a || last === b);
    const expected = both.every(({ status }) => status === 200) ? b : a;
    assert.equal(last, expected);
    assert.ok(Date.now() - started < 10_000);
  }
});

test('race: many transfers of one project: one owner, and a row in the audit trail for each that was done', async () => {
  const { owner, a, b, project } = await tenant();
  const id = await project(a);
  const replies = await Promise.all(
    [b, undefined, a, b, undefined, a].map((target) => transfer(id, owner, target)),
  );
  assert.ok(replies.every(({ status }) => status === 200 || status === 422));
  const { n } = await db.one<{ n: bigint }>(sql`
    select count(*) as n from audit_event
     where target_id = ${id} and action = 'project.transfer' and outcome = 'done'`);
  assert.equal(Number(n), replies.filter(({ status }) => status === 200).length);
});

test('race: with the deletion of the project: moved and then deleted, or not found', async () => {
  for (let round = 0; round < 10; round++) {
    const { owner, a, b, project } = await tenant();
    const id = await project(a);
    const [moved, deleted] = await Promise.all([
      transfer(id, owner, b),
      request('DELETE', `/api/projects/${id}`, { key: owner.key }),
    ]);
    assert.equal(deleted.status, 200);
    assert.ok(moved.status === 200 || moved.status === 404);
    assert.equal(await ownerOf(id), undefined);
  }
});

test('race: with the deletion of the workspace it leaves: it moved, or it has no owner', async () => {
  for (let round = 0; round < 10; round++) {
    const { owner, a, b, project } = await tenant();
    const id = await project(a);
    const [moved, deleted] = await Promise.all([
      transfer(id, owner, b),
      request('DELETE', `/api/organizations/${a}`, { key: owner.key }),
    ]);
    assert.equal(deleted.status, 200);
    assert.ok(moved.status === 200 || moved.status === 403, moved.text);
    assert.equal(deleted.body.projects_released, moved.status === 200 ? 0 : 1);
    const organization_id = moved.status === 200 ? b : null;
    assert.deepEqual(await ownerOf(id), { organization_id, owner_user_id: null });
  }
});

test('race: with the deletion of the workspace it goes to: released from there, or it stayed', async () => {
  for (let round = 0; round < 10; round++) {
    const { owner, a, b, project } = await tenant();
    const id = await project(a);
    const [moved, deleted] = await Promise.all([
      transfer(id, owner, b),
      request('DELETE', `/api/organizations/${b}`, { key: owner.key }),
    ]);
    assert.equal(deleted.status, 200);
    assert.ok(moved.status === 200 || moved.status === 404, moved.text);
    const organization_id = moved.status === 200 ? null : a;
    assert.deepEqual(await ownerOf(id), { organization_id, owner_user_id: null });
  }
});

test('race: with the end of the membership that gave the right to bring it: it is there, or not', async () => {
  for (let round = 0; round < 10; round++) {
    const [owner, host] = [await fixtures.user(), await fixtures.user()];
    const workspace = await fixtures.workspace(host);
    await fixtures.member(workspace, owner, 'admin');
    const id = await fixtures.project({ userId: owner.id });
    const [moved] = await Promise.all([
      transfer(id, owner, workspace),
      fixtures.removeMember(workspace, owner.id),
    ]);
    assert.ok(moved.status === 200 || moved.status === 403, moved.text);
    const owned = await ownerOf(id);
    assert.equal(owned?.organization_id === workspace, moved.status === 200);
    // A former member is no collaborator of what they brought.
    const opened = await request('GET', `/api/projects/${id}`, { key: owner.key });
    assert.equal(opened.status, moved.status === 200 ? 403 : 200);
  }
});
