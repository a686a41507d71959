import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { until } from '../testing/harness/until.ts';
import { backgroundWork } from './background.ts';
import { sandbox } from './cards/sandbox.ts';
import { recordUsage, type SettlementRound } from './ledger/usage.ts';

const { db, fixtures } = await startHarness({ own: true });

/** A user with this balance who has used so many nano-USD that are not settled yet. */
async function consumer(balance: string, nano: bigint) {
  const user = await fixtures.user();
  await fixtures.fund({ userId: user.id }, balance);
  const { id: accountId } = await db.one<{ id: string }>(sql`
    select id from billing_account where user_id = ${user.id}`);
  const reference = { type: 'test', id: accountId };
  const event = { accountId, amount: nano, reference, occurredAt: new Date() };
  await db.transaction((tx) => recordUsage(tx, [{ ...event, key: randomUUID() }]));
  return { accountId, balance: () => fixtures.balance({ userId: user.id }) };
}

/** The background work of a server, and what it logged and counted. */
function server() {
  const lines: Record<string, unknown>[] = [];
  const settled: SettlementRound[] = [];
  let rounds = 0;
  const work = backgroundWork(db, sandbox(db), {
    checks: [60_000],
    limits: { minimum: 1, maximum: 10_000 },
    log: pino({}, { write: (line: string) => lines.push(JSON.parse(line)) }),
    observer: {
      onRound: () => rounds++,
      onFailure: () => {},
      onSettled: (round) => settled.push(round),
    },
  });
  after(work.close);
  work.start();
  return { lines, settled, rounds: () => rounds, close: work.close };
}

test('of several servers one settles what no turn has settled; what fails is logged and stays recorded', async () => {
  const paying = [await consumer('5.00', 1_500_000n), await consumer('5.00', 2_000_000_999n)];
  // Beyond the limit of what an account may owe.
  const failing = await consumer('-999999999.00', 2_000_000_000n);
  const servers = [server(), server(), server()];
  await until('one has settled it', () => servers.some((each) => each.settled.length > 0));
  await Promise.all(servers.map(({ close }) => close()));

  assert.equal(await paying[0]?.balance(), 4_998_500n);
  assert.equal(await paying[1]?.balance(), 3_000_000n);
  assert.equal(await failing.balance(), -999_999_999_000_000n);
  const pending = await db.many(sql`
    select account_id as "accountId" from usage_event where settlement_id is null`);
  assert.deepEqual(pending, [{ accountId: failing.accountId }]);

  const settled = servers.flatMap((each) => each.settled);
  assert.deepEqual(
    settled.map(({ settlements, events, failed }) => [settlements, events, failed.length]),
    [[2, 2, 1]],
  );
  const errors = servers.flatMap(({ lines }) => lines).filter(({ level }) => level === 50);
  assert.deepEqual(
    errors.map(({ msg, account }) => [msg, account]),
    [['usage of an account could not be settled', failing.accountId]],
  );
});

test('while the ledger is audited, rounds go on; a server that ends leaves the rest of the audit', async () => {
  const audits = () => db.many(sql`select audited_at from last_ledger_audit`);
  const before = await audits();
  let closed: Promise<void> | undefined;
  await db.transaction(async (tx) => {
    await tx.many(sql`lock table task_turn in access exclusive mode`);
    await db.many(sql`update hourly_work set next_at = now()`);
    const { rounds, close } = server();
    await until('the audit waits for what is locked', async () => {
      const waiting = await db.many(sql`
        select from pg_locks where relation = 'task_turn'::regclass and not granted`);
      return waiting.length > 0;
    });
    await until('a round has ended', () => rounds() > 0);
    closed = close();
  });
  await closed;
  assert.deepEqual(await audits(), before);
});
