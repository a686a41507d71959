import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sqlState } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { ModelUse } from '../../platform/catalog/agent-fields.ts';
import type { Billing } from '../../platform/config/config.ts';
import { ConfigError } from '../../platform/config/config.ts';
import { startPayers } from '../../testing/fixtures/billing/payer.ts';
import { spenders, usd } from '../../testing/fixtures/billing/spender.ts';
import { usageOn } from '../../testing/fixtures/billing/usage.ts';
import type { Harness } from '../../testing/harness/harness.ts';
import { auditLedger } from '../audit/ledger-audit.ts';
import { post } from '../ledger/ledger.ts';
import { enterMode, requireMode, storedMode } from './enter-mode.ts';
import { followMode } from './follow-mode.ts';
import { voidTestMoney } from './void-test-money.ts';

const SANDBOX: Billing = { mode: 'sandbox', testMoney: true };
const CREDITS: Billing = { mode: 'credits', testMoney: false };
const OFF: Billing = { mode: 'off', testMoney: false };
const STRIPE: Billing = { mode: 'stripe', testMoney: false };
const STRIPE_TEST: Billing = { mode: 'stripe', testMoney: true };

const owned = (db: Harness['db']) =>
  db.many<{ balance: bigint; held: bigint; status: string }>(sql`
    select balance, held, status from billing_account
     where kind <> 'system' and (balance <> 0 or held <> 0 or status <> 'active')`);
const assertHolds = async (db: Harness['db']) =>
  assert.deepEqual((await auditLedger(db)).violations, []);

const left = await startPayers();
test('whoever leaves the sandbox leaves its money: balances, holds and debts are void, and the ledger holds', async () => {
  const { db, payer, fixtures, request } = left;
  assert.equal(await enterMode(db, SANDBOX), false);
  const rich = await payer();
  assert.equal((await rich.add(10_000)).status, 200);
  const workspace = await fixtures.workspace(rich.user, { balance: '120.00' });
  const debtor = await fixtures.user();
  await fixtures.fund({ userId: debtor.id }, '-3.00');
  const holder = await spenders(left).spender('5.00');
  await holder.hold('2.00');
  const { use, tenant } = usageOn(left);
  const { task, owner } = await tenant();
  const turn = await use(task, owner, { nano: 1_250_000_000n });
  await left.owner(sql`update task_turn set spent_nano = 1250000000 where id = ${turn}`);

  assert.equal(await enterMode(db, CREDITS), true, 'the operator is told');
  assert.equal(await enterMode(db, CREDITS), false, 'once');

  assert.deepEqual(await owned(db), []);
  await assertHolds(db);
  const rows = await db.many<{ kind: string; amount: bigint }>(sql`
    select l.kind, l.amount from ledger_transfer l
      join billing_account a on a.id = l.account_id
     where a.user_id = ${rich.user.id} or a.organization_id = ${workspace}
     order by l.created_at desc limit 2`);
  assert.deepEqual(
    rows.map(({ kind }) => kind),
    ['void', 'void'],
  );
  const events = await db.many(sql`
    select before, after from audit_event where action = 'billing.change' order by id`);
  assert.deepEqual(events, [
    { before: null, after: { mode: 'sandbox', test_money: true } },
    {
      before: { mode: 'sandbox', test_money: true },
      after: { mode: 'credits', test_money: false },
    },
  ]);
  const cards = await request('GET', '/api/billing/payment-methods', { key: rich.user.key });
  assert.deepEqual(cards.body, [], 'a test card is still saved');
});

test('it happens once: what comes later stays, however often and by how many servers it is repeated', async () => {
  const { db, fixtures } = left;
  const user = await fixtures.user();
  const account = await db.one<{ id: string }>(
    sql`select id from billing_account where user_id = ${user.id}`,
  );
  await fixtures.fund({ userId: user.id }, '7.00');
  await Promise.all([1, 2, 3].map(() => enterMode(db, CREDITS)));
  await voidTestMoney(db);
  await enterMode(db, OFF);
  await enterMode(db, STRIPE);
  assert.deepEqual(
    await db.one(sql`select balance from billing_account where id = ${account.id}`),
    { balance: usd('7.00') },
  );
  await assertHolds(db);
});

test('nothing leads back to test money', async () => {
  const { db, unchanged } = left;
  for (const mode of [SANDBOX, STRIPE_TEST])
    await unchanged(() =>
      assert.rejects(enterMode(db, mode), (error: Error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, /has been run with stripe, so its balances are real/);
        return true;
      }),
    );
  await assert.rejects(
    left.owner(sql`update billing_mode set test_money = true, real_since = null, mode = 'sandbox'`),
    /test money ends once/,
  );
});

