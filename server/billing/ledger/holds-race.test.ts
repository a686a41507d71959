import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { sql } from '../../db/sql.ts';
import { ApiError } from '../../http/errors.ts';
import { count, outcome, spenders, usd } from '../../testing/fixtures/billing/spender.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { auditLedger } from '../audit/ledger-audit.ts';
import { capture, type Hold, hold, release } from './holds.ts';

const harness = await startHarness({ own: true });
const { db } = harness;
const { spender, take, free } = spenders(harness);

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
          accountId: id,
          amount: BigInt(micro),
          key: randomUUID(),
          reference,
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
