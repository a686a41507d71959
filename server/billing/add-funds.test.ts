import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startPayers } from '../testing/fixtures/billing/payer.ts';
import { sandbox } from './cards/sandbox.ts';

const { fixtures, request, db, unchanged, payer, topUpsOf, capturedBy, breakProcessor } =
  await startPayers({ delay: 10 });

test('200: the card is charged, the balance credited, and three numbers print exactly', async () => {
  const { user, add, balance } = await payer();
  const first = await add(25);
  assert.equal(first.status, 200);
  const { top_up_id, ...rest } = first.body;
  assert.deepEqual(rest, { amount_charged: 25, new_balance: 25, status: 'succeeded' });
  const second = await add('0010.10');
  assert.deepEqual([second.body.amount_charged, second.body.new_balance], [10.1, 35.1]);
  assert.equal(await balance(), 35_100_000n);
  assert.equal(await capturedBy(user), '35100000');
  const ledger = await db.many(sql`
    select l.kind, amount::text, previous_balance::text, l.balance::text, l.version::text
      from ledger_transfer l
      join billing_account a on a.id = l.account_id where a.user_id = ${user.id}
        order by l.version`);
  assert.deepEqual(ledger, [
    {
      kind: 'top_up',
      amount: '25000000',
      previous_balance: '0',
      balance: '25000000',
      version: '1',
    },
    {
      kind: 'top_up',
      amount: '10100000',
      previous_balance: '25000000',
      balance: '35100000',
      version: '2',
    },
  ]);
  const [audit] = await db.many(
    sql`select action, before, after from audit_event where target_id = ${top_up_id}`,
  );
  assert.deepEqual(audit, {
    action: 'funds.add',
    before: { balance: '0.00' },
    after: { balance: '25.00' },
  });
});

test('200: the bounds themselves are allowed', async () => {
  const { add } = await payer();
  assert.deepEqual((await add(1)).body.new_balance, 1);
  assert.deepEqual((await add(10_000)).body.new_balance, 10_001);
});

test('402: a declined card says why, and nothing is credited', async () => {
  const cases: [string, string, string][] = [
    ['pm_card_chargeDeclined', 'card_declined', 'generic_decline'],
    ['pm_card_chargeDeclinedInsufficientFunds', 'card_declined', 'insufficient_funds'],
    ['pm_card_chargeDeclinedLostCard', 'card_declined', 'generic_decline'],
    ['pm_card_chargeDeclinedStolenCard', 'card_declined', 'generic_decline'],
    ['pm_card_chargeDeclinedFraudulent', 'card_declined', 'generic_decline'],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card', 'expired_card'],
    ['pm_card_chargeDeclinedIncorrectCvc', 'incorrect_cvc', 'incorrect_cvc'],
    ['pm_card_chargeDeclinedProcessingError', 'processing_error', 'processing_error'],
    ['pm_card_authenticationRequired', 'authentication_required', 'authentication_required'],
  ];
  for (const [token, code, declineCode] of cases) {
    const { user, add, balance } = await payer(token);
    const reply = await add(25);
    assert.equal(reply.status, 402, token);
    const [topUp] = await topUpsOf(user);
    assert.deepEqual(
      {
        code: reply.body.code,
        decline_code: reply.body.decline_code,
        top_up_id: reply.body.top_up_id,
      },
      { code, decline_code: declineCode, top_up_id: topUp?.id },
    );
    assert.equal(topUp?.status, 'failed');
    assert.equal(await balance(), 0n);
    assert.equal(await capturedBy(user), '0');
    const [intent] = await db.many(
      sql`
        select i.status from sandbox_intent i join top_up t on t.processor_id = i.id
          where t.id = ${topUp?.id}`,
    );
    assert.deepEqual(intent, { status: 'canceled' }, 'the refused intent is fenced');
    const refused = await db.many(
      sql`select code from audit_event where target_id = ${user.id} and outcome = 'refused'`,
    );
    assert.deepEqual(refused, [{ code }]);
  }
});

test('403 and 404: another person’s card, and an unknown card', async () => {
  const { add } = await payer();
  const other = await payer();
  const foreign = await unchanged(() => add(25, { card: other.card }));
  assert.deepEqual([foreign.status, foreign.body.code], [403, 'payment_method_forbidden']);
  const unknown = await unchanged(() => add(25, { card: 'pm_nothing' }));
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'payment_method_not_found']);
});

