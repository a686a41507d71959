import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startStripeCards } from '../testing/fixtures/billing/stripe-cards.ts';
import { until } from '../testing/harness/until.ts';
import { reconcile } from './top-ups/reconcile.ts';
import { topUps } from './top-ups/top-ups.ts';

const onStripe = await startStripeCards();
const { db, fake, fixtures, request, stripe, saver, deliver, actions, unchanged } = onStripe;

/** A person whose bank asks for them, and the requests of their browser. */
async function payer(card = 'pm_card_authenticationRequired') {
  const { user, save } = await saver();
  const { id: payment_method_id } = await save({ card });
  const body = { amount: 20, payment_method_id };
  const call = (path: string, given?: object) =>
    request('POST', `/api/billing/${path}`, { key: user.key, ...(given && { body: given }) });
  return {
    user,
    begin: () => call('top-ups', body),
    add: () => call('add-funds', body),
    cancel: (topUp: string) => call(`top-ups/${topUp}/cancel`),
    complete: (topUp: string) => call(`top-ups/${topUp}/complete`, {}),
    balance: () => fixtures.balance({ userId: user.id }),
  };
}

const stored = (id: string) =>
  db.one<{ status: string; failure_code: string; intent: string }>(sql`
    select status, failure_code, processor_id as intent from top_up where id = ${id}`);

test('200: the charge is cancelled at the processor first, then here, and a repeat changes nothing', async () => {
  const { begin, cancel, complete, balance } = await payer();
  const { body } = await begin();
  assert.equal(body.status, 'requires_action');
  const cancelled = await cancel(body.id);
  assert.deepEqual(
    [cancelled.status, cancelled.body],
    [200, { id: body.id, amount: '20.00', status: 'canceled' }],
  );
  const { status, failure_code, intent } = await stored(body.id);
  assert.deepEqual([status, failure_code], ['failed', 'canceled_by_person']);
  assert.equal(fake.state.intents.get(intent)?.status, 'canceled');
  assert.throws(() => fake.authenticate(body.client_secret, true));
  await unchanged(async () => assert.equal((await cancel(body.id)).body.status, 'canceled'));
  const asked = await complete(body.id);
  assert.deepEqual([asked.status, asked.body.code], [402, 'charge_canceled']);
  await deliver('payment_intent.canceled');
  assert.deepEqual(await actions(body.id), ['top_up.cancel']);
  assert.equal(await balance(), 0n);
  const again = await begin();
  assert.ok(again.body.id !== body.id && again.body.status === 'requires_action');
});

test('200 succeeded: a confirmation that was faster is credited, once', async () => {
  const { begin, cancel, balance } = await payer();
  const { body } = await begin();
  fake.authenticate(body.client_secret, true);
  const answers = await Promise.all([cancel(body.id), cancel(body.id), deliver()]);
  const [first] = answers;
  assert.deepEqual([first.status, first.body.status], [200, 'succeeded']);
  assert.equal(first.body.new_balance, '20.00');
  assert.equal(await balance(), 20_000_000n);
  assert.deepEqual(await actions(body.id), ['funds.add']);
});

test('race: cancelling, confirming and asking at once ends in one credit or in none', async () => {
  const ends = new Set<string>();
  for (let i = 0; i < 12; i++) {
    const { begin, cancel, complete, balance } = await payer();
    const { body } = await begin();
    const confirm = async () => {
      await new Promise((resolve) => setTimeout(resolve, i * 2));
      try {
        fake.authenticate(body.client_secret, true);
      } catch {
        // It was cancelled before.
      }
    };
    await Promise.all([confirm(), cancel(body.id), complete(body.id), cancel(body.id)]);
    await cancel(body.id);
    const { status } = await stored(body.id);
    const captured = fake.captured(body.id);
    assert.equal(await balance(), captured);
    assert.equal(status, captured === 0n ? 'failed' : 'succeeded');
    ends.add(status);
  }
  assert.ok(ends.size > 0);
});

const CANCEL = 'POST /v1/payment_intents/:id/cancel';

test('race: whoever learns first that a charge is cancelled, both answers say so, and it is the act of its person', async () => {
  const { user, begin, cancel, complete, balance } = await payer();
  const { body } = await begin();
  const { intent } = await stored(body.id);
  // Its answer is lost, so that it is repeated later.
  fake.fault({ match: CANCEL, kind: 'dropAfter' });
  const cancelling = cancel(body.id);
  await until(
    'the processor cancels it',
    () => fake.state.intents.get(intent)?.status === 'canceled',
  );
  const completed = await complete(body.id);
  assert.deepEqual([completed.status, completed.body.code], [402, 'charge_canceled']);
  const cancelled = await cancelling;
  assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'canceled']);
  const rows = await db.many(sql`
    select action, actor_user_id as actor from audit_event where target_id = ${body.id}`);
  assert.deepEqual(rows, [{ action: 'top_up.cancel', actor: user.id }]);
  assert.equal(await balance(), 0n);
});

