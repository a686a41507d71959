import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { auditLedger } from '../audit/ledger-audit.ts';
import type { Movements, ProcessorEvent } from '../cards/processor.ts';
import { sandbox } from '../cards/sandbox.ts';
import { fetchMissedEvents, processEvents, storeEvent } from './events.ts';
import { synchronize } from './movements.ts';

const { fixtures, request, db } = await startHarness({ own: true });

// What the processor says of each intent now; undefined while it cannot be asked.
const truth = new Map<string, Movements | undefined>();
let listed: ProcessorEvent[] = [];
let askedSince = new Date(0);
const processor = {
  ...sandbox(db),
  movements: async (intentId: string) => {
    const said = structuredClone(truth.get(intentId));
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
    return said;
  },
  events: async function* (since: Date) {
    askedSince = since;
    yield* listed;
  },
};

async function captured(usd = 25) {
  const user = await fixtures.user();
  const body = { amount: usd, payment_method_id: await fixtures.card(user) };
  const { top_up_id: id } = (
    await request('POST', '/api/billing/add-funds', { key: user.key, body })
  ).body;
  const read = () =>
    db.one<{ intent: string; status: string; refunded: bigint; disputed: bigint }>(
      sql`select processor_id as intent, status, refunded, disputed from top_up where id = ${id}`,
    );
  const { intent } = await read();
  const say = (refunded: number, disputes: Record<string, number> = {}) =>
    truth.set(intent, {
      captured: BigInt(usd) * 1_000_000n,
      refunded: BigInt(refunded) * 1_000_000n,
      disputes: Object.entries(disputes).map(([name, amount]) => ({
        id: `${name}_${intent}`,
        withdrawn: BigInt(amount) * 1_000_000n,
      })),
    });
  const balance = async () => Number((await fixtures.balance({ userId: user.id })) / 1_000_000n);
  return {
    user,
    id,
    intent,
    read,
    say,
    balance,
    sync: async () => (await synchronize(db, processor, id)) !== undefined,
  };
}

test('refunds are posted by what is new of the total, and the state follows', async () => {
  const { read, say, sync, balance } = await captured();
  const steps: [number, number, string][] = [
    [0, 25, 'succeeded'],
    [10, 15, 'partially_refunded'],
    [10, 15, 'partially_refunded'],
    [25, 0, 'refunded'],
    [20, 5, 'partially_refunded'],
  ];
  for (const [refunded, left, status] of steps) {
    say(refunded);
    assert.equal(await sync(), true);
    assert.equal(await balance(), left);
    assert.equal((await read()).status, status);
  }
});

test('disputes take when funds are withdrawn and give back when reinstated, each by itself, beside refunds', async () => {
  const { say, sync, balance, read } = await captured();
  const steps: [number, Record<string, number>, number, string][] = [
    [0, { dp: 25 }, 0, 'disputed'],
    [0, { dp: 0 }, 25, 'succeeded'],
    [5, { dp: 0, dp2: 20 }, 0, 'disputed'],
    [5, { dp: 0, dp2: 0 }, 20, 'partially_refunded'],
  ];
  for (const [refunded, disputes, left, status] of steps) {
    say(refunded, disputes);
    await sync();
    await sync();
    assert.equal(await balance(), left);
    assert.equal((await read()).status, status);
  }
});

test('a balance is never clamped: what was spent before a dispute becomes a debt', async () => {
  const { user, say, sync, balance } = await captured();
  await fixtures.fund({ userId: user.id }, '-20.00');
  say(0, { dp: 25 });
  await sync();
  assert.equal(await balance(), -20);
});

test('a dispute of more than the charge is posted whole', async () => {
  const { say, sync, balance, read } = await captured(11);
  say(0, { dp: 12 });
  assert.equal(await sync(), true);
  assert.equal(await balance(), -1);
  assert.deepEqual((await read()).disputed, 12_000_000n);
  say(3, { dp: 0 });
  await sync();
  assert.equal(await balance(), 8);
});

