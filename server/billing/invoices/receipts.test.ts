import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startPayers } from '../../testing/fixtures/billing/payer.ts';
import { succeededTopUp, succeedTopUp } from '../../testing/fixtures/billing/top-ups.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { sandbox } from '../cards/sandbox.ts';
import { advanceRefund, startRefund } from '../top-ups/refund.ts';
import { issueDue } from './issue.ts';

const { db, fixtures, owner: asOwner, payer, request } = await startPayers();

/** Sets the billing details of a person, or of a workspace. */
async function details(user: User, body: object, workspace?: string) {
  const base = workspace === undefined ? '/api' : `/api/organizations/${workspace}`;
  const reply = await request('PUT', `${base}/billing/details`, { key: user.key, body });
  assert.equal(reply.status, 200, reply.text);
}

/** The receipts of these top-ups, in the order of the numbers: which document, and to whom. */
const receipts = (...topUps: string[]) =>
  db.many<{ kind: string; recipient: string; subject_id: string }>(sql`
    select i.kind, m.recipient, m.subject_id
      from mail m join invoice i on i.id = m.subject_id
     where m.kind = 'receipt' and i.top_up_id = any(${topUps}::uuid[]) order by i.number`);

const recipients = async (...topUps: string[]) =>
  (await receipts(...topUps)).map(({ recipient }) => recipient);

async function refund(topUpId: string, amount: bigint) {
  const processor = sandbox(db);
  const { id } = await startRefund(db, processor, topUpId, amount, async () => {});
  return advanceRefund(db, processor, id);
}

/** A workspace that wants receipts, with an owner and an admin who has paid something. */
async function paidByAdmin(body: object = {}) {
  const [owner, admin] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, admin, 'admin');
  await details(owner, { mail_receipts: true, ...body }, workspace);
  const card = await fixtures.card(admin);
  const pay = async () =>
    (await succeededTopUp(db, { userId: admin.id, card, organizationId: workspace })).topUpId;
  return { owner, admin, workspace, pay };
}

test('off by default; each document after it was turned on is one mail, until it is off again', async () => {
  const { user, add } = await payer();
  const quiet = (await add(10)).body.top_up_id;
  assert.deepEqual(await receipts(quiet), []);
  await details(user, { mail_receipts: true });
  const loud = (await add(11)).body.top_up_id;
  await refund(loud, 1_000_000n);
  await refund(quiet, 1_000_000n);
  const expected = (kind: string) => ({ kind, recipient: user.email });
  const said = async (id: string) =>
    (await receipts(id)).map(({ kind, recipient }) => ({ kind, recipient }));
  assert.deepEqual(await said(loud), [expected('invoice'), expected('credit_note')]);
  assert.deepEqual(await said(quiet), [expected('credit_note')]);
  await details(user, { mail_receipts: false });
  await refund(loud, 1_000_000n);
  assert.equal((await receipts(loud)).length, 2);
});

test('race: fifty top-ups at once, with refunds among them, are one mail for each document', async () => {
  const people = await Promise.all(Array.from({ length: 10 }, () => payer()));
  for (const { user } of people) await details(user, { mail_receipts: true });
  const replies = await Promise.all(
    people.flatMap(({ add }) => [5, 6, 7, 8, 9].map((amount) => add(amount))),
  );
  const topUps: string[] = replies.map(({ body }) => body.top_up_id);
  await Promise.all([
    ...topUps.slice(0, 20).map((id) => refund(id, 1_000_000n)),
    issueDue(db),
    issueDue(db),
  ]);
  const subjects = (await receipts(...topUps)).map(({ subject_id }) => subject_id);
  const issued = await db.many<{ id: string }>(sql`
    select id from invoice where top_up_id = any(${topUps}::uuid[]) order by number`);
  assert.equal(issued.length, 70);
  assert.deepEqual(
    subjects,
    issued.map(({ id }) => id),
  );
});

test('a transaction that fails queues nothing, and the next one queues its mail', async () => {
  const { user, card } = await payer();
  await details(user, { mail_receipts: true });
  const count = () =>
    db.many(sql`select 1 from mail where kind = 'receipt' and recipient = ${user.email}`);
  await assert.rejects(
    db.transaction(async (tx) => {
      await succeedTopUp(tx, { userId: user.id, card });
      throw new Error('the power went out');
    }),
    /power/,
  );
  assert.deepEqual(await count(), []);
  const { topUpId } = await succeededTopUp(db, { userId: user.id, card });
  assert.deepEqual(await recipients(topUpId), [user.email]);
  assert.equal((await count()).length, 1);
});

test('what was posted before receipts existed gets its invoice without a mail, what is late gets both', async () => {
  const { user, card } = await payer();
  await details(user, { mail_receipts: true });
  const posted = async () =>
    (await succeededTopUp(db, { userId: user.id, card, issue: false })).topUpId;
  const [old, late] = [await posted(), await posted()];
  await asOwner(sql`update invoice_due set mails_receipt = false where top_up_id = ${old}`);
  await issueDue(db);
  const invoices = await db.many(sql`
    select 1 from invoice where top_up_id in (${old}, ${late})`);
  assert.equal(invoices.length, 2);
  assert.deepEqual([await recipients(old), await recipients(late)], [[], [user.email]]);
});

test('to the address of the details as it is now, for a person and a workspace', async () => {
  const { user, add } = await payer();
  await details(user, { mail_receipts: true, email: 'first@books.example' });
  const id = (await add(10)).body.top_up_id;
  await details(user, { email: 'second@books.example' });
  await refund(id, 1_000_000n);
  assert.deepEqual(await recipients(id), ['first@books.example', 'second@books.example']);
  const { pay } = await paidByAdmin({ email: 'acme@books.example' });
  assert.deepEqual(await recipients(await pay()), ['acme@books.example']);
});

for (const { why, change } of [
  {
    why: 'has left',
    change: (id: string) => sql`delete from membership where user_id = ${id}`,
  },
  {
    why: 'is a member without the billing now',
    change: (id: string) => sql`
      update membership set role_id = (
        select id from role where organization_id is null and scope = 'workspace' and slug = 'member')
       where user_id = ${id}`,
  },
  {
    why: 'was deactivated',
    change: (id: string) => sql`update app_user set is_active = false where id = ${id}`,
  },
]) {
  test(`of a workspace: to the admin who paid, and to the owner when the admin ${why}`, async () => {
    const { owner, admin, pay } = await paidByAdmin();
    assert.deepEqual(await recipients(await pay()), [admin.email]);
    await asOwner(change(admin.id));
    assert.deepEqual(await recipients(await pay()), [owner.email]);
    await asOwner(sql`update app_user set is_active = false where id = ${owner.id}`);
    assert.deepEqual(await recipients(await pay()), []);
  });
}
