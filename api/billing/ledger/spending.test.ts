import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { Sql, sql } from '../../db/sql.ts';
import { ApiError } from '../../http/errors.ts';
import { startHarness } from '../../testing/harness.ts';
import { auditLedger } from '../audit/ledger-audit.ts';
import { microUsd } from './money.ts';
import { capture, type Hold, hold, release } from './spending.ts';

const { fixtures, db, unchanged, owner, request } = await startHarness();

const usd = (text: string) => microUsd(text) as bigint;

/** A user with a balance, and what they may do with it, each in a transaction of its own. */
async function spender(balance: string) {
  const user = await fixtures.user();
  if (balance !== '0.00') await fixtures.fund({ userId: user.id }, balance);
  const { id } = await db.one<{ id: string }>(
    sql`select id from billing_account where user_id = ${user.id}`,
  );
  const reference = { type: 'task', id: randomUUID() };
  return {
    ...{ user, id, reference },
    fund: (amount: string) => fixtures.fund({ userId: user.id }, amount),
    hold: (amount: string, key: string = randomUUID(), other = {}) =>
      db.transaction((tx) =>
        hold(tx, { accountId: id, amount: usd(amount), key, reference, ...other }),
      ),
    account: () =>
      db.one<{ balance: bigint; held: bigint; status: string }>(
        sql`select balance, held, status from billing_account where id = ${id}`,
      ),
  };
}
const take = ({ id }: Hold, amount: string) => db.transaction((tx) => capture(tx, id, usd(amount)));
const free = ({ id }: Hold) => db.transaction((tx) => release(tx, id));

/** Asserts that `work` is refused by this code and that no row changed. */
const refused = (code: string, work: () => Promise<unknown>) =>
  unchanged(async () => assert.equal(await outcome(work()), code));
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error) => (error instanceof ApiError ? error.code : String(error)),
  );
const count = (all: string[]) =>
  Object.fromEntries(
    [...new Set(all)].sort().map((one) => [one, all.filter((each) => each === one).length]),
  );

test('a hold reserves, a capture charges part of it and frees the rest, a release frees all', async () => {
  const { id, hold, account } = await spender('10.00');
  const [first, second] = [await hold('6.00'), await hold('4.00')];
  assert.deepEqual(await account(), {
    balance: usd('10.00'),
    held: usd('10.00'),
    status: 'active',
  });
  const captured = await take(first, '2.50');
  assert.deepEqual(
    [captured.status, captured.captured, captured.amount],
    ['captured', usd('2.5'), usd('6')],
  );
  assert.ok(captured.endedAt instanceof Date);
  assert.deepEqual(await account(), { balance: usd('7.50'), held: usd('4.00'), status: 'active' });
  assert.equal((await free(second)).status, 'released');
  assert.deepEqual(await account(), { balance: usd('7.50'), held: 0n, status: 'active' });
  const rows = await db.many(sql`
    select kind, amount, reference_type, reference_id from ledger_transfer
     where account_id = ${id} and idempotency_key = ${`hold:${first.id}:capture`}`);
  const row = {
    kind: 'usage',
    amount: usd('2.50'),
    reference_type: 'hold',
    reference_id: first.id,
  };
  assert.deepEqual(rows, [row]);
});

test('repeating is safe: the same key is the same hold, an ended hold answers as it ended', async () => {
  const { hold } = await spender('10.00');
  const first = await hold('10.00', 'again');
  const second = await spender('10.00').then((other) => other.hold('1.00'));
  await unchanged(async () => assert.deepEqual(await hold('10.00', 'again'), first));
  const captured = await take(first, '10.00');
  const released = await free(second);
  await unchanged(async () => {
    assert.deepEqual(await take(first, '10.00'), captured);
    assert.deepEqual(await free(second), released);
    assert.deepEqual(await hold('10.00', 'again'), captured);
  });
});

test('402: what is not free cannot be held, by a microdollar, and nothing changes', async () => {
  const { hold, account } = await spender('10.00');
  const first = await hold('4.00');
  await refused('insufficient_funds', () => hold('6.000001'));
  await hold('6.00');
  await refused('insufficient_funds', () => hold('0.000001'));
  await free(first);
  await hold('4.00');
  assert.equal((await account()).held, usd('10.00'));
  const empty = await spender('0.00');
  await refused('insufficient_funds', () => empty.hold('0.01'));
});

