import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { forgetBriefly } from '../http/idempotency.ts';
import { startStripeCards } from '../testing/fixtures/billing/stripe-cards.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { reconcile } from './top-ups/reconcile.ts';
import { topUps } from './top-ups/top-ups.ts';

const onStripe = await startStripeCards();
const { db, fake, fixtures, request, stripe, saver, deliver, unchanged } = onStripe;
const path = topUps(db, stripe);

const CHECKS = [15_000, 86_400_000];

/** A person whose bank asks for them, and the requests of their browser. */
async function payer(card = 'pm_card_authenticationRequired') {
  const { user, save } = await saver();
  const { id } = await save({ card });
  const body = { amount: 20, payment_method_id: id };
  const begin = (more = {}) =>
    request('POST', '/api/billing/top-ups', { key: user.key, body: { ...body, ...more } });
  const complete = (topUp: string, given = {}) =>
    request('POST', `/api/billing/top-ups/${topUp}/complete`, { key: user.key, body: given });
  const add = () => request('POST', '/api/billing/add-funds', { key: user.key, body });
  const balance = () => fixtures.balance({ userId: user.id });
  return { user, id, begin, complete, add, balance };
}

const check = async (topUp: string) => {
  await db.many(sql`update top_up set next_check_at = now() where id = ${topUp}`);
  await reconcile(db, path, CHECKS);
};
const endTime = (topUp: string) =>
  onStripe.owner(sql`
    update attended_top_up set until = now() - interval '1 second' where top_up_id = ${topUp}`);

test('201: a replay has the client secret for ten minutes, and no table has it longer', async () => {
  const { user, save } = await saver();
  const { id } = await save({ card: 'pm_card_authenticationRequired' });
  for (const [path, body, more] of [
    ['/api/billing/top-ups', { amount: 20, payment_method_id: id }, 'complete'],
    ['/api/billing/payment-methods/setup', {}, undefined],
  ] as const) {
    const headers = { 'idempotency-key': `once ${path}` };
    const send = () => request('POST', path, { key: user.key, body, headers });
    const first = await send();
    assert.equal(first.status, 201, first.text);
    const { client_secret: secret, ...others } = first.body;
    assert.ok(typeof secret === 'string');
    assert.equal((await send()).text, first.text);

    await db.many(sql`
      update idempotency_key set claimed_at = now() - interval '11 minutes'
       where user_id = ${user.id} and key = ${headers['idempotency-key']}`);
    const later = await unchanged(send);
    assert.deepEqual([later.status, later.body], [201, others]);
    assert.equal(later.headers.get('idempotent-replayed'), 'true');
    await forgetBriefly(db);
    assert.deepEqual((await send()).body, others);
    const kept = await db.many<{ row: string }>(sql`
      select k::text as row from idempotency_key k where user_id = ${user.id}`);
    assert.ok(kept.length > 0 && !kept.some(({ row }) => row.includes(secret)));

    if (more === undefined) continue;
    const anew = await request('POST', `${path}/${others.id}/${more}`, { key: user.key, body: {} });
    assert.equal(anew.body.client_secret, secret, 'the open charge still has it');
  }
});

test('201: a card whose bank asks for nothing is charged at once', async () => {
  const { begin, balance } = await payer('pm_card_visa');
  const { status, body } = await begin();
  assert.deepEqual([status, body.status, body.new_balance], [201, 'succeeded', '20.00']);
  assert.equal(await balance(), 20_000_000n);
});

test('200: the cardholder confirms in the browser, and is credited once, whoever notices it', async () => {
  const reports = [
    ({ complete }: Awaited<ReturnType<typeof payer>>, id: string) => complete(id),
    () => deliver('payment_intent.succeeded'),
    (_: unknown, id: string) => check(id),
  ];
  for (const report of [...reports, undefined]) {
    const person = await payer();
    const { status, body } = await person.begin();
    assert.deepEqual([status, body.status], [201, 'requires_action']);
    assert.equal(body.publishable_key, 'pk_test_fake');
    const waiting = await person.complete(body.id);
    assert.equal(waiting.body.client_secret, body.client_secret);
    await check(body.id);
    assert.equal(await person.balance(), 0n);
    fake.authenticate(body.client_secret, true);
    if (report === undefined)
      await Promise.all([...reports, ...reports].map((each) => each(person, body.id)));
    else await report(person, body.id);
    assert.equal(await person.balance(), 20_000_000n);
    assert.equal(fake.captured(body.id), 20_000_000n);
    const again = await person.complete(body.id);
    assert.deepEqual([again.status, again.body.status], [200, 'succeeded']);
  }
});

