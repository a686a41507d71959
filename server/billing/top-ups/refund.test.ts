import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { auditLedger } from '../audit/ledger-audit.ts';
import type { Processor } from '../cards/processor.ts';
import { sandbox } from '../cards/sandbox.ts';
import { synchronize } from './movements.ts';
import { advanceRefund, RefundRefused, reconcileRefunds, startRefund } from './refund.ts';

const { fixtures, request, db, unchanged } = await startHarness({ own: true });
let fault: Partial<Processor> = {};
const processor = new Proxy(sandbox(db), {
  get: (target, name) => (fault as never)[name] ?? (target as never)[name],
});
const none = async () => {};
const usd = (amount: number) => BigInt(Math.round(amount * 100)) * 10_000n;

async function charged(amount = 25) {
  const user = await fixtures.user();
  const body = { amount, payment_method_id: await fixtures.card(user) };
  const { top_up_id: id } = (
    await request('POST', '/api/billing/add-funds', { key: user.key, body })
  ).body;
  const start = (part?: number) =>
    startRefund(db, processor, id, part === undefined ? undefined : usd(part), none);
  const account = () =>
    db.one<{ balance: bigint; held: bigint }>(
      sql`select balance, held from billing_account where user_id = ${user.id}`,
    );
  return { user, id, start, account };
}

test('part, and then the rest, goes back to the card; the balance follows', async () => {
  const { id, start, account } = await charged();
  const first = await advanceRefund(db, processor, (await start(10)).id);
  assert.deepEqual([first.status, first.amount], ['succeeded', usd(10)]);
  assert.deepEqual(await account(), { balance: usd(15), held: 0n });
  await advanceRefund(db, processor, (await start()).id);
  assert.deepEqual(await account(), { balance: 0n, held: 0n });
  assert.deepEqual(await db.many(sql`select status, refunded from top_up where id = ${id}`), [
    { status: 'refunded', refunded: usd(25) },
  ]);
});

test('what is spent, refunded, no whole cent or never charged is refused, and nothing changes', async () => {
  const { user, id, start } = await charged();
  await fixtures.fund({ userId: user.id }, '-20.00');
  for (const amount of [5.01, 25, 26]) {
    await unchanged(() =>
      assert.rejects(
        start(amount),
        (error) => error instanceof RefundRefused && /At most 5\.00/.test(error.message),
      ),
    );
  }
  await assert.rejects(
    startRefund(db, processor, id, 1n, none),
    /whole cents; 0\.000001 USD is not/,
  );
  await assert.rejects(
    startRefund(db, processor, user.id, undefined, none),
    /no top-up.*top_up_id/,
  );
  await advanceRefund(db, processor, (await start()).id);
  await unchanged(() => assert.rejects(start(), RefundRefused));
});

test('while its outcome is unknown the money is held; asked again under the same key, it is refunded once', async () => {
  const { start, account } = await charged();
  const refund = await start(10);
  const real = sandbox(db);
  fault = {
    refund: (...asked) => real.refund(...asked).then(() => ({ kind: 'unknown', reason: 'reset' })),
  };
  assert.equal((await advanceRefund(db, processor, refund.id)).status, 'created');
  fault = {};
  assert.deepEqual(await account(), { balance: usd(25), held: usd(10) });
  await db.many(sql`update refund set next_check_at = now() where id = ${refund.id}`);
  assert.equal(await reconcileRefunds(db, processor), 1);
  assert.deepEqual(await account(), { balance: usd(15), held: 0n });
});

test('once its debit is posted a refund counts once, whoever posted it: the rest can be refunded at once', async () => {
  const { id, start, account } = await charged();
  const refund = await start(10);
  const { intent } = await db.one<{ intent: string }>(
    sql`select processor_id as intent from top_up where id = ${id}`,
  );
  // Its driver dies here, and an event of the processor is worked off.
  assert.equal((await processor.refund(intent, usd(10), refund.id)).kind, 'refunded');
  assert.ok(await synchronize(db, processor, id));
  assert.deepEqual(await account(), { balance: usd(15), held: 0n });
  assert.equal((await start()).amount, usd(15));
  assert.equal((await advanceRefund(db, processor, refund.id)).status, 'succeeded');
  assert.deepEqual(await account(), { balance: usd(15), held: usd(15) });
});

test('a refund made at the processor ends none of ours', async () => {
  const { id, start, account } = await charged();
  const refund = await start(10);
  const { intent } = await db.one<{ intent: string }>(
    sql`select processor_id as intent from top_up where id = ${id}`,
  );
  await processor.refund(intent, usd(10), 'made in the dashboard');
  await synchronize(db, processor, id);
  assert.deepEqual(await account(), { balance: usd(15), held: usd(10) });
  await assert.rejects(start(5.01), /At most 5\.00/);
  assert.equal((await advanceRefund(db, processor, refund.id)).status, 'succeeded');
  assert.deepEqual(await account(), { balance: usd(5), held: 0n });
});

test('race: part after part, each asked for while the one before is on its way, is accepted', async () => {
  for (let round = 0; round < 5; round++) {
    const { id, start, account } = await charged();
    const running: Promise<unknown>[] = [];
    for (let part = 0; part < 5; part++) {
      const refund = await start(5);
      running.push(advanceRefund(db, processor, refund.id), synchronize(db, processor, id));
      running.push(advanceRefund(db, processor, refund.id));
      await pause(Math.random() * 20);
    }
    await Promise.all(running);
    assert.deepEqual(await account(), { balance: 0n, held: 0n });
  }
  assert.deepEqual((await auditLedger(db)).violations, []);
});

test('a refund that the processor refuses lets the money go', async () => {
  const { start, account } = await charged();
  fault = { refund: async () => ({ kind: 'refused', reason: 'charge_disputed' }) };
  const refund = await advanceRefund(db, processor, (await start(10)).id);
  fault = {};
  assert.deepEqual([refund.status, refund.failure], ['failed', 'charge_disputed']);
  assert.deepEqual(await account(), { balance: usd(25), held: 0n });
});

test('race: two operators refund everything at once: one does, the other is refused; many drivers post it once', async () => {
  const { id: topUpId, start, account } = await charged();
  const begun = await Promise.allSettled([start(), start()]);
  assert.deepEqual(begun.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  const { id } = await db.one<{ id: string }>(
    sql`select id from refund where status = 'created' and top_up_id = ${topUpId}`,
  );
  await Promise.all(Array.from({ length: 6 }, () => advanceRefund(db, processor, id)));
  assert.deepEqual(await account(), { balance: 0n, held: 0n });
  assert.deepEqual((await auditLedger(db)).violations, []);
});
