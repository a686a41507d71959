import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { auditLedger } from '../audit/ledger-audit.ts';
import { recordUsage, settleAccount, settleUsage, type UsageEvent } from './usage.ts';

const { fixtures, db, unchanged, request } = await startHarness({ own: true });

const reference = { type: 'task', id: randomUUID() };
const occurredAt = new Date('2026-03-04T05:06:07.089Z');

async function consumer(balance = '10.00') {
  const user = await fixtures.user();
  if (balance !== '0.00') await fixtures.fund({ userId: user.id }, balance);
  return { user, id: await accountOf({ userId: user.id }) };
}
const accountOf = async (whose: { userId?: string; organizationId?: string }): Promise<string> => {
  const { id } = await db.one<{ id: string }>(sql`
    select id from billing_account
     where user_id = ${whose.userId ?? null} or organization_id = ${whose.organizationId ?? null}`);
  return id;
};
const event = (
  accountId: string,
  nano: number | bigint,
  key: string = randomUUID(),
): UsageEvent => {
  return { key, accountId, amount: BigInt(nano), reference, occurredAt };
};
const record = (...events: UsageEvent[]) => db.transaction((tx) => recordUsage(tx, events));

/** Settles until nothing is pending: what somebody else has locked is passed over by a round. */
async function settleAll(limit?: number): Promise<void> {
  for (;;) {
    const { failed } = await settleUsage(db, limit === undefined ? {} : { limit });
    assert.deepEqual(failed, []);
    const pending = await db.many(
      sql`select id from usage_event where settlement_id is null limit 1`,
    );
    if (pending.length === 0) return;
  }
}

/**
 * Everything about an account's usage, in nano-USD: all events, those settled, what was charged,
 * what is carried.
 */
const books = (accountId: string) =>
  db.one<Record<'events' | 'settled' | 'charged' | 'posted' | 'carried', bigint>>(sql`
    select coalesce(sum(amount), 0)::bigint as events,
           coalesce(sum(amount) filter (where settlement_id is not null), 0)::bigint as settled,
           (select coalesce(sum(micro), 0)::bigint * 1000 from usage_settlement
             where account_id = ${accountId}) as charged,
           (select coalesce(sum(l.amount), 0)::bigint * 1000 from ledger_transfer l
             join usage_settlement s
                on l.reference_id = s.id and l.idempotency_key = 'usage:' || s.id
              where s.account_id = ${accountId} and l.kind = 'usage') as posted,
           coalesce((select carried_out::bigint from usage_settlement
             where account_id = ${accountId}
                      order by number desc limit 1), 0) as carried
      from usage_event where account_id = ${accountId}`);

const chain = (accountId: string) =>
  db.many(sql`
    select events, total_nano, carried_in, micro, carried_out
      from usage_settlement where account_id = ${accountId} order by number`);

test('events become one charge in whole micro-USD; the rest is carried exactly into the next', async () => {
  const { user, id } = await consumer();
  await record(event(id, 999), event(id, 1_500), event(id, 1));
  assert.deepEqual(await settleUsage(db), { settlements: 1, events: 3, busy: 0, failed: [] });
  await record(event(id, 400));
  await settleAll();
  await record(event(id, 100), event(id, 10n ** 10n));
  await settleAll();
  assert.deepEqual(await chain(id), [
    { events: 3, total_nano: 2_500n, carried_in: 0, micro: 2n, carried_out: 500 },
    { events: 1, total_nano: 400n, carried_in: 500, micro: 0n, carried_out: 900 },
    {
      events: 2,
      total_nano: 10n ** 10n + 100n,
      carried_in: 900,
      micro: 10_000_001n,
      carried_out: 0,
    },
  ]);
  assert.equal(await fixtures.balance({ userId: user.id }), 10_000_000n - 10_000_003n);
  const { body } = await request('GET', '/api/billing/balance', { key: user.key });
  assert.deepEqual([body.balance, body.status], ['-0.000003', 'frozen']);
  await unchanged(async () =>
    assert.deepEqual(await settleUsage(db), { settlements: 0, events: 0, busy: 0, failed: [] }),
  );
});

