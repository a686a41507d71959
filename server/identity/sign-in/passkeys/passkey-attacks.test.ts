import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../../db/sql.ts';
import { openBrowser, signedIn } from '../../../testing/clients/browser.ts';
import type { Faults } from '../../../testing/fixtures/identity/authenticator.ts';
import {
  addPasskey,
  answerOf,
  PASSKEY_URL,
  show,
} from '../../../testing/fixtures/identity/passkeys.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { deactivateUser } from '../../users/users.ts';

const harness = await startHarness({ env: { PUBLIC_URL: PASSKEY_URL } });
const { db, fixtures } = harness;

const person = async (how = {}) => {
  const user = await fixtures.user();
  const mine = await signedIn(harness, user);
  return { user, mine, passkey: await addPasskey(mine, how) };
};
const sessionsOf = ({ id }: { id: string }) =>
  db.many(sql`select from session where user_id = ${id} and ended_at is null`);

test('a challenge is answered once, also by many at once, and wrong answers spend it', async () => {
  const { user, passkey } = await person({ counting: false });
  const browser = openBrowser(harness);
  const body = await answerOf(browser, '/auth/sign-in/passkey', passkey);
  const replies = await Promise.all(
    Array.from({ length: 8 }, () =>
      openBrowser(harness).request('POST', '/auth/sign-in/passkey', { body }),
    ),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array(7).fill(401)]);
  assert.equal((await sessionsOf(user)).length, 2);
  const options = await browser.request('POST', '/auth/sign-in/passkey/options');
  const send = (faults?: Faults) =>
    browser.request('POST', '/auth/sign-in/passkey', {
      body: { credential: passkey.assert(options.body, faults) },
    });
  assert.equal((await send({ forged: true })).status, 401);
  assert.equal((await send()).status, 401, 'the same challenge, rightly signed');
});

test('a challenge lasts five minutes, and those that have expired are swept', async () => {
  const { passkey } = await person();
  const browser = openBrowser(harness);
  const body = await answerOf(browser, '/auth/sign-in/passkey', passkey);
  await harness.owner(sql`update passkey_challenge set expires_at = now() - interval '1 ms'`);
  assert.equal((await browser.request('POST', '/auth/sign-in/passkey', { body })).status, 401);
  await browser.request('POST', '/auth/sign-in/passkey/options');
  const left = await db.many(sql`select from passkey_challenge where expires_at < now()`);
  assert.equal(left.length, 0);
});

test('a challenge for one occasion or session is not answered on another', async () => {
  const { user, passkey } = await person();
  const [pending, other] = [
    await signedIn(harness, user, { pending: true }),
    await signedIn(harness, user, { pending: true }),
  ];
  const proving = await signedIn(harness, user, { provenMinutesAgo: 30 });
  const anyone = openBrowser(harness);
  const bodies = {
    signIn: await answerOf(anyone, '/auth/sign-in/passkey', passkey),
    second: await answerOf(pending, '/auth/second-factor/passkey', passkey),
    proof: await answerOf(proving, '/auth/proof/passkey', passkey),
  };
  const refused = async (browser: typeof anyone, path: string, body: object) =>
    (await browser.request('POST', path, { body })).status;
  assert.equal(await refused(anyone, '/auth/sign-in/passkey', bodies.second), 401);
  assert.equal(await refused(anyone, '/auth/sign-in/passkey', bodies.proof), 401);
  assert.equal(await refused(pending, '/auth/second-factor/passkey', bodies.signIn), 403);
  assert.equal(await refused(other, '/auth/second-factor/passkey', bodies.second), 403);
  assert.equal(await refused(proving, '/auth/proof/passkey', bodies.second), 403);
  const { body } = await pending.request('GET', '/auth/session');
  assert.equal(body.pending, true);
});

test('the passkey of another person is no second factor and no proof, whoever it says it is', async () => {
  const [victim, thief] = [await person(), await person()];
  const { userHandle } = (await answerOf(victim.mine, '/auth/proof/passkey', victim.passkey))
    .credential.response;
  for (const [occasion, options] of [
    ['/auth/second-factor/passkey', { pending: true }],
    ['/auth/proof/passkey', { provenMinutesAgo: 30 }],
  ] as const)
    for (const faults of [{}, { userHandle }]) {
      const browser = await signedIn(harness, victim.user, options);
      const reply = await show(browser, occasion, thief.passkey, faults);
      assert.deepEqual([reply.status, reply.body.code], [403, 'passkey_refused']);
    }
  const claimed = await show(openBrowser(harness), '/auth/sign-in/passkey', thief.passkey, {
    userHandle,
  });
  assert.equal(claimed.status, 401);
});

test('a copy of a passkey, whose counter falls behind, is refused', async () => {
  const { passkey } = await person();
  const signIn = (counter: number) =>
    show(openBrowser(harness), '/auth/sign-in/passkey', passkey, { counter });
  assert.equal((await signIn(10)).status, 200);
  for (const counter of [10, 9, 0]) assert.equal((await signIn(counter)).status, 401);
  assert.equal((await signIn(11)).status, 200);
});

test('race: of two answers with the same counter, one signs in', async () => {
  for (let round = 0; round < 5; round++) {
    const { passkey } = await person();
    const bodies = await Promise.all(
      [1, 2, 3].map(() =>
        answerOf(openBrowser(harness), '/auth/sign-in/passkey', passkey, { counter: 7 }),
      ),
    );
    const replies = await Promise.all(
      bodies.map((body) => openBrowser(harness).request('POST', '/auth/sign-in/passkey', { body })),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401, 401]);
  }
});

test('a person who is deactivated signs in with no passkey, also while it happens', async () => {
  for (let round = 0; round < 10; round++) {
    const { user, passkey } = await person();
    const browser = openBrowser(harness);
    const body = await answerOf(browser, '/auth/sign-in/passkey', passkey);
    const [reply] = await Promise.all([
      browser.request('POST', '/auth/sign-in/passkey', { body }),
      db.transaction((tx) => deactivateUser(tx, { id: user.id })),
    ]);
    assert.ok([200, 401].includes(reply.status));
    assert.equal((await sessionsOf(user)).length, 0);
    const later = await show(openBrowser(harness), '/auth/sign-in/passkey', passkey);
    assert.deepEqual([later.status, later.body.code], [401, 'passkey_refused']);
  }
});

test('no answer of a browser is in the log, and none has the public key of a passkey', async () => {
  const start = harness.log.length;
  const { passkey } = await person();
  const browser = openBrowser(harness);
  const body = await answerOf(browser, '/auth/sign-in/passkey', passkey);
  await browser.request('POST', '/auth/sign-in/passkey', { body });
  const lines = harness.log.slice(start).join('');
  const { signature, clientDataJSON } = body.credential.response;
  for (const secret of [signature, clientDataJSON]) assert.ok(!lines.includes(secret));
});
