import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { auditLedger } from '../../billing/audit/ledger-audit.ts';
import { sql } from '../../db/sql.ts';
import { perform } from './money-model/perform.ts';
import { recover } from './money-model/recover.ts';
import { step } from './money-model/steps.ts';
import { startWorld, type Tenant } from './money-model/world.ts';

const RUNS = Number(process.env.GUILDHALL_TEST_MODEL_RUNS ?? 12);
const SEED = Number(process.env.GUILDHALL_TEST_MODEL_SEED ?? 1962518477);

const world = await startWorld();
const { db, fake } = world;

// Charges without a key that were begun less than 10 s after an identical one was credited, none of
// whose money went back.
const repeatedCharges = (t: Tenant) =>
  db.many(sql`
    select again.id
      from top_up t
      join ledger_transfer l on l.reference_id = t.id and l.kind = 'top_up'
      join top_up again
        on again.account_id = t.account_id and again.payment_method_id = t.payment_method_id
       and again.amount = t.amount and again.client_key is null and again.id <> t.id
       and again.created_at between l.created_at and l.created_at + interval '9.9 seconds'
     where t.user_id = ${t.user.id} and t.client_key is null
       and not exists (select from refund where top_up_id = t.id)
       and not exists (select from dispute where top_up_id = t.id)`);

test('property: whatever is done, fails, dies, repeats and arrives in whatever order, every dollar is where it belongs', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(step, fc.boolean()), { minLength: 6, maxLength: 20 }),
      async (steps) => {
        const t = await world.tenant();
        let running: Promise<void>[] = [];
        for (const [s, alone] of steps) {
          running.push(perform(world, t, s));
          if (!alone) continue;
          await Promise.all(running);
          running = [];
        }
        await Promise.all(running);
        assert.deepEqual(await repeatedCharges(t), [], 'an identical request was charged again');
        await recover(world);

        const rows = await db.many<{
          id: string;
          status: string;
          posted: bigint;
          credits: bigint;
          client_key: string | null;
        }>(sql`
        select t.id, t.status, t.client_key, coalesce(sum(l.balance - l.previous_balance),
          0)::bigint as posted,
               count(l.id) filter (where l.kind = 'top_up') as credits
          from top_up t left join ledger_transfer l on l.reference_id = t.id
         where t.user_id = ${t.user.id} group by t.id`);
        for (const { id, status, posted, credits } of rows) {
          const captures = fake.movements.filter(
            (one) => one.topUpId === id && one.kind === 'capture',
          ).length;
          assert.ok(status !== 'created' && status !== 'processing', 'a top-up stays open');
          assert.ok(captures <= 1, 'charged twice');
          assert.equal(credits, BigInt(captures), 'one credit if captured, none otherwise');
          assert.equal(posted, fake.net(id), 'the ledger says what the processor says');
        }
        for (const id of t.declined)
          assert.equal(rows.find((row) => row.id === id)?.credits, 0n, 'a 402 has no credit');
        assert.deepEqual(await db.many(sql`select id from refund where status = 'created'`), []);
        assert.deepEqual((await auditLedger(db)).violations, []);
      },
    ),
    { numRuns: RUNS, endOnFailure: true, seed: SEED },
  );
});