test('an event is recorded once; a key that comes back for something else is reported and changes nothing', async () => {
  const [{ id }, { id: other }] = [await consumer(), await consumer()];
  const [one, two] = [event(id, 5), event(id, 6)];
  assert.deepEqual(await record(one, two, one), { recorded: 2, repeated: 1, conflicting: [] });
  await unchanged(async () => {
    assert.deepEqual(await record(two, one), { recorded: 0, repeated: 2, conflicting: [] });
    const conflicts = [
      { ...one, amount: 7n },
      { ...two, accountId: other },
    ];
    const answer = await record(...conflicts);
    assert.deepEqual(answer, { recorded: 0, repeated: 2, conflicting: [one.key, two.key].sort() });
    assert.deepEqual(await record(), { recorded: 0, repeated: 0, conflicting: [] });
  });
  await settleAll();
  assert.deepEqual(await record(one, event(id, 1)), { recorded: 1, repeated: 1, conflicting: [] });
  assert.equal((await books(id)).events, 12n);
});

test('an amount out of range, an unknown account and a limit out of range are refused and nothing is recorded', async () => {
  const { id } = await consumer();
  await unchanged(async () => {
    for (const amount of [-1n, 10n ** 14n + 1n])
      await assert.rejects(record(event(id, 1), event(id, amount)), /usage_event_amount_check/);
    await assert.rejects(record(event(id, 1), event(id, 0)), /usage_event_counts_something/);
    await assert.rejects(record(event(id, 1), event(randomUUID(), 1)), /foreign key/);
  });
  await record(event(id, 1));
  for (const limit of [0, 1.5, 10_001])
    await assert.rejects(settleUsage(db, { limit }), RangeError);
  await settleAll();
});

test('usage of a workspace that was deleted meanwhile is paid by who got its balance', async () => {
  const { user, id } = await consumer('1.00');
  const workspace = await fixtures.workspace(user, { balance: '5.00' });
  const account = await accountOf({ organizationId: workspace });
  await record(event(account, 700));
  await settleAll();
  await record(event(account, 2_000_000_400n));
  assert.equal(
    (await request('DELETE', `/api/organizations/${workspace}`, { key: user.key })).status,
    200,
  );
  await settleAll();
  assert.equal(await fixtures.balance({ userId: user.id }), 6_000_000n - 2_000_001n);
  assert.deepEqual(await books(id), {
    events: 0n,
    settled: 0n,
    charged: 0n,
    posted: 0n,
    carried: 0n,
  });
  const { carried, ...sums } = await books(account);
  assert.equal(carried, 100n);
  const [settled, posted] = [2_000_001_100n, 2_000_001_000n];
  assert.deepEqual(sums, { events: settled, settled, charged: posted, posted });
});

test('an account that cannot be charged keeps its events and does not delay other accounts', async () => {
  const [{ id: poor }, { id: well }] = [await consumer('0.00'), await consumer('0.00')];
  // Near the cap of what an account may owe.
  for (let i = 0; i < 5; i++) await fixtures.fund({ userId: await userOf(poor) }, '-199999999.90');
  await record(event(poor, 10n ** 12n), event(well, 1_000));
  const round = await settleUsage(db);
  assert.deepEqual(
    round.failed.map(({ accountId }) => accountId),
    [poor],
  );
  assert.match(String(round.failed[0]?.error), /billing_account_balance_check/);
  assert.equal(round.settlements, 1);
  assert.deepEqual([(await books(poor)).settled, (await books(well)).settled], [0n, 1_000n]);
  await fixtures.fund({ userId: await userOf(poor) }, '1000.00');
  await settleAll();
  assert.equal((await books(poor)).settled, 10n ** 12n);
});
const userOf = async (id: string) =>
  (await db.one<{ user_id: string }>(sql`select user_id from billing_account where id = ${id}`))
    .user_id;

test('a locked account is skipped, and recording usage never waits for a settlement', async () => {
  const { id } = await consumer();
  await record(event(id, 1_000));
  await db.transaction(async (tx) => {
    await tx.one(sql`select id from billing_account where id = ${id} for no key update`);
    assert.deepEqual(await settleUsage(db), { settlements: 0, events: 0, busy: 1, failed: [] });
    await settleAccount(tx, id);
    await record(event(id, 1_000));
  });
  assert.equal((await books(id)).settled, 1_000n);
  await settleAll();
});