const open = await startPayers();
test('a top-up that is open when test money ends fails, and its late success credits nothing', async () => {
  const { db, payer, breakProcessor, topUpsOf } = open;
  await enterMode(db, SANDBOX);
  const { user, add, balance } = await payer();
  breakProcessor({ confirm: async () => ({ kind: 'unknown', reason: 'a time-out' }) });
  assert.equal((await add(50, { idempotencyKey: 'late' })).status, 202);
  breakProcessor();
  await enterMode(db, CREDITS);
  // The server that was started with the sandbox still runs; test cards are removed.
  const late = await add(50, { idempotencyKey: 'late' });
  assert.deepEqual([late.status, late.body.detail[0].type], [422, 'payment_method_detached']);
  const [topUp] = await topUpsOf(user);
  const account = await db.one<{ id: string }>(
    sql`select id from billing_account where user_id = ${user.id}`,
  );
  assert.deepEqual([topUp?.status, topUp?.failure_code], ['failed', 'test_money_ended']);
  // The processor has charged it meanwhile, by what that server knows.
  await assert.rejects(
    db.transaction((tx) =>
      post(tx, {
        key: `topup:${topUp?.id}:credit`,
        kind: 'top_up',
        side: 'credit',
        counterpart: 'processor_clearing',
        accountId: account.id,
        amount: usd('50.00'),
        reference: { type: 'top_up', id: topUp?.id as string },
      }),
    ),
    (error) => sqlState(error) === 'GH003',
  );
  assert.equal(await balance(), 0n);
});

test('409: a server that still runs as sandbox begins no top-up, and nothing changes', async () => {
  const { unchanged, payer } = open;
  const { user } = await payer();
  const card = await open.fixtures.card(user);
  const reply = await unchanged(() =>
    open.request('POST', '/api/billing/add-funds', {
      key: user.key,
      body: { amount: 10, payment_method_id: card },
    }),
  );
  assert.deepEqual([reply.status, reply.body.code], [409, 'test_money_ended']);
});

const racing = await startPayers({ delay: 3 });
test('top-ups that race the change are void or refused: none of their money is left', async () => {
  const { db, payer } = racing;
  await enterMode(db, SANDBOX);
  const people = await Promise.all(Array.from({ length: 12 }, () => payer()));
  const replies: number[] = [];
  let going = true;
  const adding = people.map(async ({ add }) => {
    for (let n = 1; going && n < 200; n++)
      replies.push((await add(n, { idempotencyKey: `k${n}` })).status);
  });
  while (replies.length < 40) await new Promise((done) => setTimeout(done, 5));
  await Promise.all([enterMode(db, CREDITS), enterMode(db, CREDITS)]);
  const before = replies.length;
  while (replies.length < before + 40) await new Promise((done) => setTimeout(done, 5));
  going = false;
  await Promise.all(adding);
  assert.deepEqual(await owned(db), []);
  const statuses = [...new Set(replies)];
  assert.ok(statuses.includes(200) && statuses.length > 1, `${statuses}`);
  assert.ok(
    statuses.every((status) => [200, 409, 422].includes(status)),
    `${statuses}`,
  );
  assert.deepEqual(
    await db.many(sql`select id from top_up where status in ('created', 'processing')`),
    [],
  );
  await assertHolds(db);
});

const killed = await startPayers();
test('killed at any point of the change, the next server finishes it, and until then nothing is held', async () => {
  const { db, fixtures } = killed;
  await enterMode(db, SANDBOX);
  const spender = await spenders(killed).spender('5.00');
  for (let n = 0; n < 4; n++) await fixtures.fund({ userId: (await fixtures.user()).id }, '9.00');
  // Each attempt dies in a transaction further on.
  for (let survives = 1; (await owned(db)).length > 0; survives++) {
    let begun = 0;
    const dying = new Proxy(db, {
      get: (target, name) =>
        name !== 'transaction'
          ? (target as never)[name]
          : async (...args: Parameters<typeof db.transaction>) => {
              if (++begun > survives) throw new Error('killed');
              return target.transaction(...args);
            },
    });
    await enterMode(dying, CREDITS).catch(({ message }) => assert.equal(message, 'killed'));
    assert.ok(survives < 20);
    await assertHolds(db);
    await assert.rejects(spender.hold('0.01'), /does not cover/);
    assert.equal((await storedMode(db))?.testMoney, false);
  }
  await enterMode(db, CREDITS);
  assert.equal((await storedMode(db))?.voiding, false);
});