test('201: the same request again gets the same charge, and its secret', async () => {
  const { begin, add, balance } = await payer();
  const [first, second] = [await begin(), await begin()];
  assert.deepEqual(first.body, second.body);
  fake.authenticate(first.body.client_secret, true);
  assert.equal((await begin()).body.status, 'succeeded');
  assert.equal(await balance(), 20_000_000n);
  const other = await add();
  assert.deepEqual([other.status, other.body.top_up_id], [200, first.body.id]);
});

test('402: a cardholder who does not confirm pays nothing, and may try again', async () => {
  const { begin, complete, balance } = await payer();
  const { body } = await begin();
  fake.authenticate(body.client_secret, false);
  const reply = await complete(body.id);
  assert.deepEqual([reply.status, reply.body.code], [402, 'authentication_failed']);
  assert.throws(() => fake.authenticate(body.client_secret, true), /canceled/);
  const next = await begin();
  assert.notEqual(next.body.id, body.id);
  fake.authenticate(next.body.client_secret, true);
  assert.equal((await complete(next.body.id)).body.status, 'succeeded');
  assert.equal(await balance(), 20_000_000n);
});

test('402: a charge that is not confirmed in time is cancelled, unless it was at the last moment', async () => {
  const [late, punctual] = [await payer(), await payer()];
  const [gone, paid] = [(await late.begin()).body, (await punctual.begin()).body];
  await endTime(gone.id);
  await endTime(paid.id);
  fake.authenticate(paid.client_secret, true);
  await check(gone.id);
  await check(paid.id);
  assert.throws(() => fake.authenticate(gone.client_secret, true), /canceled/);
  const reply = await late.complete(gone.id);
  assert.deepEqual([reply.status, reply.body.code], [402, 'charge_given_up']);
  assert.deepEqual([await late.balance(), await punctual.balance()], [0n, 20_000_000n]);
});

test('a check is due when the time to confirm is over', async () => {
  const { begin } = await payer();
  const { body } = await begin();
  await db.many(sql`
    update top_up set created_at = now() - interval '1 minute' where id = ${body.id}`);
  await onStripe.owner(sql`
    update attended_top_up set until = now() + interval '5 minutes' where top_up_id = ${body.id}`);
  await check(body.id);
  const { due } = await db.one<{ due: boolean }>(sql`
    select next_check_at = until as due from top_up t join attended_top_up e on e.top_up_id = t.id
     where t.id = ${body.id}`);
  assert.equal(due, true);
});

test('402: add-funds still refuses a bank that asks for the cardholder, and charges nothing', async () => {
  const { add, balance } = await payer();
  const reply = await add();
  assert.deepEqual([reply.status, reply.body.code], [402, 'authentication_required']);
  assert.equal(await balance(), 0n);
});

test('403 and 422: another person’s charge, another person’s card, and what only the sandbox takes', async () => {
  const [mine, theirs] = [await payer(), await payer()];
  const { body } = await theirs.begin();
  const foreign = await unchanged(() => mine.complete(body.id));
  assert.deepEqual([foreign.status, foreign.body.code], [403, 'forbidden']);
  const card = await unchanged(() => mine.begin({ payment_method_id: theirs.id }));
  assert.deepEqual([card.status, card.body.code], [403, 'payment_method_forbidden']);
  const reply = await unchanged(() => theirs.complete(body.id, { test_authentication: 'succeed' }));
  assert.deepEqual(
    [reply.status, reply.body.detail[0].type],
    [422, 'test_authentication_not_allowed'],
  );
});