test('409: a balance over the cap is refused before the card is charged', async () => {
  const { user, add } = await payer();
  await fixtures.fund({ userId: user.id }, '999999999.50');
  const reply = await unchanged(() => add(1));
  assert.deepEqual([reply.status, reply.body.code], [409, 'balance_limit']);
});

test('422: amounts that are no money, and a card that was removed', async () => {
  const { user, card, add } = await payer();
  const cases: [unknown, string][] = [
    [0.5, 'greater_than_equal'],
    [0, 'greater_than_equal'],
    [-1, 'greater_than_equal'],
    ['10000.01', 'less_than_equal'],
    [1.005, 'decimal_max_places'],
    ['1,000', 'decimal_parsing'],
    [true, 'decimal_type'],
    [null, 'decimal_type'],
    ['NaN', 'finite_number'],
    [1e300, 'less_than_equal'],
  ];
  for (const [amount, type] of cases) {
    const reply = await unchanged(() => add(amount));
    assert.deepEqual([reply.status, reply.body.detail[0].type], [422, type], String(amount));
  }
  for (const raw of [
    '{"amount":NaN,"payment_method_id":"x"}',
    '{"amount":1e400,"payment_method_id":"x"}',
  ]) {
    const reply = await request('POST', '/api/billing/add-funds', { key: user.key, raw });
    assert.deepEqual([reply.status, reply.body.detail[0].type], [422, 'finite_number']);
  }
  await db.many(sql`update payment_method set detached_at = now() where id = ${card}`);
  const gone = await unchanged(() => add(25));
  assert.deepEqual([gone.status, gone.body.detail[0].type], [422, 'payment_method_detached']);
  const unknownToProcessor = await payer('pm_card_of_another_account');
  const reply = await unknownToProcessor.add(25);
  assert.deepEqual([reply.status, reply.body.detail[0].loc], [422, ['body', 'payment_method_id']]);
});

test('202: an unknown outcome is not a failure: nothing counts as charged, and asking again settles it once', async () => {
  const { user, add, balance } = await payer();
  breakProcessor({ confirm: async () => ({ kind: 'unknown', reason: 'timeout' }) });
  const reply = await add(25, { idempotencyKey: 'unknown-1' });
  breakProcessor();
  assert.deepEqual(
    [reply.status, reply.body.status, reply.body.amount_charged],
    [202, 'processing', 0],
  );
  assert.equal(await balance(), 0n);
  const again = await add(25, { idempotencyKey: 'unknown-1' });
  assert.deepEqual([again.status, again.body.top_up_id], [200, reply.body.top_up_id]);
  assert.equal(again.headers.get('idempotent-replayed'), null);
  assert.equal(await capturedBy(user), '25000000');
  assert.equal(await balance(), 25_000_000n);
});

test('202: a create whose answer was lost is made again under the same key: one intent', async () => {
  const { user, add } = await payer();
  const real = sandbox(db);
  breakProcessor({
    create: async (charge) => {
      await real.create(charge);
      return { kind: 'unknown', reason: 'reset' };
    },
  });
  assert.equal((await add(25, { idempotencyKey: 'lost' })).status, 202);
  breakProcessor();
  const again = await add(25, { idempotencyKey: 'lost' });
  assert.equal(again.status, 200);
  const intents = await db.many(
    sql`select id from sandbox_intent where idempotency_key = ${`topup:${again.body.top_up_id}:create`}`,
  );
  assert.equal(intents.length, 1);
  assert.equal(await capturedBy(user), '25000000');
});

test('503: when nothing was sent nothing is owed, and the same key may be tried again', async () => {
  const { user, add, balance } = await payer();
  breakProcessor({ create: async () => ({ kind: 'notExecuted', reason: 'refused' }) });
  const reply = await add(25, { idempotencyKey: 'later' });
  assert.deepEqual([reply.status, reply.body.code], [503, 'processor_unavailable']);
  assert.equal(reply.headers.get('retry-after'), '10');
  breakProcessor({ confirm: async () => ({ kind: 'notExecuted', reason: 'refused' }) });
  assert.equal((await add(25, { idempotencyKey: 'later' })).status, 503);
  breakProcessor();
  assert.equal(await balance(), 0n);
  assert.equal((await add(25, { idempotencyKey: 'later' })).status, 200);
  assert.equal(await balance(), 25_000_000n);
  assert.equal(await capturedBy(user), '25000000');
});
