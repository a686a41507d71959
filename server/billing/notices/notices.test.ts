import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { Content } from '../../platform/mail/mail.ts';
import { autoReloadFixtures } from '../../testing/fixtures/billing/auto-reload.ts';
import { noticesOn } from '../../testing/fixtures/billing/notices.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { post } from '../ledger/ledger.ts';
import { queueAllNotices } from './queue-notices.ts';

const harness = await startHarness({ own: true });
const { db, fixtures, request, unchanged } = harness;
const { accountOf, recharged, check, spend, age } = autoReloadFixtures(harness);
const { mails, rendered, said, quiet } = noticesOn(harness);

/** Gives a saved card another behaviour. */
const becomes = (card: string, token: string) =>
  db.many(sql`update payment_method set token = ${token} where id = ${card}`);

test('an automatic charge that failed: once for each, with the reason in words and what to do', async () => {
  const { user, card, account } = await recharged();
  await becomes(card, 'pm_card_chargeDeclinedInsufficientFunds');
  await check(account);
  await queueAllNotices(db);
  await unchanged(() => queueAllNotices(db));
  assert.deepEqual(await mails(user), ['auto_reload_failed']);
  const mail = (await rendered(user)) as Content;
  assert.deepEqual(mail.subject, ['Auto-reload failed: ', 'your balance']);
  assert.match(
    said(mail),
    /^Auto-reload of your balance could not charge 25\.00 USD to the visa card ending in \d{4}: the card has insufficient funds\. Nothing was charged\.Make sure that the card has funds, .* it is tried again, at most once an hour\.$/,
  );
  assert.equal(mail.link.url.endsWith('/account/billing'), true);
  await age(account, '2 hours');
  await becomes(card, 'pm_card_chargeDeclinedLostCard');
  await check(account);
  await queueAllNotices(db);
  assert.deepEqual(await mails(user), ['auto_reload_failed', 'auto_reload_failed']);
  // What could help a thief is a decline like any other.
  assert.match(
    said(await rendered(user)),
    /: the card was declined\. .* Auto-reload is paused until/,
  );
  await db.many(sql`update auto_reload set enabled = false where account_id = ${account}`);
  assert.equal(await rendered(user), 'obsolete');
});

test('a bank that asks for the cardholder: how to confirm; a charge by hand is not mailed about', async () => {
  const { user, card, account } = await recharged();
  await becomes(card, 'pm_card_authenticationRequired');
  await check(account);
  await queueAllNotices(db);
  const mail = (await rendered(user)) as Content;
  assert.deepEqual(mail.subject, ['Auto-reload needs a confirmation: ', 'your balance']);
  assert.match(
    said(mail),
    /the bank requires the cardholder to confirm it\. .*Add funds with this/,
  );
  const body = { amount: 5, payment_method_id: card };
  const declined = await request('POST', '/api/billing/add-funds', { key: user.key, body });
  assert.equal(declined.status, 402);
  await queueAllNotices(db);
  assert.deepEqual(await mails(user), ['auto_reload_failed']);
  await becomes(card, 'pm_card_visa');
  const paid = await request('POST', '/api/billing/add-funds', { key: user.key, body });
  assert.equal(paid.status, 200);
  assert.equal(await rendered(user), 'obsolete');
});

test('of a workspace the owner and the admins, each with a switch of their own', async () => {
  const { owner, admin, off, member, workspace, account, card } = await workspaceOf();
  await db.many(sql`
    insert into auto_reload (account_id, enabled, threshold, amount, monthly_cap, payment_method_id)
    values (${account}, true, 10000000, 25000000, 100000000, ${card})`);
  await db.many(sql`
    insert into auto_reload_set_by (account_id, user_id) values (${account}, ${owner.id})`);
  await becomes(card, 'pm_card_chargeDeclined');
  await check(account);
  await queueAllNotices(db);
  assert.deepEqual(await Promise.all([owner, admin, off, member].map(mails)), [
    ['auto_reload_failed'],
    ['auto_reload_failed'],
    [],
    [],
  ]);
  const mail = (await rendered(admin)) as Content;
  assert.equal(mail.link.url.endsWith(`/workspaces/${workspace}/billing`), true);
  await quiet(admin);
  assert.equal(await rendered(admin), 'obsolete');
});