const LOST: Record<string, (workspace: string, user: User) => Promise<unknown>> = {
  'is removed': (workspace, { id }) => fixtures.removeMember(workspace, id),
  'is no admin any more': (workspace, { id }) =>
    db.many(sql`
      update membership set role_id = (
        select id from role where organization_id is null and scope = 'workspace' and slug = 'member')
       where organization_id = ${workspace} and user_id = ${id}`),
  'lacks the second factor': (workspace) =>
    db.many(sql`update organization set require_2fa = true where id = ${workspace}`),
};

for (const [how, lose] of Object.entries(LOST))
  test(`of a workspace whose admin ${how}: what is confirmed is credited without telling its balance, the rest cancelled`, async () => {
    const { user, save } = await saver();
    const { id: payment_method_id } = await save({ card: 'pm_card_authenticationRequired' });
    const workspace = await fixtures.workspace(await fixtures.user(), { balance: '1000.00' });
    await fixtures.member(workspace, user, 'admin');
    const url = `/api/organizations/${workspace}/billing/top-ups`;
    const [paid, open] = await Promise.all(
      [30, 31].map((amount) =>
        request('POST', url, { key: user.key, body: { amount, payment_method_id } }),
      ),
    );
    await lose(workspace, user);
    fake.authenticate(paid?.body.client_secret, true);
    for (const act of ['complete', 'cancel', 'complete']) {
      const path = `/api/billing/top-ups/${paid?.body.id}/${act}`;
      const body = act === 'complete' ? { body: {} } : {};
      const reply = await request('POST', path, { key: user.key, ...body });
      const shown = { id: paid?.body.id, amount: '30.00', status: 'succeeded' };
      assert.deepEqual([reply.status, reply.body], [200, shown], act);
    }
    const path = `/api/billing/top-ups/${open?.body.id}/complete`;
    const reply = await request('POST', path, { key: user.key, body: {} });
    assert.deepEqual([reply.status, reply.body.code], [402, 'charge_given_up']);
    assert.throws(() => fake.authenticate(open?.body.client_secret, true), /canceled/);
    assert.equal(await fixtures.balance({ organizationId: workspace }), 1_030_000_000n);
  });

test('of a workspace that was deleted, the balance of whoever received its own is not told', async () => {
  const { user, save } = await saver();
  const { id: payment_method_id } = await save();
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, user, 'admin');
  const { body } = await request('POST', `/api/organizations/${workspace}/billing/top-ups`, {
    key: user.key,
    body: { amount: 30, payment_method_id },
  });
  assert.deepEqual([body.status, body.new_balance], ['succeeded', '30.00']);
  const path = `/api/organizations/${workspace}`;
  assert.equal((await request('DELETE', path, { key: owner.key })).status, 200);
  const complete = `/api/billing/top-ups/${body.id}/complete`;
  const reply = await request('POST', complete, { key: user.key, body: {} });
  assert.deepEqual(
    [reply.status, reply.body.status, reply.body.new_balance],
    [200, 'succeeded', undefined],
  );
});

test('the sandbox asks for the cardholder too, who confirms or refuses, for a workspace as well', async () => {
  const sandbox = await startHarness({ own: true });
  const user = await sandbox.fixtures.user();
  const workspace = await sandbox.fixtures.workspace(user);
  const card = await sandbox.fixtures.card(user, 'pm_card_authenticationRequired');
  const base = `/api/organizations/${workspace}/billing`;
  const call = (url: string, body: object) => sandbox.request('POST', url, { key: user.key, body });
  const begin = () => call(`${base}/top-ups`, { amount: 30, payment_method_id: card });
  const complete = (id: string, body = {}) => call(`/api/billing/top-ups/${id}/complete`, body);
  const { body } = await begin();
  assert.deepEqual([body.status, body.client_secret], ['requires_action', undefined]);
  assert.equal((await complete(body.id)).body.status, 'requires_action');
  const refused = await complete(body.id, { test_authentication: 'fail' });
  assert.deepEqual([refused.status, refused.body.code], [402, 'authentication_failed']);
  const next = (await begin()).body;
  const done = await complete(next.id, { test_authentication: 'succeed' });
  assert.deepEqual([done.status, done.body.new_balance], [200, '30.00']);
  const balance = await sandbox.fixtures.balance({ organizationId: workspace });
  assert.equal(balance, 30_000_000n);
});