const moving = await startPayers();
test('a workspace that is deleted while test money is voided gives none of it to a person', async () => {
  const { db, fixtures, request, unchanged } = moving;
  await enterMode(db, SANDBOX);
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner, { balance: '120.00' });
  const remove = () => request('DELETE', `/api/organizations/${workspace}`, { key: owner.key });
  let begun = 0;
  // The accounts to be voided are known by now: that of the owner has nothing.
  const slow = new Proxy(db, {
    get: (target, name) =>
      name !== 'transaction'
        ? (target as never)[name]
        : async (...args: Parameters<typeof db.transaction>) => {
            begun += 1;
            if (begun === 3) {
              const refused = await unchanged(remove);
              assert.deepEqual(
                [refused.status, refused.body.blockers?.[0].code],
                [409, 'test_money_ends'],
                refused.text,
              );
            }
            return db.transaction(...args);
          },
  });
  await enterMode(slow, CREDITS);
  assert.ok(begun >= 3);
  assert.deepEqual(await owned(db), []);
  const done = await remove();
  assert.deepEqual([done.status, done.body.balance_transferred], [200, '0.00']);
  await assertHolds(db);
});

const old = await startPayers();
test('an older database: what test cards paid before Stripe is void, what Stripe was paid stays', async () => {
  const { db, payer } = old;
  const [tried, spent] = [await payer(), await payer()];
  for (const { add } of [tried, spent]) assert.equal((await add(100)).status, 200);
  await old.owner(sql`alter table top_up disable trigger user`);
  const stripe = async ({ user, card }: typeof tried, amount: string) => {
    const { id, account_id } = await db.one<{ id: string; account_id: string }>(sql`
      insert into top_up (account_id, user_id, request_id, payment_method_id, amount, status,
                          processor, processor_id, next_check_at)
      select a.id, ${user.id}, 'r', ${card}, ${usd(amount)}, 'succeeded', 'stripe',
             'pi_' || gen_random_uuid(), null
        from billing_account a where a.user_id = ${user.id}
      returning id, account_id`);
    await db.transaction((tx) =>
      post(tx, {
        key: `topup:${id}:credit`,
        kind: 'top_up',
        side: 'credit',
        counterpart: 'processor_clearing',
        accountId: account_id,
        amount: usd(amount),
        reference: { type: 'top_up', id },
      }),
    );
  };
  await stripe(tried, '30.00');
  await stripe(spent, '30.00');
  await old.fixtures.fund({ userId: spent.user.id }, '-110.00');
  await enterMode(db, STRIPE);
  assert.equal(await tried.balance(), usd('30.00'));
  assert.equal(await spent.balance(), usd('20.00'), 'test money is spent first');
  assert.equal((await storedMode(db))?.voiding, false);
});

const fresh = await startPayers();
test('a new database takes the mode of its first server, and commands take no other', async () => {
  const { db } = fresh;
  await requireMode(db, OFF);
  await enterMode(db, OFF);
  assert.deepEqual(await storedMode(db), { mode: 'off', testMoney: false, voiding: false });
  await requireMode(db, OFF);
  for (const other of [CREDITS, SANDBOX, STRIPE])
    await assert.rejects(requireMode(db, other), /BILLING must be off, as it is where the server/);
});

const before = await startPayers();
test('an older database that Stripe has charged is not taken for test money, whatever key is tried', async () => {
  const { db, payer, owner, unchanged } = before;
  const { user, add } = await payer();
  assert.equal((await add(100)).status, 200);
  await owner(sql`alter table top_up disable trigger user`);
  await owner(sql`update top_up set processor = 'stripe' where user_id = ${user.id}`);
  await unchanged(async () => {
    await assert.rejects(enterMode(db, SANDBOX), /STRIPE_SECRET_KEY must be set/);
    await assert.rejects(enterMode(db, STRIPE_TEST), /of an older version, which may be real/);
  });
  await enterMode(db, STRIPE);
  assert.equal(await before.fixtures.balance({ userId: user.id }), usd('100.00'));
});

const followed = await startPayers();
test('a worker goes by the mode of the servers, and reaches no provider for test money', async () => {
  const { db, unchanged } = followed;
  const launch = { id: 'x', command: 'x', args: [], env: {}, readable: [], sessionModel: 'x' };
  const use: ModelUse = { launch, provider: undefined, name: 'x', limits: {} };
  const real = {
    billing: undefined,
    agents: { models: new Map([['x', use]]), faults: [], keyNames: [] },
  };
  const none = { billing: SANDBOX, agents: { models: new Map(), faults: [], keyNames: [] } };
  await unchanged(() => assert.rejects(followMode(db, real), /BILLING must be set/));
  await enterMode(db, SANDBOX);
  await followMode(db, none);
  await unchanged(() => assert.rejects(followMode(db, real), /test cards would pay for them/));
  await enterMode(db, STRIPE);
  await unchanged(() => followMode(db, real));
  await unchanged(() => followMode(db, none));
});