test('race: cancelling, completing and checking at once; every answer is what became of it, and one act is recorded', async () => {
  for (let round = 0; round < 10; round++) {
    const { begin, cancel, complete } = await payer();
    const { body } = await begin();
    const confirm = async () => {
      await new Promise((resolve) => setTimeout(resolve, round * 3));
      if (round % 2 === 0) return;
      try {
        fake.authenticate(body.client_secret, true);
      } catch {
        // It was cancelled before.
      }
    };
    await db.many(sql`update top_up set next_check_at = now() where id = ${body.id}`);
    const [, ...answers] = await Promise.all([
      confirm(),
      cancel(body.id),
      complete(body.id),
      cancel(body.id),
      complete(body.id),
      reconcile(db, topUps(db, stripe), [15_000, 86_400_000]),
    ]);
    const paid = (await stored(body.id)).status === 'succeeded';
    const said = answers.slice(0, 4).map((answer) => {
      const { status, body } = answer as { status: number; body: Record<string, string> };
      return `${status} ${body.code ?? body.status}`;
    });
    const [first, second, third, fourth] = said;
    const end = paid ? '200 succeeded' : '200 canceled';
    assert.deepEqual([first, third], [end, end]);
    for (const completed of [second, fourth])
      assert.ok(
        ['200 requires_action', paid ? '200 succeeded' : '402 charge_canceled'].includes(
          String(completed),
        ),
        String(completed),
      );
    assert.deepEqual(await actions(body.id), [paid ? 'funds.add' : 'top_up.cancel']);
  }
});

test('a server that dies once the processor has cancelled: the check that follows records the same act', async () => {
  const { begin, cancel } = await payer();
  const { body } = await begin();
  const dying = topUps(db, {
    ...stripe,
    cancel: async (intent) => {
      await stripe.cancel(intent);
      throw new Error('it died');
    },
  });
  const by = { keyId: null, sessionId: null, requestId: 'the first' };
  await assert.rejects(dying.cancel(body.id, by), /it died/);
  await db.many(sql`update top_up set next_check_at = now() where id = ${body.id}`);
  await reconcile(db, topUps(db, stripe), [15_000, 86_400_000]);
  assert.equal((await stored(body.id)).failure_code, 'canceled_by_person');
  assert.equal((await cancel(body.id)).body.status, 'canceled');
  const rows = await db.many(sql`
    select action, request_id from audit_event where target_id = ${body.id}`);
  assert.deepEqual(rows, [{ action: 'top_up.cancel', request_id: 'the first' }]);
});

test('200 processing: while the processor cannot be asked nothing is decided', async () => {
  const { begin, cancel, balance } = await payer();
  const { body } = await begin();
  fake.fault({ match: CANCEL, kind: 'dropBefore', times: 3 });
  const open = await cancel(body.id);
  assert.deepEqual([open.status, open.body.status], [200, 'processing']);
  assert.equal((await stored(body.id)).status, 'processing');
  fake.authenticate(body.client_secret, true);
  assert.equal((await cancel(body.id)).body.status, 'succeeded');
  assert.equal(await balance(), 20_000_000n);
});

test('a charge that was recorded and never sent is cancelled, and is not sent any more', async () => {
  const { user, cancel } = await payer();
  const path = topUps(db, stripe);
  const { id: accountId } = await db.one<{ id: string }>(sql`
    select id from billing_account where user_id = ${user.id}`);
  const paymentMethodId = await fixtures.card(user);
  const { topUp } = await db.transaction((tx) =>
    path.start(tx, {
      accountId,
      userId: user.id,
      keyId: null,
      requestId: 'test',
      paymentMethodId,
      amount: 5_000_000n,
      clientKey: undefined,
      attended: true,
    }),
  );
  assert.equal((await cancel(topUp.id)).body.status, 'canceled');
  assert.equal((await path.advance(topUp.id)).kind, 'failed');
  assert.equal(fake.captured(topUp.id), 0n);
});

test('402, 403, 404, 409: what cannot be cancelled stays as it is', async () => {
  const { user, begin, cancel, add } = await payer();
  const { body } = await begin();
  const other = await fixtures.user();
  const foreign = `/api/billing/top-ups/${body.id}/cancel`;
  await unchanged(async () => {
    assert.equal((await request('POST', foreign, { key: other.key })).status, 403);
    assert.equal((await cancel('00000000-0000-4000-8000-000000000000')).status, 404);
  });
  assert.equal((await cancel(body.id)).body.status, 'canceled');
  const declined = await add();
  assert.equal(declined.status, 402);
  const refused = await cancel(declined.body.top_up_id);
  assert.deepEqual([refused.status, refused.body.code], [402, 'authentication_required']);
  const { id } = await db.one<{ id: string }>(sql`
    insert into top_up (account_id, user_id, request_id, payment_method_id, amount, processor)
    select a.id, ${user.id}, 'test', ${await fixtures.card(user)}, 5000000, 'stripe'
      from billing_account a where a.user_id = ${user.id} returning id`);
  await unchanged(async () => {
    const { status, body: said } = await cancel(id);
    assert.deepEqual([status, said.code], [409, 'top_up_not_cancelable']);
  });
});

test('of a workspace, whoever began the charge cancels it', async () => {
  const { user } = await payer();
  const { save } = await saver(user);
  const { id: payment_method_id } = await save({ card: 'pm_card_authenticationRequired' });
  const workspace = await fixtures.workspace(user);
  const begun = await request('POST', `/api/organizations/${workspace}/billing/top-ups`, {
    key: user.key,
    body: { amount: 30, payment_method_id },
  });
  assert.equal(begun.status, 201);
  const path = `/api/billing/top-ups/${begun.body.id}/cancel`;
  assert.equal((await request('POST', path, { key: user.key })).body.status, 'canceled');
  const row = await db.one<{ organization_id: string }>(sql`
    select organization_id from audit_event
     where target_id = ${begun.body.id} and action = 'top_up.cancel'`);
  assert.equal(row.organization_id, workspace);
});