test('race: many settlers at once charge every event once, while more events come', async () => {
  const ids = await Promise.all([1, 2, 3, 4].map(async () => (await consumer()).id));
  const work: Promise<unknown>[] = [];
  for (let i = 0; i < 25; i++) {
    work.push(
      record(...ids.flatMap((id) => [event(id, 333 + i), event(id, 1), event(id, 12_345)])),
    );
    work.push(settleUsage(db, { limit: 1 + (i % 7) }));
  }
  await Promise.all(work);
  await settleAll();
  for (const id of ids) {
    const { events, settled, charged, posted, carried } = await books(id);
    assert.equal(events, 25n * 12_679n + 300n);
    assert.deepEqual([settled, charged + carried, posted], [events, events, charged]);
  }
});

test('property: random events, batches, duplicates, settlers and crashes: charges plus the carry are the events, exactly', async () => {
  const nano = fc.oneof(
    fc.integer({ min: 1, max: 2_500 }),
    fc.bigInt(1n, 10n ** 9n),
    fc.constant(1_000),
  );
  const step = fc.oneof(
    fc.record({
      act: fc.constant('record' as const),
      events: fc.array(fc.record({ account: fc.nat(2), nano, key: fc.nat(25) }), { maxLength: 8 }),
      dies: fc.boolean(),
    }),
    fc.record({ act: fc.constant('settle' as const), limit: fc.integer({ min: 1, max: 9 }) }),
    fc.record({
      act: fc.constant('crash' as const),
      account: fc.nat(2),
      limit: fc.integer({ min: 1, max: 9 }),
    }),
  );
  class Died extends Error {}
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { maxLength: 5 }), { maxLength: 6 }),
      async (rounds) => {
        const ids = await Promise.all([0, 1, 2].map(async () => (await consumer('0.001')).id));
        const prefix = randomUUID();
        // Which key is whose and how much is decided once, as an event is; it is then sent any
        // number of times.
        const sent = new Map<number, UsageEvent>();
        const eventOf = (key: number, account: number, amount: number | bigint) => {
          if (!sent.has(key))
            sent.set(key, event(ids[account] as string, amount, `${prefix}:${key}`));
          return sent.get(key) as UsageEvent;
        };
        const recorded = new Set<UsageEvent>();
        const run = async (one: (typeof rounds)[number][number]) => {
          if (one.act === 'settle') {
            assert.deepEqual((await settleUsage(db, { limit: one.limit })).failed, []);
          } else if (one.act === 'record') {
            const events = one.events.map((each) => eventOf(each.key, each.account, each.nano));
            await db.transaction(async (tx) => {
              assert.deepEqual((await recordUsage(tx, events)).conflicting, []);
              if (one.dies) throw new Died();
            });
            for (const each of events) recorded.add(each);
          } else {
            await db.transaction(async (tx) => {
              await tx.one(
                sql`
                  select id from billing_account where id = ${ids[one.account]} for no key update`,
              );
              await settleAccount(tx, ids[one.account] as string, one.limit);
              throw new Died();
            });
          }
        };
        const survive = (error: unknown) => assert.ok(error instanceof Died, String(error));
        for (const round of rounds) await Promise.all(round.map((one) => run(one).catch(survive)));
        const check = async (complete: boolean) => {
          for (const id of ids) {
            const expected = [...recorded].filter(({ accountId }) => accountId === id);
            const { events, settled, charged, posted, carried } = await books(id);
            assert.equal(
              events,
              expected.reduce((sum, { amount }) => sum + amount, 0n),
            );
            assert.deepEqual([charged + carried, posted], [settled, charged]);
            if (complete) assert.equal(settled, events);
            const balance = await fixtures.balance({ userId: await userOf(id) });
            assert.equal(balance, 1_000n - charged / 1_000n);
          }
        };
        await check(false);
        await settleAll(5);
        await check(true);
      },
    ),
    { numRuns: 40 },
  );
  assert.deepEqual((await auditLedger(db)).violations, []);
});