test('402: a debt freezes spending until it is repaid; what was held before is still captured', async () => {
  const { user, hold, fund, account } = await spender('10.00');
  const before = await hold('8.00');
  await fund('-10.01');
  assert.deepEqual(await account(), { balance: usd('-0.01'), held: usd('8.00'), status: 'frozen' });
  await refused('account_not_active', () => hold('0.01'));
  await take(before, '8.00');
  assert.deepEqual(await account(), { balance: usd('-8.01'), held: 0n, status: 'frozen' });
  await fund('8.00');
  assert.equal((await account()).status, 'frozen');
  const { body } = await request('GET', '/api/billing/balance', { key: user.key });
  assert.deepEqual(body, { balance: '-0.01', held: '0.00', available: '0.00', status: 'frozen' });
  await fund('0.01');
  assert.deepEqual(await account(), { balance: 0n, held: 0n, status: 'active' });
  await fund('1.00');
  await hold('1.00');
});

test('402: an account that was frozen without a debt is not opened by a payment', async () => {
  const { id, hold, fund, account } = await spender('1.00');
  await db.many(sql`update billing_account set status = 'frozen' where id = ${id}`);
  await fund('5.00');
  assert.equal((await account()).status, 'frozen');
  await refused('account_not_active', () => hold('1.00'));
});

test('402, 404, 409: a closed account, an unknown hold, another amount, another end, a key used again', async () => {
  const person = await fixtures.user();
  const workspace = await fixtures.workspace(person, { balance: '5.00' });
  const { id: closed } = await db.one<{ id: string }>(
    sql`select id from billing_account where organization_id = ${workspace}`,
  );
  await request('DELETE', `/api/organizations/${workspace}`, { key: person.key });
  const { hold } = await spender('10.00');
  await refused('account_not_active', () => hold('1.00', 'k1', { accountId: closed }));

  const [captured, released, open] = [
    await hold('2.00'),
    await hold('2.00'),
    await hold('2.00', 'k2'),
  ];
  await take(captured, '1.00');
  await free(released);
  const unknown = { ...open, id: randomUUID() };
  await refused('hold_not_found', () => take(unknown, '1.00'));
  await refused('hold_not_found', () => free(unknown));
  await refused('hold_ended', () => take(captured, '0.99'));
  await refused('hold_ended', () => free(captured));
  await refused('hold_ended', () => take(released, '2.00'));
  for (const amount of ['0.00', '-1.00', '2.000001'])
    await refused('capture_out_of_range', () => take(open, amount));
  await refused('hold_key_reused', () => hold('2.01', 'k2'));
  await refused('hold_key_reused', () =>
    hold('2.00', 'k2', { reference: { type: 'task', id: randomUUID() } }),
  );
  const other = await spender('10.00');
  await refused('hold_key_reused', () => other.hold('2.00', 'k2'));
});

test('race: 100 parallel holds of 1.00 on 10.00: exactly ten win', async () => {
  const { id, hold, account } = await spender('10.00');
  const outcomes = await Promise.all(Array.from({ length: 100 }, () => outcome(hold('1.00'))));
  assert.deepEqual(count(outcomes), { done: 10, insufficient_funds: 90 });
  assert.deepEqual(await account(), {
    balance: usd('10.00'),
    held: usd('10.00'),
    status: 'active',
  });
  const holds = await db.many(sql`select id from hold where account_id = ${id}`);
  assert.equal(holds.length, 10);
});

test('race: one key, one capture against another, capture against release: one hold and one end', async () => {
  for (let round = 0; round < 10; round++) {
    const { hold, account } = await spender('10.00');
    const key = randomUUID();
    const same = await Promise.all(Array.from({ length: 8 }, () => hold('10.00', key)));
    assert.equal(new Set(same.map(({ id }) => id)).size, 1);
    const held = same[0] as Hold;
    const ends = await Promise.all([
      ...[1, 2, 3, 4].map(() => outcome(take(held, '4.00'))),
      ...[1, 2, 3, 4].map(() => outcome(free(held))),
    ]);
    assert.deepEqual(count(ends), { done: 4, hold_ended: 4 });
    const charged = ends[0] === 'done';
    const left = { balance: charged ? usd('6.00') : usd('10.00'), held: 0n, status: 'active' };
    assert.deepEqual(await account(), left);
  }
});

