import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { signIn } from '../testing/fixtures/identity/session.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { until } from '../testing/harness/until.ts';

const harness = await startHarness();
const { db, fixtures, request, unchanged } = harness;
const act = (user: { id: string }, what: string, who: User) =>
  request('POST', `/api/operator/users/${user.id}/${what}`, { key: who.key });
const bySession = async (user: { id: string }, what: string, who: User) =>
  request('POST', `/api/operator/users/${user.id}/${what}`, {
    headers: {
      cookie: await signIn(harness, who, { proven: true }),
      'sec-fetch-site': 'same-origin',
    },
  });

/** What an operator sees of one person. */
const seen = async (who: User, { email }: User) =>
  (await request('GET', `/api/operator/users?q=${encodeURIComponent(email)}`, who)).body[0];

const mailsTo = async ({ email }: User): Promise<string[]> =>
  (
    await db.many<{ action: string }>(sql`
      select a.action from mail m join audit_event a on a.id = m.subject_id
       where m.recipient = ${email} and m.kind = 'security_notice'`)
  ).map(({ action }) => action);

test('200: a deactivation ends keys, sessions, links and streams at once, and says what stays', async () => {
  const [operator, user] = [await fixtures.operator(), await fixtures.user({ name: 'Eve' })];
  const workspace = await fixtures.workspace(user, { name: 'Left behind' });
  const project = await fixtures.project({ organizationId: workspace });
  const task = await fixtures.task(project, user);
  const turn = await fixtures.turn(task, { state: 'queued' });
  await db.many(sql`update task_turn set requested_by_user_id = ${user.id} where id = ${turn}`);
  const cookie = await signIn(harness, user);
  const link = (await bySession(user, 'sign-in-link', operator)).body.link as string;
  const stream = await fetch(`${harness.url}/api/tasks/${task}/events`, {
    headers: { authorization: `Bearer ${user.key}`, accept: 'text/event-stream' },
  });
  assert.equal(stream.status, 200);
  const { status, body } = await act(user, 'deactivate', operator);
  assert.deepEqual([status, body.keys_revoked, body.sessions_ended], [200, 1, 1]);
  assert.deepEqual(body.owned_workspaces, [{ id: workspace, name: 'Left behind' }]);
  assert.deepEqual([body.open_turns, body.user.is_active], [1, false]);
  assert.equal((await request('GET', '/api/account', user)).status, 401);
  assert.equal((await request('GET', '/auth/sessions', { headers: { cookie } })).status, 401);
  const { href, pathname } = new URL(link);
  const [open] = await db.many(sql`
    select from sign_in_link where user_id = ${user.id} and ended_at is null`);
  assert.deepEqual([open, href.endsWith(pathname)], [undefined, true]);
  // It ends by itself: reading to its end would hang otherwise.
  await stream.text();
  const again = await act(user, 'deactivate', operator);
  assert.deepEqual([again.status, again.body.keys_revoked], [200, 0]);
  assert.deepEqual((await seen(operator, user)).is_active, false);
  assert.equal((await act(user, 'activate', operator)).body.is_active, true);
  assert.equal((await request('GET', '/api/account', user)).status, 401, 'keys stay revoked');
});

test('404: who has deleted their account is neither shown nor acted on', async () => {
  const [operator, user] = [await fixtures.operator(), await fixtures.user()];
  const cookie = await signIn(harness, user, { proven: true });
  const headers = { cookie, 'sec-fetch-site': 'same-origin' };
  assert.equal((await request('DELETE', '/auth/account', { headers })).status, 200);
  const former = { ...user, email: `${user.id}@former.invalid` };
  const ofOperator = {
    cookie: await signIn(harness, operator, { proven: true }),
    'sec-fetch-site': 'same-origin',
  };
  assert.equal(await seen(operator, former), undefined);
  await unchanged(async () => {
    for (const what of ['activate', 'deactivate', 'sign-in-link', 'reset-two-factor']) {
      const path = `/api/operator/users/${user.id}/${what}`;
      assert.equal((await request('POST', path, { headers: ofOperator })).status, 404, what);
    }
    const credits = { amount: '5.00', reason: 'Goodwill' };
    const path = `/api/operator/users/${user.id}/credits`;
    assert.equal((await request('POST', path, { key: operator.key, body: credits })).status, 404);
  });
});

test('409: nobody deactivates themselves; an operator who is deactivated and let in again is none', async () => {
  const [ada, bob] = [await fixtures.operator(), await fixtures.operator()];
  const own = await act(ada, 'deactivate', ada);
  assert.deepEqual([own.status, own.body.code], [409, 'cannot_deactivate_yourself']);
  assert.equal((await seen(ada, ada)).is_active, true);
  assert.equal((await seen(ada, bob)).is_operator, true);
  assert.equal((await act(bob, 'deactivate', ada)).status, 200);
  await act(bob, 'activate', ada);
  const { is_active, is_operator } = await seen(ada, bob);
  assert.deepEqual({ is_active, is_operator }, { is_active: true, is_operator: false });
});

