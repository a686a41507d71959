import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startFakeStripe } from '../../testing/fakes/fake-stripe/server.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { auditLedger } from '../audit/ledger-audit.ts';
import { customerStore } from '../cards/customers.ts';
import { stripeProcessor } from '../cards/stripe.ts';
import { synchronize } from './movements.ts';
import { advanceRefund, RefundRefused, startRefund } from './refund.ts';

const fake = await startFakeStripe();
after(() => fake.close());
const access = { secretKey: fake.secretKey, apiBase: fake.url };
const { fixtures, request, db } = await startHarness({
  processor: (database) => stripeProcessor({ ...access, customers: customerStore(database) }),
});
const stripe = stripeProcessor({ ...access, customers: customerStore(db) });
const USD = 1_000_000n;

/**
 * A workspace whose owner has put in 25.00 by card, of which `left` is there when it is deleted, in
 * favour of `recipient`.
 */
async function deleted({ left = '25.00', before = async (_: Look) => {} } = {}) {
  const [owner, recipient] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, recipient);
  const path = `/api/organizations/${workspace}`;
  const body = { amount: 25, payment_method_id: await fixtures.card(owner) };
  const added = await request('POST', `${path}/billing/add-funds`, { key: owner.key, body });
  const top = await topUp(added.body.top_up_id);
  const change = Number(left) - 25;
  if (change !== 0) await fixtures.fund({ organizationId: workspace }, change.toFixed(2));
  await before(top);
  const gone = await request('DELETE', `${path}?transfer_balance_to_user_id=${recipient.id}`, {
    key: owner.key,
  });
  assert.equal(gone.status, 200);
  return { owner, recipient, ...top };
}

interface Look {
  id: string;
  intent: string;
  sync(): Promise<boolean>;
}

async function topUp(id: string): Promise<Look> {
  const { intent } = await db.one<{ intent: string }>(
    sql`select processor_id as intent from top_up where id = ${id}`,
  );
  return { id, intent, sync: async () => (await synchronize(db, stripe, id)) !== undefined };
}

const balances = async (...users: User[]) => {
  const all: number[] = [];
  for (const { id } of users) all.push(Number(await fixtures.balance({ userId: id })) / 1_000_000);
  return all;
};

test('a chargeback after a workspace was deleted is paid by whoever’s bank got the money, and so is its end', async () => {
  for (const left of ['0.00', '25.00']) {
    const { owner, recipient, intent, sync } = await deleted({ left });
    const kept = Number(left);
    assert.deepEqual(await balances(owner, recipient), [0, kept]);
    const { id } = fake.dispute(intent);
    assert.equal(await sync(), true);
    assert.deepEqual(await balances(owner, recipient), [-25, kept]);
    fake.closeDispute(id, 'won');
    await sync();
    assert.deepEqual(await balances(owner, recipient), [0, kept]);
  }
});

test('a refund after a workspace was deleted comes out of the payer’s own balance, and back into it', async () => {
  const { owner, recipient, id, sync } = await deleted();
  const asked = () => startRefund(db, stripe, id, 10n * USD, async () => {});
  await assert.rejects(asked, RefundRefused);
  await fixtures.fund({ userId: owner.id }, '30.00');
  const refund = await advanceRefund(db, stripe, (await asked()).id);
  assert.equal(refund.status, 'succeeded');
  assert.deepEqual(await balances(owner, recipient), [20, 25]);
  fake.failRefund([...fake.state.refunds.values()].at(-1)?.id as string);
  await sync();
  assert.deepEqual(await balances(owner, recipient), [30, 25]);
});

test('what the workspace itself had paid back comes back to whoever got its balance', async () => {
  let dispute = '';
  const { owner, recipient, sync, intent } = await deleted({
    left: '60.00',
    before: async (top) => {
      dispute = fake.dispute(top.intent, { amount: 1000 }).id;
      await top.sync();
    },
  });
  assert.deepEqual(await balances(owner, recipient), [0, 50]);
  const more = fake.dispute(intent, { amount: 700 }).id;
  await sync();
  assert.deepEqual(await balances(owner, recipient), [-7, 50]);
  fake.closeDispute(dispute, 'won');
  await sync();
  assert.deepEqual(await balances(owner, recipient), [-7, 60]);
  fake.closeDispute(more, 'won');
  await sync();
  assert.deepEqual(await balances(owner, recipient), [0, 60]);
});

test('one dispute that took from both is given back last first, each getting no more than they paid', async () => {
  let dispute = '';
  const { owner, recipient, sync, intent } = await deleted({
    left: '60.00',
    before: async (top) => {
      dispute = fake.dispute(top.intent, { amount: 1000 }).id;
      await top.sync();
    },
  });
  const object = fake.state.disputes.get(dispute);
  assert.ok(object && intent);
  const transact = (amount: number) =>
    object.balance_transactions.push({ ...object.balance_transactions[0], amount } as never);
  transact(-400);
  await sync();
  assert.deepEqual(await balances(owner, recipient), [-4, 50]);
  transact(600);
  await sync();
  assert.deepEqual(await balances(owner, recipient), [0, 52]);
  transact(800);
  await sync();
  assert.deepEqual(await balances(owner, recipient), [0, 60]);
});

test('the ledger holds after all of it', async () => {
  assert.deepEqual((await auditLedger(db)).violations, []);
});