async function workspaceOf() {
  const [owner, admin, off, member] = await Promise.all([
    fixtures.user(),
    fixtures.user(),
    fixtures.user(),
    fixtures.user(),
  ] as const);
  const workspace = await fixtures.workspace(owner, { balance: '9.00' });
  for (const each of [admin, off]) await fixtures.member(workspace, each, 'admin');
  await fixtures.member(workspace, member, 'member');
  await quiet(off);
  const { id: account } = await db.one<{ id: string }>(sql`
    select id from billing_account where organization_id = ${workspace}`);
  return { owner, admin, off, member, workspace, account, card: await fixtures.card(owner) };
}

test('a low balance: once until it was above 5.00 again, and never where it is switched off', async () => {
  const [user, off] = [await fixtures.user(), await fixtures.user()];
  await quiet(off);
  for (const each of [user, off]) {
    await fixtures.fund({ userId: each.id }, '6.00');
    await spend(each, '0.99');
    await spend(each, '0.02');
    await spend(each, '1.00');
  }
  await queueAllNotices(db);
  assert.deepEqual([await mails(user), await mails(off)], [['low_balance'], []]);
  assert.match(
    said(await rendered(user)),
    /^There are 3\.99 USD left in your balance, which is less than 5\.00 USD\.Add funds, or turn on/,
  );
  await fixtures.fund({ userId: user.id }, '2.00');
  assert.equal(await rendered(user), 'obsolete');
  await spend(user, '1.00');
  await queueAllNotices(db);
  assert.deepEqual(await mails(user), ['low_balance', 'low_balance']);
});

test('with auto-reload its threshold counts, and the mail gives it the time to fill the balance up', async () => {
  const { user, account } = await recharged({ balance: '30.00', threshold: 20 });
  await spend(user, '9.00');
  await queueAllNotices(db);
  assert.deepEqual(await mails(user), []);
  await spend(user, '2.00');
  await queueAllNotices(db);
  assert.deepEqual(await mails(user), ['low_balance']);
  const { waits } = await db.one<{ waits: boolean }>(sql`
    select next_attempt_at > now() + interval '1 minute' as waits
      from mail where kind = 'billing_notice' and recipient = ${user.email}`);
  assert.equal(waits, true);
  assert.match(
    said(await rendered(user)),
    /19\.00 USD left .* less than 20\.00 USD\.Auto-reload is on/,
  );
  assert.equal((await check(account))?.kind, 'settled');
  assert.equal(await rendered(user), 'obsolete');
});

test('race: many look at once; every occasion is mailed once', async () => {
  const users = await Promise.all(Array.from({ length: 8 }, () => fixtures.user()));
  for (const user of users) {
    await fixtures.fund({ userId: user.id }, '6.00');
    await spend(user, '2.00');
  }
  await Promise.all(Array.from({ length: 6 }, () => queueAllNotices(db)));
  for (const user of users) assert.deepEqual(await mails(user), ['low_balance']);
});

test('a posting that is rolled back leaves no mail', async () => {
  const user = await fixtures.user();
  await fixtures.fund({ userId: user.id }, '6.00');
  const accountId = await accountOf(user);
  const posting = db.transaction(async (tx) => {
    await post(tx, {
      key: randomUUID(),
      kind: 'usage',
      accountId,
      side: 'debit',
      counterpart: 'revenue',
      amount: 2_000_000n,
      reference: { type: 'test', id: accountId },
    });
    throw new Error('no commit');
  });
  await assert.rejects(posting, /no commit/);
  await queueAllNotices(db);
  assert.deepEqual(await mails(user), []);
});
