import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { noticesOn } from '../../testing/fixtures/billing/notices.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { noteExpiringCards } from './expiring-cards.ts';

const harness = await startHarness({ own: true });
const { db, fixtures, unchanged } = harness;
const { mails, rendered, said, quiet } = noticesOn(harness);

/** The month in which a card ends that ends about so many days from now, at the earliest. */
const ending = async (card: string, months: number) =>
  db.many(sql`
    update payment_method
       set exp_year = extract(year from m), exp_month = extract(month from m)
      from (select (now() at time zone 'UTC') + ${months}::integer * interval '1 month' as m) month
     where id = ${card}`);

/** Whether this month ends within 30 days, as all but the first day of a long one does. */
const { soon, last } = await db.one<{ soon: boolean; last: boolean }>(sql`
  select (date_trunc('month', now(), 'UTC') + interval '1 month') <= now() + interval '30 days'
           as soon,
         date_trunc('month', now(), 'UTC') > now() - interval '30 days' as last`);

test('a default card that ends with this month, once, and once more when it has ended', async () => {
  const user = await fixtures.user();
  const [card, second] = [await fixtures.card(user), await fixtures.card(user)];
  await db.many(sql`
    update payment_method set default_at = now() where id = ${card}`);
  await ending(card, 0);
  await ending(second, 0);
  await noteExpiringCards(db);
  await unchanged(() => noteExpiringCards(db));
  assert.deepEqual(await mails(user), soon ? ['card_expiring'] : []);
  if (soon)
    assert.match(said(await rendered(user)), /^The visa card ending in \d{4} expires on \d+/);
  await ending(card, -1);
  if (soon) assert.equal(await rendered(user), 'obsolete');
  await noteExpiringCards(db);
  await noteExpiringCards(db);
  assert.deepEqual((await mails(user)).slice(soon ? 1 : 0), last ? ['card_expired'] : []);
  if (last) assert.match(said(await rendered(user)), /expired on .*It is your default\.Save a new/);
  // Its bank renewed it.
  await ending(card, 40);
  assert.equal(await rendered(user), 'obsolete');
  await noteExpiringCards(db);
  assert.equal((await mails(user)).length, Number(soon) + Number(last));
});

test('no mail about a card that ends later or long ago, was removed, or where it is switched off', async () => {
  const users = await Promise.all(Array.from({ length: 4 }, () => fixtures.user()));
  for (const [i, user] of users.entries()) {
    const card = await fixtures.card(user);
    await ending(card, [2, -3, -1, -1][i] ?? 0);
    if (i === 2)
      await db.many(sql`update payment_method set detached_at = now() where id = ${card}`);
    if (i === 3) await quiet(user);
  }
  await noteExpiringCards(db);
  for (const user of users) assert.deepEqual(await mails(user), []);
});

test('a card that auto-reload of a workspace charges: to its owner and admins, who want it', async () => {
  const [owner, admin, off, member] = await Promise.all([
    fixtures.user(),
    fixtures.user(),
    fixtures.user(),
    fixtures.user(),
  ] as const);
  const workspace = await fixtures.workspace(owner);
  for (const each of [admin, off]) await fixtures.member(workspace, each, 'admin');
  await fixtures.member(workspace, member, 'member');
  await quiet(off);
  const card = await fixtures.card(owner);
  await db.many(sql`
    insert into auto_reload (account_id, enabled, payment_method_id)
    select id, true, ${card} from billing_account where organization_id = ${workspace}`);
  await ending(card, soon ? 0 : -1);
  await Promise.all(Array.from({ length: 4 }, () => noteExpiringCards(db)));
  const kind = soon ? 'card_expiring' : 'card_expired';
  assert.deepEqual(await Promise.all([owner, admin, off, member].map(mails)), [
    [kind],
    [kind],
    [],
    [],
  ]);
  assert.match(
    said(await rendered(owner)),
    /Auto-reload of the balance of “.+” charges it\.Save a/,
  );
});
