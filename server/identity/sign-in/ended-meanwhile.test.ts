import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { signedIn } from '../../testing/clients/browser.ts';
import { enrol } from '../../testing/fixtures/identity/authenticator-app.ts';
import { givePassword } from '../../testing/fixtures/identity/passwords.ts';
import { duringOn } from '../../testing/harness/during.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const harness = await startHarness();
const { db, fixtures } = harness;
const during = duringOn(harness);

/** What someone does who takes their account back: all at once, with the person locked. */
const signedOut = (userId: string) => async (tx: Tx) => {
  await tx.many(sql`select id from app_user where id = ${userId} for no key update`);
  await tx.many(sql`
    update session set ended_at = clock_timestamp() where user_id = ${userId} and ended_at is null`);
};

/** How someone may sign in, without the times. */
const waysOf = (userId: string) =>
  db.one(sql`
    select (select phc from password where user_id = u.id) as phc,
           (select count(*) from totp where user_id = u.id) as apps,
           (select array_agg(code_hash order by code_hash) from recovery_code
             where user_id = u.id and used_at is null) as codes,
           (select array_agg(id order by id) from passkey where user_id = u.id) as passkeys,
           (select count(*) from api_key where user_id = u.id) as keys
      from app_user u where id = ${userId}`);

const CHANGES: [string, string, object?][] = [
  ['PUT', '/auth/password', { password: 'brisk-copper-willow-17' }],
  ['POST', '/auth/keys', { name: 'CI' }],
  ['POST', '/auth/recovery-codes'],
  ['DELETE', '/auth/totp'],
];

for (const [method, path, body] of CHANGES)
  test(`race: ${method} ${path} changes nothing for a session that ended while it waited`, async () => {
    const user = await fixtures.user();
    await givePassword(harness, user);
    const browser = await signedIn(harness, user);
    await enrol(browser);
    const before = await waysOf(user.id);
    const [reply] = await during(signedOut(user.id), () =>
      browser.request(method, path, body === undefined ? {} : { body }),
    );
    assert.equal(reply?.status, 401);
    assert.deepEqual(await waysOf(user.id), before);
  });

test('race: no app is begun by a session that ended meanwhile', async () => {
  const user = await fixtures.user();
  const browser = await signedIn(harness, user);
  const before = await waysOf(user.id);
  const [reply] = await during(signedOut(user.id), () => browser.request('POST', '/auth/totp'));
  assert.equal(reply?.status, 401);
  assert.deepEqual(await waysOf(user.id), before);
});

test('race: a code that was right when its session ended is not used up', async () => {
  const user = await fixtures.user();
  const { recoveryCodes } = await enrol(await signedIn(harness, user));
  const browser = await signedIn(harness, user, { pending: true });
  const body = { code: recoveryCodes[0] };
  const [reply] = await during(signedOut(user.id), () =>
    browser.request('POST', '/auth/second-factor', { body }),
  );
  assert.equal(reply?.status, 401);
  const again = await signedIn(harness, user, { pending: true });
  assert.equal((await again.request('POST', '/auth/second-factor', { body })).status, 200);
});