test('of two operators who deactivate each other at once, one stays', async () => {
  for (let round = 0; round < 8; round++) {
    const pair = [await fixtures.operator(), await fixtures.operator()] as const;
    const done = await Promise.all([
      act(pair[1], 'deactivate', pair[0]),
      act(pair[0], 'deactivate', pair[1]),
    ]);
    assert.deepEqual(done.map(({ status }) => status).sort(), [200, 401]);
    const [left] = await db.many<{ count: number }>(sql`
      select count(*)::int as count from operator join app_user u on u.id = user_id
       where u.is_active and u.id in (${pair[0].id}, ${pair[1].id})`);
    assert.equal(left?.count, 1);
  }
});

test('an act that has begun ends before its operator is deactivated, and one after it is refused', async () => {
  const [ada, bob] = [await fixtures.operator(), await fixtures.operator()];
  const user = await fixtures.user();
  // Another transaction holds the person: the act waits in its middle, as an operator.
  const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const holding = db.transaction(async (tx) => {
    await tx.many(sql`select from app_user where id = ${user.id} for update`);
    hold();
    await released;
  });
  await isHeld;
  const waiting = (count: number) =>
    until('others wait for a lock', async () => {
      // Only the owner sees what others wait for.
      const [now] = await harness.owner<{ count: number }>(sql`
        select count(*)::int as count from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`);
      return (now?.count ?? 0) >= count;
    });
  const acting = bySession(user, 'reset-two-factor', bob);
  await waiting(1);
  const deactivating = act(bob, 'deactivate', ada);
  await waiting(2);
  release();
  await holding;
  assert.deepEqual([(await acting).status, (await deactivating).status], [200, 200]);
  assert.equal((await act(user, 'deactivate', bob)).status, 401);
  assert.equal((await seen(ada, user)).is_active, true);
});

test('201: a sign-in link lets the person in once and replaces the one before; they are told, and see who made it', async () => {
  const [operator, user] = [await fixtures.operator(), await fixtures.user()];
  await db.many(
    sql`update app_user set created_at = now() - interval '1 day' where id = ${user.id}`,
  );
  const first = await bySession(user, 'sign-in-link', operator);
  const second = await bySession(user, 'sign-in-link', operator);
  assert.deepEqual([first.status, second.status], [201, 201]);
  assert.notEqual(first.body.link, second.body.link);
  const use = (link: string) =>
    request('POST', '/auth/links/use', {
      body: { token: link.split('/').at(-1) },
      headers: { 'sec-fetch-site': 'same-origin' },
    });
  assert.equal((await use(first.body.link)).status, 404);
  const used = await use(second.body.link);
  assert.equal(used.status, 200, used.text);
  assert.notEqual((await use(second.body.link)).status, 200);
  assert.deepEqual(await mailsTo(user), ['sign_in_link.create', 'sign_in_link.create']);
  const cookie = await signIn(harness, user);
  const { body } = await request('GET', '/auth/audit-events', { headers: { cookie } });
  const made = body.filter(({ action }: { action: string }) => action === 'sign_in_link.create');
  assert.deepEqual(
    made.map((event: { actor_email: string }) => event.actor_email),
    [operator.email, operator.email],
  );
  await act(user, 'deactivate', operator);
  const refused = await unchanged(async () => {
    const { status, body } = await request('GET', '/api/operator/server', operator);
    return [status, typeof body.version];
  });
  assert.deepEqual(refused, [200, 'string']);
  assert.equal((await bySession(user, 'sign-in-link', operator)).body.code, 'user_deactivated');
});

test('200: without their second factors, a person is signed out everywhere and told', async () => {
  const [operator, user] = [await fixtures.operator(), await fixtures.user({ twoFactor: true })];
  await db.many(
    sql`update app_user set created_at = now() - interval '1 day' where id = ${user.id}`,
  );
  await signIn(harness, user);
  const { status, body } = await bySession(user, 'reset-two-factor', operator);
  assert.deepEqual([status, body.sessions_ended], [200, 1]);
  assert.equal((await seen(operator, user)).two_factor_enabled, false);
  assert.deepEqual(await mailsTo(user), ['user.reset_two_factor']);
});

test('people are found by address and name, also those who were deactivated, in pages', async () => {
  const operator = await fixtures.operator();
  const mark = `q${Date.now()}`;
  for (const name of ['a', 'b', 'c'])
    await fixtures.user({ email: `${name}@${mark}.example`, active: name !== 'c' });
  await fixtures.serviceAccount(await fixtures.workspace(operator), { name: `Bot ${mark}` });
  const list = async (query: string) =>
    request('GET', `/api/operator/users?q=${mark}${query}`, operator);
  const emails = ({ body }: { body: { email: string }[] }) => body.map(({ email }) => email[0]);
  assert.deepEqual(emails(await list('')), ['a', 'b', 'c']);
  assert.deepEqual(emails(await list('&is_active=false')), ['c']);
  const page = await list('&limit=2');
  const next = /<(.+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? assert.fail();
  assert.deepEqual(
    [...emails(page), ...emails(await request('GET', next, operator))],
    ['a', 'b', 'c'],
  );
});
