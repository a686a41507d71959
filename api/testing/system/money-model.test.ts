import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { pino } from 'pino';
import { auditLedger } from '../../billing/audit/ledger-audit.ts';
import { moneyWorker } from '../../billing/background.ts';
import { customerStore } from '../../billing/cards/customers.ts';
import type { Processor } from '../../billing/cards/processor.ts';
import { stripeProcessor } from '../../billing/cards/stripe.ts';
import { capture, hold, release } from '../../billing/ledger/spending.ts';
import { recordUsage, settleUsage } from '../../billing/ledger/usage.ts';
import { driveRefund, RefundRefused, startRefund } from '../../billing/top-ups/refund.ts';
import { sql } from '../../db/sql.ts';
import { ApiError } from '../../http/errors.ts';
import type { FaultKind } from '../doubles/fake-stripe/faults.ts';
import { startFakeStripe } from '../doubles/fake-stripe/server.ts';
import { startHarness } from '../harness.ts';

const fake = await startFakeStripe();
after(() => fake.close());
const WEBHOOK = 'whsec_fake';
const RUNS = Number(process.env.GUILDHALL_TEST_MODEL_RUNS ?? 12);
const SEED = Number(process.env.GUILDHALL_TEST_MODEL_SEED ?? 1962518477);

let dieBefore: keyof Processor | undefined;
const { url, fixtures, request, db } = await startHarness({
  webhookSecret: WEBHOOK,
  followFor: 100,
  processor: (database) => {
    const real = stripeProcessor({
      secretKey: fake.secretKey,
      apiBase: fake.url,
      timeoutMs: 150,
      customers: customerStore(database),
    });
    return new Proxy(real, {
      get: (target, name: keyof Processor) => {
        if (name !== dieBefore) return target[name];
        dieBefore = undefined;
        return async () => {
          throw new Error('as if the process had died here');
        };
      },
    });
  },
});
fake.webhook(`${url}/webhooks/stripe`, WEBHOOK);
const processor = stripeProcessor({
  secretKey: fake.secretKey,
  apiBase: fake.url,
  timeoutMs: 2000,
  customers: customerStore(db),
});
const worker = moneyWorker(db, processor, {
  checks: [1000, 2000],
  limits: { minimum: 1, maximum: 10_000 },
  log: pino({ level: 'silent' }),
});