test('property: whatever is held, captured, released and posted at once, the account holds its open holds', async () => {
  const step = fc.record({
    act: fc.constantFrom('hold', 'hold', 'capture', 'release', 'fund', 'spend', 'abort'),
    micro: fc.integer({ min: 1, max: 3_000_000 }),
    at: fc.nat(20),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 5 }),
      async (rounds) => {
        const { id, account, reference, fund } = await spender('5.00');
        const holds: Hold[] = [];
        const request = (micro: number) => ({
          ...{ accountId: id, amount: BigInt(micro), key: randomUUID(), reference },
        });
        const run = async ({ act, micro, at }: { act: string; micro: number; at: number }) => {
          const one = holds[at % Math.max(holds.length, 1)];
          if (act === 'fund' || act === 'spend')
            return fund(`${act === 'fund' ? '' : '-'}1.234567`);
          if (act === 'hold') {
            const made = await db.transaction((tx) => hold(tx, request(micro)));
            holds.push(made);
          } else if (act === 'abort') {
            await db.transaction(async (tx) => {
              const made = await hold(tx, request(micro));
              await capture(tx, made.id, 1n);
              throw new ApiError(500, 'died', 'the process died before it committed');
            });
          } else if (one !== undefined) {
            const amount = 1n + (BigInt(micro) % one.amount);
            await db.transaction((tx) =>
              act === 'capture' ? capture(tx, one.id, amount) : release(tx, one.id),
            );
          }
        };
        for (const round of rounds) {
          const outcomes = await Promise.all(round.map((each) => outcome(run(each))));
          const allowed = [
            'done',
            'insufficient_funds',
            'account_not_active',
            'hold_ended',
            'died',
          ];
          assert.deepEqual(
            outcomes.filter((one) => !allowed.includes(one)),
            [],
          );
        }
        const { held } = await account();
        const rows = await db.many<{ amount: bigint; captured: bigint; status: string }>(
          sql`select amount, captured, status from hold where account_id = ${id}`,
        );
        const open = rows.filter(({ status }) => status === 'open');
        assert.equal(
          held,
          open.reduce((sum, { amount }) => sum + amount, 0n),
        );
      },
    ),
    { numRuns: 40 },
  );
  assert.deepEqual((await auditLedger(db)).violations, []);
});

test('the database keeps holds by itself: the server cannot set what is held, the owner cannot rewrite a hold', async () => {
  const { id, hold } = await spender('10.00');
  const [open, ended] = [await hold('2.00'), await hold('2.00')];
  await take(ended, '1.00');
  const denied = [
    sql`update billing_account set held = 0 where id = ${id}`,
    sql`update hold set amount = 1 where id = ${open.id}`,
    sql`delete from hold where id = ${open.id}`,
    sql`insert into hold (account_id, amount, status, idempotency_key, reference_type, reference_id)
        values (${id}, 1, 'captured', 'x', 'task', ${id})`,
  ];
  const broken = [
    [
      sql`update hold set status = 'captured', captured = 1000000 where id = ${open.id}`,
      /foreign key/,
    ],
    [
      sql`update hold set status = 'captured', captured = 2000001 where id = ${open.id}`,
      /check constraint/,
    ],
    [sql`update hold set status = 'released' where id = ${ended.id}`, /ends once/],
    [
      sql`update billing_account set status = 'active', balance = -1 where id = ${id}`,
      /debt_is_frozen/,
    ],
  ] as const;
  const rewritten = [
    [
      sql`update hold set amount = 1, status = 'released' where id = ${open.id}`,
      /nothing else of it/,
    ],
    [sql`delete from hold where id = ${open.id}`, /insert-only/],
    [
      sql`insert into hold (account_id, amount, captured, status, ended_at, idempotency_key, reference_type, reference_id)
          values (${id}, 1, 1, 'captured', now(), 'x', 'task', ${id})`,
      /begins open/,
    ],
  ] as const;
  await unchanged(async () => {
    for (const query of denied) await assert.rejects(db.many(query), /permission denied/);
    for (const [query, message] of [...broken, ...rewritten])
      await assert.rejects(owner(query), message);
  });
});

test('audit: held money without holds, a charge without its hold and a debt that can be spent on are found', async () => {
  const violations = async (accountId: string) =>
    (await auditLedger(db)).violations
      .filter((one) => one.accountId === accountId)
      .map(({ rule }) => rule);
  const corruptions: [(ids: { account: string; hold: string }) => string, string[]][] = [
    [
      ({ account }) => `update billing_account set held = 5 where id = '${account}'`,
      ['held_is_open_holds'],
    ],
    [
      ({ hold }) => `update hold set captured = captured + 1 where id = '${hold}'`,
      ['one_charge_a_use'],
    ],
    [
      ({ hold }) => `update hold set id = gen_random_uuid() where id = '${hold}'`,
      ['one_charge_a_use'],
    ],
    [
      ({ hold }) =>
        `update hold set status = 'open', captured = 0, ended_at = null where id = '${hold}'`,
      ['held_is_open_holds', 'one_charge_a_use'],
    ],
    [
      ({ account }) => `update billing_account set status = 'active' where id = '${account}'`,
      ['debt_is_frozen'],
    ],
  ];
  await owner(sql`alter table billing_account drop constraint billing_account_debt_is_frozen`);
  for (const [statement, rules] of corruptions) {
    const { id, hold, fund } = await spender('10.00');
    const held = await take(await hold('2.00'), '1.00');
    await fund('-10.00');
    assert.deepEqual(await violations(id), []);
    const text = `set session_replication_role = replica; ${statement({ account: id, hold: held.id })}`;
    await owner(new Sql([text], []));
    assert.deepEqual([...new Set(await violations(id))], rules);
  }
});
