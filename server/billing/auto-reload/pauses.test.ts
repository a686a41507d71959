import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import type { Outcome, Processor } from '../cards/processor.ts';
import { sandbox } from '../cards/sandbox.ts';
import { afterTopUp } from '../top-ups/pause-auto-reload.ts';
import { topUps } from '../top-ups/top-ups.ts';
import { chargeIfDue } from './charge-if-due.ts';

const { fixtures, db, request, unchanged } = await startHarness();

let fault: Partial<Processor> = {};
const path = topUps(
  db,
  new Proxy(sandbox(db), {
    get: (target, name) => (fault as never)[name] ?? (target as never)[name],
  }),
);
const LIMITS = { minimum: 1, maximum: 500 };

/**
 * Auto-reload below 10.00 on an empty balance, charging `payer`'s card: their own balance's, or a
 * workspace's.
 */
async function watched(token = 'pm_card_visa', organizationId?: string, payer?: User) {
  const user = payer ?? (await fixtures.user());
  const card = await fixtures.card(user, token);
  const { id: account } = await db.one<{ id: string }>(sql`
    select id from billing_account
     where case when ${organizationId ?? null}::uuid is null then user_id = ${user.id}
       else organization_id = ${organizationId ?? null} end`);
  await db.many(sql`
    with set_by as (insert into auto_reload_set_by values (${account}, ${user.id}))
    insert into auto_reload (account_id, enabled, threshold, amount, monthly_cap, payment_method_id)
    values (${account}, true, 10000000, 25000000, 500000000, ${card})`);
  const state = () =>
    db.one<{ enabled: boolean; paused_reason: string | null }>(sql`
      select enabled, paused_reason from auto_reload where account_id = ${account}`);
  return { user, card, account, state };
}

/**
 * One look, an hour after the last one; what the path does after a top-up's end is done twice, as
 * by two processes.
 */
async function charge(account: string): Promise<string | undefined> {
  await db.many(
    sql`
      update top_up set created_at = created_at - interval '1 hour' where account_id = ${account}`,
  );
  await db.many(sql`
    update auto_reload set declines_since = declines_since - interval '1 hour'
      where account_id = ${account}`);
  const standing = await chargeIfDue(db, path, LIMITS, account);
  if (standing !== undefined) await ended(standing.topUp.id);
  return standing?.kind;
}

async function ended(id: string): Promise<void> {
  for (const _ of [1, 2]) await db.transaction((tx) => afterTopUp(tx, { id }));
}

/** Adds funds by hand, as a request does. */
async function byHand(user: User, card: string, path = '/api/billing/add-funds') {
  const reply = await request('POST', path, {
    key: user.key,
    body: { amount: 5, payment_method_id: card },
  });
  await ended(reply.body.top_up_id);
  return reply.status;
}

const useToken = (card: string, token: string) =>
  db.many(sql`update payment_method set token = ${token} where id = ${card}`);

const actions = async (account: string) =>
  (
    await db.many<{ action: string; actor_user_id: string | null }>(sql`
      select action, actor_user_id from audit_event where target_id = ${account}
        order by occurred_at`)
  ).map(({ action, actor_user_id }) => (actor_user_id === null ? action : `${action} by a person`));

const DECLINED = 'pm_card_chargeDeclined';

test('three declines in a row pause auto-reload, audited without an actor; the card is not charged again', async () => {
  const { account, state } = await watched(DECLINED);
  for (const _ of [1, 2]) assert.equal(await charge(account), 'failed');
  assert.deepEqual(await state(), { enabled: true, paused_reason: null });
  assert.equal(await charge(account), 'failed');
  assert.deepEqual(await state(), { enabled: true, paused_reason: 'declined' });
  assert.deepEqual(await actions(account), ['auto_reload.pause']);
  assert.equal(await charge(account), undefined);
});

test('a charge that succeeds between declines starts the count again', async () => {
  const { user, card, account, state } = await watched(DECLINED);
  for (const _ of [1, 2]) await charge(account);
  await useToken(card, 'pm_card_visa');
  assert.equal(await charge(account), 'settled');
  await fixtures.fund({ userId: user.id }, '-25');
  await useToken(card, DECLINED);
  for (const _ of [1, 2]) await charge(account);
  assert.equal((await state()).paused_reason, null);
  await charge(account);
  assert.equal((await state()).paused_reason, 'declined');
});

test('only the card’s refusals count: not what was never sent, is unknown, or was given up', async () => {
  const { account, state } = await watched(DECLINED);
  for (const _ of [1, 2]) await charge(account);
  fault = { create: async () => ({ kind: 'notExecuted', reason: 'test' }) };
  for (const _ of [1, 2, 3]) assert.equal(await charge(account), 'failed');
  const unsent = await db.many(sql`
    select id from top_up where account_id = ${account} and failure_code = 'not_executed'`);
  assert.equal(unsent.length, 3);
  fault = { confirm: async (): Promise<Outcome> => ({ kind: 'unknown', reason: 'test' }) };
  assert.equal(await charge(account), 'open');
  const { id } = await db.one<{ id: string }>(sql`
    select id from top_up where account_id = ${account} and status = 'processing'`);
  fault = {};
  await path.cancelAndSettle(id);
  await ended(id);
  assert.equal((await state()).paused_reason, null);
  await charge(account);
  assert.equal((await state()).paused_reason, 'declined');
});