test('money that is taken back after its workspace was deleted is taken from who had paid it', async () => {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const body = { amount: 25, payment_method_id: await fixtures.card(owner) };
  const path = `/api/organizations/${workspace}`;
  const { top_up_id } = (
    await request('POST', `${path}/billing/add-funds`, { key: owner.key, body })
  ).body;
  await request('DELETE', path, { key: owner.key });
  const [row] = await db.many<{ intent: string }>(
    sql`select processor_id as intent from top_up where id = ${top_up_id}`,
  );
  truth.set(row?.intent as string, { captured: 25_000_000n, refunded: 10_000_000n, disputes: [] });
  await synchronize(db, processor, top_up_id);
  assert.equal(await fixtures.balance({ userId: owner.id }), 15_000_000n);
});

test('while the processor cannot be asked nothing changes, and the event is tried again later', async () => {
  const { intent, say, balance } = await captured();
  const id = `evt_${randomUUID()}`;
  await storeEvent(db, { id, type: 'charge.refunded', createdAt: new Date(), intentId: intent });
  truth.set(intent, undefined);
  assert.equal(await processEvents(db, processor), 0);
  assert.equal(await balance(), 25);
  say(25);
  assert.equal(await processEvents(db, processor), 0, 'not due yet');
  await db.many(sql`update processor_event set next_attempt_at = now() where id = ${id}`);
  assert.equal(await processEvents(db, processor), 1);
  assert.equal(await balance(), 0);
});

test('unknown types and other people’s objects are kept and done with', async () => {
  const events = [undefined, 'pi_of_somebody_else'].map((intentId) => {
    return { id: `evt_${randomUUID()}`, type: 'customer.created', createdAt: new Date(), intentId };
  });
  for (const event of events) assert.equal(await storeEvent(db, event), true);
  for (const event of events) assert.equal(await storeEvent(db, event), false);
  assert.equal(await processEvents(db, processor), 2);
});

test('events that no webhook brought are fetched', async () => {
  const { intent, say, balance } = await captured();
  say(5);
  listed = [
    { id: `evt_${randomUUID()}`, type: 'charge.refunded', createdAt: new Date(), intentId: intent },
  ];
  assert.equal(await fetchMissedEvents(db, processor), 1);
  assert.equal(await fetchMissedEvents(db, processor), 0);
  await processEvents(db, processor);
  assert.equal(await balance(), 20);
});

test('an event that is dated in the future does not hide the ones to come', async () => {
  await storeEvent(db, { id: 'evt_now', type: 'x', createdAt: new Date(), intentId: undefined });
  await storeEvent(db, {
    id: 'evt_5138',
    type: 'x',
    createdAt: new Date(99_999_999_999_000),
    intentId: undefined,
  });
  await fetchMissedEvents(db, processor);
  const hours = (Date.now() - askedSince.getTime()) / 3_600_000;
  assert.ok(hours >= 1 && hours < 1.1, `asked from ${askedSince.toISOString()}`);
});

test('property: any order, repetition and concurrency of syncs ends with what the processor says last', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          refunded: fc.nat(25),
          dispute: fc.nat(25),
          syncs: fc.integer({ min: 0, max: 4 }),
        }),
        { minLength: 1, maxLength: 6 },
      ),
      async (steps) => {
        const { id, say, sync, balance } = await captured();
        const running: Promise<unknown>[] = [];
        for (const { refunded, dispute, syncs } of steps) {
          say(refunded, { dp: dispute });
          for (let i = 0; i < syncs; i++) running.push(sync());
        }
        await Promise.all(running);
        assert.equal(await sync(), true);
        const last = steps.at(-1);
        assert.equal(await balance(), 25 - (last?.refunded ?? 0) - (last?.dispute ?? 0));
        const credits = await db.many(
          sql`select id from ledger_transfer where reference_id = ${id} and kind = 'top_up'`,
        );
        assert.equal(credits.length, 1);
      },
    ),
    { numRuns: 25 },
  );
  assert.deepEqual((await auditLedger(db)).violations, []);
});
