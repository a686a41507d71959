import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { openBrowser, signedIn } from '../../testing/clients/browser.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { deactivateUser } from '../users/users.ts';

const harness = await startHarness();
const { db, fixtures, request, unchanged } = harness;

const session = (browser: { request: typeof request }) => browser.request('GET', '/auth/session');
const OFFER = { sign_up: 'invited', providers: [], passkeys: false, mail: false };

test('200: whoever asks learns how to sign in; a session says whose it is, and how long a proof lasts', async () => {
  const stranger = await session(openBrowser(harness));
  assert.deepEqual([stranger.status, stranger.body], [200, { signed_in: false, sign_in: OFFER }]);
  const user = await fixtures.user({ name: 'Ada' });
  const { body } = await session(await signedIn(harness, user));
  const { proven_until, ...rest } = body;
  assert.deepEqual(rest, {
    signed_in: true,
    pending: false,
    missing: 'password',
    user: { id: user.id, email: user.email, name: 'Ada' },
    sign_in: OFFER,
  });
  const minutes = (Date.parse(proven_until) - Date.now()) / 60_000;
  assert.ok(minutes > 9 && minutes <= 10, String(minutes));
  const late = await session(await signedIn(harness, user, { provenMinutesAgo: 11 }));
  assert.deepEqual([late.body.signed_in, late.body.proven_until], [true, undefined]);
  const pending = await session(await signedIn(harness, user, { pending: true }));
  assert.deepEqual(
    [pending.body.signed_in, pending.body.pending, pending.body.proven_until],
    [true, true, undefined],
  );
});

test('200: a session that has ended, and one of a user who is deactivated, is none', async () => {
  const [ended, gone] = [await fixtures.user(), await fixtures.user()];
  const [first, second] = [await signedIn(harness, ended), await signedIn(harness, gone)];
  await db.many(sql`update session set ended_at = now() where user_id = ${ended.id}`);
  await db.transaction((tx) => deactivateUser(tx, { id: gone.id }));
  for (const browser of [first, second])
    assert.equal((await session(browser)).body.signed_in, false);
});

test('204: signing out ends the session and removes the cookie, also before the second factor', async () => {
  const user = await fixtures.user();
  for (const pending of [false, true]) {
    const browser = await signedIn(harness, user, { pending });
    const { cookie } = browser;
    const reply = await browser.request('POST', '/auth/sign-out');
    assert.deepEqual([reply.status, reply.text, browser.cookie], [204, '', '']);
    browser.cookie = cookie;
    assert.equal((await session(browser)).body.signed_in, false);
    assert.equal((await browser.request('POST', '/auth/sign-out')).status, 401);
  }
  const trail = await db.many<{ action: string; same: boolean }>(sql`
    select action, session_id::text = target_id as same from audit_event
     where actor_user_id = ${user.id}`);
  assert.deepEqual(trail, Array(2).fill({ action: 'session.end', same: true }));
});

test('200: the list has the open sessions of the caller, latest first, and marks the current one', async () => {
  const user = await fixtures.user();
  await signedIn(harness, await fixtures.user());
  await signedIn(harness, user, { pending: true });
  const [first, second] = [await signedIn(harness, user), await signedIn(harness, user)];
  const { status, body } = await first.request('GET', '/auth/sessions');
  assert.equal(status, 200);
  assert.deepEqual(
    body.map(({ current }: { current: boolean }) => current),
    [false, true],
  );
  const ended = await first.request('DELETE', `/auth/sessions/${body[0].id}`);
  assert.equal(ended.status, 204);
  assert.equal((await session(second)).body.signed_in, false);
  const left = await first.request('GET', '/auth/sessions');
  assert.deepEqual([left.body.length, left.body[0].current], [1, true]);
});

test('200: end-others ends every other session, pending ones too, and leaves other people alone', async () => {
  const user = await fixtures.user();
  const [mine, other] = [await signedIn(harness, user), await signedIn(harness, user)];
  await signedIn(harness, user, { pending: true });
  const foreign = await signedIn(harness, await fixtures.user());
  const { body } = await mine.request('POST', '/auth/sessions/end-others');
  assert.deepEqual(body, { ended: 2 });
  assert.equal((await session(other)).body.signed_in, false);
  for (const browser of [mine, foreign])
    assert.equal((await session(browser)).body.signed_in, true);
  assert.deepEqual((await mine.request('POST', '/auth/sessions/end-others')).body, { ended: 0 });
});

test('404: a session of another person, one that has ended, and an unknown one', async () => {
  const user = await fixtures.user();
  const mine = await signedIn(harness, user);
  await signedIn(harness, await fixtures.user());
  const [foreign] = await db.many<{ id: string }>(sql`
    select id from session where user_id <> ${user.id} and ended_at is null limit 1`);
  await unchanged(async () => {
    for (const id of [foreign?.id, '6f1e2d3c-4b5a-4968-8776-655443322110']) {
      const reply = await mine.request('DELETE', `/auth/sessions/${id}`);
      assert.deepEqual([reply.status, reply.body.code], [404, 'not_found']);
    }
  });
});

test('race: a session that is ended by several requests at once ends once', async () => {
  for (let round = 0; round < 5; round++) {
    const user = await fixtures.user();
    const mine = await signedIn(harness, user);
    await signedIn(harness, user);
    const { body } = await mine.request('GET', '/auth/sessions');
    const other = body.find(({ current }: { current: boolean }) => !current);
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => mine.request('DELETE', `/auth/sessions/${other.id}`)),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [204, 404, 404, 404]);
    const events = await db.many(sql`
      select from audit_event where action = 'session.end' and target_id = ${other.id}`);
    assert.equal(events.length, 1);
  }
});

test('race: a token is replaced once; the old one opens nothing, and a session that ended has none', async () => {
  const { replaceToken } = await import('./session.ts');
  const user = await fixtures.user();
  const browser = await signedIn(harness, user);
  const [row] = await db.many<{ session_id: string; token_hash: Buffer }>(sql`
    select id as session_id, token_hash from session where user_id = ${user.id}`);
  assert.ok(row);
  const tried = await Promise.allSettled(Array.from({ length: 6 }, () => replaceToken(db, row)));
  const done = tried.flatMap((each) => (each.status === 'fulfilled' ? [each.value.token] : []));
  assert.equal(done.length, 1);
  assert.equal((await session(browser)).body.signed_in, false);
  browser.cookie = `guildhall=${done[0]}`;
  assert.equal((await session(browser)).body.signed_in, true);
  await browser.request('POST', '/auth/sign-out');
  const [ended] = await db.many<{ session_id: string; token_hash: Buffer }>(sql`
    select id as session_id, token_hash from session where user_id = ${user.id}`);
  assert.ok(ended);
  await assert.rejects(replaceToken(db, ended), { status: 401 });
});

test('a proof brings a new token, a pending session has none without one, and none opens again', async () => {
  const [user, half] = [await fixtures.user(), await fixtures.user()];
  await signedIn(harness, user);
  await signedIn(harness, half, { pending: true });
  const where = sql`where user_id = ${user.id}`;
  for (const change of [
    sql`update session set token_hash = sha256('x') where user_id = ${half.id}`,
    sql`update session set pending = false where user_id = ${half.id}`,
    sql`update session set proven_at = now() ${where}`,
    sql`update session set pending = true ${where}`,
    sql`update session set network = '1.2.3.4' ${where}`,
  ])
    await assert.rejects(db.many(change), /session/);
  await db.many(sql`update session set ended_at = now() ${where}`);
  await assert.rejects(db.many(sql`update session set ended_at = null ${where}`), /stays so/);
});