for (const [token, reason] of [
  ['pm_card_authenticationRequired', 'authentication_required'],
  ['pm_card_chargeDeclinedLostCard', 'card_lost'],
  ['pm_card_chargeDeclinedStolenCard', 'card_lost'],
  ['pm_card_goneAtTheProcessor', 'card_lost'],
] as const) {
  test(`${token} pauses it at once: ${reason}`, async () => {
    const { user, account, state } = await watched(token);
    assert.equal(await charge(account), 'failed');
    assert.equal((await state()).paused_reason, reason);
    const { body } = await request('GET', '/api/billing/auto-reload', { key: user.key });
    assert.deepEqual(
      [body.enabled, body.paused_reason, body.charged_this_month],
      [true, reason, '0.00'],
    );
  });
}

test('a card that was removed here is not tried', async () => {
  const { card, account, state } = await watched();
  await db.many(sql`update payment_method set detached_at = now() where id = ${card}`);
  assert.equal(await charge(account), undefined);
  assert.equal((await state()).paused_reason, 'card_lost');
  assert.deepEqual(await actions(account), ['auto_reload.pause']);
});

test('funds added by hand resume it and forgive the declines; a refused attempt does not', async () => {
  const { user, card, account, state } = await watched(DECLINED);
  const other = await fixtures.card(user);
  for (const _ of [1, 2, 3]) await charge(account);
  assert.equal(await byHand(user, card), 402);
  assert.equal((await state()).paused_reason, 'declined');
  assert.equal(await byHand(user, other), 200);
  assert.equal((await state()).paused_reason, null);
  assert.deepEqual(await actions(account), ['auto_reload.pause', 'auto_reload.resume']);
  const asked = await db.many(
    sql`select from outbox where topic = 'auto_reload_due' and key = ${account}`,
  );
  assert.equal(asked.length, 1);
  for (const _ of [1, 2]) await charge(account);
  assert.equal((await state()).paused_reason, null);
});

test('another card resumes it and starts the count again', async () => {
  const { user, account, state } = await watched(DECLINED);
  for (const _ of [1, 2, 3]) await charge(account);
  const body = { payment_method_id: await fixtures.card(user, DECLINED) };
  assert.equal(
    (await request('PUT', '/api/billing/auto-reload', { key: user.key, body })).status,
    200,
  );
  for (const _ of [1, 2]) assert.equal(await charge(account), 'failed');
  assert.equal((await state()).paused_reason, null);
  await charge(account);
  assert.deepEqual(await actions(account), [
    'auto_reload.pause',
    'auto_reload.update by a person',
    'auto_reload.pause',
  ]);
});

test('the old card’s last refusal does not pause the new one', async () => {
  const { user, account, state } = await watched('pm_card_chargeDeclinedLostCard');
  fault = { confirm: async () => ({ kind: 'unknown', reason: 'test' }) };
  const standing = await chargeIfDue(db, path, LIMITS, account);
  fault = {};
  const body = { payment_method_id: await fixtures.card(user) };
  assert.equal(
    (await request('PUT', '/api/billing/auto-reload', { key: user.key, body })).status,
    200,
  );
  assert.equal((await path.advance(standing?.topUp.id as string)).kind, 'failed');
  await ended(standing?.topUp.id as string);
  assert.equal((await state()).paused_reason, null);
});

test('a top-up of an account without auto-reload changes nothing more', async () => {
  const user = await fixtures.user();
  const reply = await request('POST', '/api/billing/add-funds', {
    key: user.key,
    body: { amount: 5, payment_method_id: await fixtures.card(user) },
  });
  await unchanged(() => ended(reply.body.top_up_id));
});

test('a workspace is charged to an owner’s or admin’s card, and it is the workspace that gets the money', async () => {
  const [owner, admin] = [await fixtures.user(), await fixtures.user()];
  for (const payer of [owner, admin]) {
    const workspace = await fixtures.workspace(owner);
    await fixtures.member(workspace, admin, 'admin');
    const { account } = await watched('pm_card_visa', workspace, payer);
    assert.equal(await charge(account), 'settled');
    assert.equal(await fixtures.balance({ organizationId: workspace }), 25_000_000n);
  }
});

test('with two factors the policy of the workspace is met', async () => {
  const payer = await fixtures.user({ twoFactor: true });
  const { account } = await watched(
    'pm_card_visa',
    await fixtures.workspace(payer, { require2fa: true }),
    payer,
  );
  assert.equal(await charge(account), 'settled');
});

test('it is switched off, and no card charged, once the card’s owner has left, is less than an admin, deactivated or without two factors', async () => {
  const owner = await fixtures.user();
  const gone = {
    left: (workspace: string, user: User) => fixtures.removeMember(workspace, user.id),
    lowered: (workspace: string, user: User) =>
      db.many(sql`
        update membership set role_id = '00000000-0000-4000-8000-000000000003'
         where organization_id = ${workspace} and user_id = ${user.id}`),
    'without two factors': (workspace: string) =>
      db.many(sql`update organization set require_2fa = true where id = ${workspace}`),
    deactivated: (_: string, user: User) =>
      db.many(sql`update app_user set is_active = false where id = ${user.id}`),
    'not who set the figures': (_: string, user: User) =>
      db.many(sql`update auto_reload_set_by set user_id = ${owner.id} where user_id = ${user.id}`),
  };
  for (const [how, go] of Object.entries(gone)) {
    const [workspace, admin] = [await fixtures.workspace(owner), await fixtures.user()];
    await fixtures.member(workspace, admin, 'admin');
    const { account, state } = await watched('pm_card_visa', workspace, admin);
    await go(workspace, admin);
    assert.equal(await charge(account), undefined, how);
    assert.equal((await state()).enabled, false, how);
    assert.deepEqual(await actions(account), ['auto_reload.switch_off']);
    assert.deepEqual(await db.many(sql`select from top_up where account_id = ${account}`), []);
  }
});
