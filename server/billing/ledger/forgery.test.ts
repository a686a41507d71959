import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { auditLedger } from '../audit/ledger-audit.ts';
import type { Movements } from '../cards/processor.ts';
import { sandbox } from '../cards/sandbox.ts';
import { synchronize } from '../top-ups/movements.ts';
import { advanceRefund, startRefund } from '../top-ups/refund.ts';

/**
 * Money from nothing, written with the rights of the server alone: what the database accepts, the
 * audit finds.
 */

const { fixtures, request, db, owner: asOwner, unchanged } = await startHarness({ own: true });
const SYSTEM = {
  clearing: '00000000-0000-4000-9000-000000000001',
  disputes: '00000000-0000-4000-9000-000000000004',
  promotions: '00000000-0000-4000-9000-000000000005',
};
const usd = (amount: number) => BigInt(amount) * 1_000_000n;

async function charged() {
  const user = await fixtures.user();
  const body = { amount: 25, payment_method_id: await fixtures.card(user) };
  const { top_up_id: topUpId } = (
    await request('POST', '/api/billing/add-funds', { key: user.key, body })
  ).body;
  const { id: accountId } = await db.one<{ id: string }>(
    sql`select id from billing_account where user_id = ${user.id}`,
  );
  return { user, topUpId: topUpId as string, accountId };
}
type Charged = Awaited<ReturnType<typeof charged>>;

const row = (
  kind: string,
  debit: string,
  credit: string,
  accountId: string,
  reference: string,
) => sql`
  insert into ledger_transfer (idempotency_key, kind, debit_account_id, credit_account_id, amount,
    account_id,
                               reference_type, reference_id)
  values (${randomUUID()}, ${kind}, ${debit}, ${credit}, 5000000, ${accountId}, 'forged',
    ${reference})`;

/** The rules that are broken for this account or its top-up. */
const broken = async ({ accountId, topUpId }: Charged) =>
  (await auditLedger(db)).violations
    .filter((found) => found.accountId === accountId || found.topUpId === topUpId)
    .map(({ rule }) => rule);

const FORGED: Record<string, [(of: Charged) => ReturnType<typeof sql>[], string[]]> = {
  'a promotion that nobody gave': [
    ({ accountId }) => [row('promotion', SYSTEM.promotions, accountId, accountId, randomUUID())],
    ['gift_is_audited'],
  ],
  'a refund that was undone but never made': [
    ({ accountId, topUpId }) => [
      row('refund_reversal', SYSTEM.clearing, accountId, accountId, topUpId),
    ],
    ['refunded_is_its_rows'],
  ],
  'a dispute that was won but never begun': [
    ({ accountId, topUpId }) => [
      row('dispute_reversal', SYSTEM.disputes, accountId, accountId, topUpId),
    ],
    ['disputed_is_its_rows'],
  ],
  'a refund undone of a top-up that does not exist': [
    ({ accountId }) => [
      row('refund_reversal', SYSTEM.clearing, accountId, accountId, randomUUID()),
    ],
    ['moved_for_its_top_up'],
  ],
  'more refunded than the ledger says': [
    ({ topUpId }) => [sql`update top_up set refunded = 5000000 where id = ${topUpId}`],
    ['refunded_is_its_rows'],
  ],
  'a dispute that was never posted': [
    ({ topUpId }) => [
      sql`insert into dispute (id, top_up_id, withdrawn) values (${`dp_${randomUUID()}`}, ${topUpId}, 5000000)`,
    ],
    ['disputed_is_its_rows'],
  ],
  'less disputed than its disputes hold': [
    ({ topUpId }) => [sql`update top_up set disputed = 1 where id = ${topUpId}`],
    ['disputed_is_its_rows'],
  ],
  'a refund that was never paid': [
    ({ topUpId }) => [
      sql`
        insert into refund (top_up_id, amount, status, next_check_at)
          values (${topUpId}, 5000000, 'succeeded', null)`,
    ],
    ['refund_held_its_money'],
  ],
  'a refund that was held for and never paid': [
    ({ topUpId, accountId }) => {
      const id = randomUUID();
      return [
        sql`insert into hold (account_id, amount, idempotency_key, reference_type, reference_id)
            values (${accountId}, 5000000, ${`refund:${id}`}, 'refund', ${id})`,
        sql`update hold set status = 'released' where idempotency_key = ${`refund:${id}`}`,
        sql`
          insert into refund (id, top_up_id, amount, status, next_check_at)
            values (${id}, ${topUpId}, 5000000, 'succeeded', null)`,
      ];
    },
    ['refund_was_posted'],
  ],
};

for (const [what, [forge, rules]] of Object.entries(FORGED)) {
  test(`${what} is found: ${rules.join(', ')}`, async () => {
    const victim = await charged();
    assert.deepEqual(await broken(victim), []);
    for (const statement of forge(victim)) await db.many(statement);
    assert.deepEqual(await broken(victim), rules);
  });
}

test('what one customer was refunded and another gets back is found at the one who gets it', async () => {
  const [from, to] = [await charged(), await charged()];
  await db.many(row('refund', from.accountId, SYSTEM.clearing, from.accountId, from.topUpId));
  await db.many(row('refund_reversal', SYSTEM.clearing, to.accountId, to.accountId, from.topUpId));
  assert.deepEqual(await broken(to), ['moved_for_its_top_up']);
});

test('a row between two customers, or two system accounts, is refused, from anybody', async () => {
  const [from, to] = [await charged(), await charged()];
  const between = [
    row('promotion', from.accountId, to.accountId, to.accountId, to.topUpId),
    row('promotion', from.accountId, to.accountId, from.accountId, to.topUpId),
    row('promotion', SYSTEM.promotions, SYSTEM.clearing, SYSTEM.clearing, to.topUpId),
  ];
  for (const statement of between) {
    await unchanged(async () => {
      await assert.rejects(db.many(statement));
      await assert.rejects(asOwner(statement));
    });
  }
  const id = '00000000-0000-4000-9000-0000000000ff';
  await assert.rejects(
    db.many(
      sql`insert into billing_account (id, kind, user_id) values (${id}, 'user', ${from.user.id})`,
    ),
  );
});

test('refunds, disputes and what is undone of them hold, also for a workspace that was deleted', async () => {
  const holder = await fixtures.user();
  const workspace = await fixtures.workspace(holder);
  const path = `/api/organizations/${workspace}`;
  const body = { amount: 25, payment_method_id: await fixtures.card(holder) };
  const { top_up_id: topUpId } = (
    await request('POST', `${path}/billing/add-funds`, { key: holder.key, body })
  ).body;
  const real = sandbox(db);
  const begun = await startRefund(db, real, topUpId, usd(5), async () => {});
  assert.equal((await advanceRefund(db, real, begun.id)).status, 'succeeded');
  await request('DELETE', path, { key: holder.key });
  const steps: [number, number[]][] = [
    [10, [10]],
    [5, [0, 20]],
    [0, [0, 0]],
    [25, [0, 0]],
  ];
  for (const [refunded, disputes] of steps) {
    const movements: Movements = {
      captured: usd(25),
      refunded: usd(refunded),
      disputes: disputes.map((amount, index) => ({
        id: `dp_${index}_${topUpId}`,
        withdrawn: usd(amount),
      })),
    };
    assert.ok(await synchronize(db, { ...real, movements: async () => movements }, topUpId));
    const { id } = await db.one<{ id: string }>(
      sql`select id from billing_account where user_id = ${holder.id}`,
    );
    assert.deepEqual(await broken({ user: holder, topUpId, accountId: id }), []);
  }
});