const ON_INTENT = ['payment_intents/:id/confirm', 'payment_intents/:id/cancel'];
const cents = fc.integer({ min: 100, max: 3000 });
const step = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fault' as const),
      at: fc.constantFrom('payment_intents', ...ON_INTENT, 'refunds'),
      kind: fc.constantFrom<FaultKind>(
        'dropBefore',
        'dropAfter',
        'hang',
        'truncate',
        '500saved',
        '502html',
        'slow',
        'lockTimeout',
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('die' as const),
      before: fc.constantFrom<keyof Processor>('create', 'confirm', 'cancel'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      cents,
      declined: fc.boolean(),
      workspace: fc.boolean(),
      times: fc.integer({ min: 1, max: 3 }),
      keyed: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('dispute' as const),
      which: fc.nat(2),
      won: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      which: fc.nat(2),
      part: fc.option(fc.integer({ min: 1, max: 400 })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('hold' as const),
      cents,
      end: fc.constantFrom('capture', 'release', 'open'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('usage' as const),
      nano: fc.array(fc.integer({ min: 1, max: 2_000_000_000 }), { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('events' as const),
      order: fc.constantFrom('oldest' as const, 'newest' as const, 'shuffled' as const),
      duplicate: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('clock' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function tenant() {
  const user = await fixtures.user();
  return {
    user,
    workspace: await fixtures.workspace(user),
    good: await fixtures.card(user),
    bad: await fixtures.card(user, 'pm_card_chargeDeclined'),
    account: (
      await db.one<{ id: string }>(sql`select id from billing_account where user_id = ${user.id}`)
    ).id,
    errors: [] as string[],
  };
}
type Tenant = Awaited<ReturnType<typeof tenant>>;

async function pick(
  t: Tenant,
  which: number,
): Promise<{ id: string; processor_id: string } | undefined> {
  const charged = await db.many<{ id: string; processor_id: string }>(sql`
    select id, processor_id from top_up
     where user_id = ${t.user.id} and status not in ('created', 'processing', 'failed') order by id`);
  return charged[which % Math.max(1, charged.length)];
}

async function perform(t: Tenant, s: Step): Promise<void> {
  switch (s.do) {
    case 'fault':
      return fake.fault({ match: `POST /v1/${s.at}`, kind: s.kind, times: 2, ms: 200 });
    case 'die':
      dieBefore = s.before;
      return;
    case 'add': {
      const path = s.workspace
        ? `/api/organizations/${t.workspace}/billing/add-funds`
        : '/api/billing/add-funds';
      const body = { amount: s.cents / 100, payment_method_id: s.declined ? t.bad : t.good };
      const headers: Record<string, string> = s.keyed ? { 'idempotency-key': randomUUID() } : {};
      for (let i = 0; i < s.times; i++) {
        const reply = await request('POST', path, { key: t.user.key, body, headers });
        if (reply.status === 402) t.errors.push(reply.body.top_up_id);
      }
      return;
    }
    case 'dispute': {
      const one = await pick(t, s.which);
      if (one === undefined || fake.net(one.id) < 10_000n) return;
      const { id } = fake.dispute(one.processor_id);
      fake.closeDispute(id, s.won ? 'won' : 'lost');
      return;
    }
    case 'refund': {
      const one = await pick(t, s.which);
      if (one === undefined) return;
      const begun = await startRefund(
        db,
        processor,
        one.id,
        s.part === null ? undefined : BigInt(s.part) * 10_000n,
        async () => {},
      ).catch((error) => {
        if (error instanceof RefundRefused) return undefined;
        throw error;
      });
      if (begun !== undefined) await driveRefund(db, processor, begun.id);
      return;
    }
    case 'hold':
      return db
        .transaction(async (tx) => {
          const reference = { type: 'test', id: t.account };
          const { id } = await hold(tx, {
            accountId: t.account,
            amount: BigInt(s.cents) * 10_000n,
            key: randomUUID(),
            reference,
          });
          if (s.end === 'capture') await capture(tx, id, BigInt(s.cents) * 5_000n);
          if (s.end === 'release') await release(tx, id);
        })
        .catch((error) => {
          if (!(error instanceof ApiError)) throw error;
        });
    case 'usage': {
      const events = s.nano.map((nano) => ({
        accountId: t.account,
        key: randomUUID(),
        amount: BigInt(nano),
        reference: { type: 'test', id: t.account },
        occurredAt: new Date(),
      }));
      await db.transaction((tx) => recordUsage(tx, [...events, events[0] as (typeof events)[0]]));
      await settleUsage(db, { limit: 3 });
      return;
    }
    case 'events':
      return void (await fake.deliver({ order: s.order, duplicate: s.duplicate }));
    case 'delete':
      return void (await request('DELETE', `/api/organizations/${t.workspace}`, {
        key: t.user.key,
      }));
    case 'clock':
      await db.many(
        sql`update top_up set next_check_at = now() where status in ('created', 'processing')`,
      );
      await worker.round();
  }
}

// Charges without a key that were begun less than 10 s after an identical one was credited, none of whose money went back.
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

async function recover(): Promise<void> {
  fake.clearFaults();
  fake.forgetKeys(); // a day later
  dieBefore = undefined;
  for (let i = 0; i < 4; i++) {
    // Older by a second each time, so that the last rounds are past the schedule and fence.
    await db.many(sql`update top_up set next_check_at = now(), created_at = created_at - interval '1 second'
      where status in ('created', 'processing')`);
    await db.many(sql`update refund set next_check_at = now() where status = 'created'`);
    await fake.deliver({ order: 'shuffled', again: true });
    await db.many(
      sql`update processor_event set next_attempt_at = now() where processed_at is null`,
    );
    await worker.round();
  }
  while ((await settleUsage(db)).settlements > 0);
}

test('property: whatever is done, fails, dies, repeats and arrives in whatever order, every dollar is where it belongs', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(step, fc.boolean()), { minLength: 6, maxLength: 20 }),
      async (steps) => {
        const t = await tenant();
        let running: Promise<void>[] = [];
        for (const [s, alone] of steps) {
          running.push(perform(t, s));
          if (!alone) continue;
          await Promise.all(running);
          running = [];
        }
        await Promise.all(running);
        assert.deepEqual(await repeatedCharges(t), [], 'an identical request was charged again');
        await recover();

        const rows = await db.many<{
          id: string;
          status: string;
          posted: bigint;
          credits: bigint;
          client_key: string | null;
        }>(sql`
        select t.id, t.status, t.client_key, coalesce(sum(l.balance - l.previous_balance), 0)::bigint as posted,
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
        for (const id of t.errors)
          assert.equal(rows.find((row) => row.id === id)?.credits, 0n, 'a 402 has no credit');
        assert.deepEqual(await db.many(sql`select id from refund where status = 'created'`), []);
        assert.deepEqual((await auditLedger(db)).violations, []);
      },
    ),
    { numRuns: RUNS, endOnFailure: true, seed: SEED },
  );
});
