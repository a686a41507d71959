import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { deactivateUser } from '../users/users.ts';
import { createSignInLink } from './sign-in-link.ts';

const { db, fixtures, log, owner, request, unchanged, url } = await startHarness();

const link = async (user: User): Promise<string> =>
  (await db.transaction((tx) => createSignInLink(tx, user.id))).token;

/** Presses the button of the page `/links/TOKEN`. */
const press = (token: string, headers: Record<string, string> = {}, at = url) =>
  fetch(`${at}/auth/links/use`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
      ...headers,
    },
    body: JSON.stringify({ token }),
  });

const cookieOf = (reply: Response) => /^(guildhall=[\w-]{43});/.exec(cookieText(reply))?.[1] ?? '';
const cookieText = (reply: Response) => reply.headers.get('set-cookie') ?? '';
const account = (cookie: string) => request('GET', '/api/account', { headers: { cookie } });
const sessions = (user: User) =>
  db.many<{ id: string; token_hash: Buffer }>(
    sql`select id, token_hash from session where user_id = ${user.id} and ended_at is null`,
  );

test('200: the button begins a session, once; its cookie is a credential, and the audit names it', async () => {
  const user = await fixtures.user();
  const token = await link(user);
  const reply = await press(token);
  assert.equal(reply.status, 200);
  assert.match(cookieText(reply), /; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Lax$/);
  const seen = await account(cookieOf(reply));
  assert.deepEqual([seen.status, seen.body.id], [200, user.id]);
  const [session] = await sessions(user);
  const sessionToken = cookieOf(reply).slice('guildhall='.length);
  assert.deepEqual(session?.token_hash, hash('sha256', sessionToken, 'buffer'));
  const audit = await db.many(sql`
    select action, session_id, target_id from audit_event where actor_user_id = ${user.id}`);
  assert.deepEqual(audit, [
    { action: 'session.create', session_id: session?.id, target_id: user.id },
  ]);
  const again = await unchanged(() => press(token));
  assert.deepEqual([again.status, cookieText(again)], [404, '']);
});

test('https: the cookie is secure and belongs to this host alone', async () => {
  const secure = await startHarness({ env: { PUBLIC_URL: 'https://guildhall.example.com' } });
  const user = await secure.fixtures.user();
  const { token } = await secure.db.transaction((tx) => createSignInLink(tx, user.id));
  const origin = 'https://guildhall.example.com';
  const reply = await press(token, { origin }, secure.url);
  assert.match(
    cookieText(reply),
    /^__Host-guildhall=[\w-]{43}; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Lax; Secure$/,
  );
});

test('404: unknown, malformed, expired, replaced and used links, and users who are deactivated, get one answer', async () => {
  const users = await Promise.all([1, 2, 3, 4].map(() => fixtures.user()));
  const [late, replaced, used, gone] = users as [User, User, User, User];
  const tokens = await Promise.all(users.map(link));
  await owner(sql`alter table sign_in_link disable trigger sign_in_link_stays`);
  await owner(sql`
    update sign_in_link set created_at = now() - interval '61 minutes',
                            expires_at = now() - interval '1 second'
     where user_id = ${late.id}`);
  await owner(sql`alter table sign_in_link enable trigger sign_in_link_stays`);
  await link(replaced);
  assert.equal((await press(tokens[users.indexOf(used)] as string)).status, 200);
  await db.transaction((tx) => deactivateUser(tx, { id: gone.id }));
  await db.many(sql`update app_user set is_active = true where id = ${gone.id}`);
  const good = await link(await fixtures.user());
  const bad = [...tokens, 'x'.repeat(43), 'x', `${good}x`, good.slice(1), '<b>'];
  const answers = new Set<string>();
  await unchanged(async () => {
    for (const token of bad) {
      const reply = await press(token);
      answers.add(`${reply.status} ${cookieText(reply)} ${await reply.text()}`);
    }
  });
  assert.equal(answers.size, 1);
  assert.match([...answers][0] as string, /^404 {2}.*link_unusable/);
});

test('403: a page of another site signs no one in; without Sec-Fetch-Site, Origin decides', async () => {
  const user = await fixtures.user();
  const token = await link(user);
  const send = (headers: Record<string, string>) =>
    fetch(`${url}/auth/links/use`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ token }),
    });
  await unchanged(async () => {
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'cross-site', origin: 'http://127.0.0.1:8080' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      {},
    ] as Record<string, string>[]) {
      const reply = await send(headers);
      const { code } = (await reply.json()) as { code: string };
      assert.deepEqual([reply.status, code, cookieText(reply)], [403, 'cross_site_request', '']);
    }
  });
  assert.equal((await send({ origin: 'http://127.0.0.1:8080' })).status, 200);
});

test('race: of many attempts with one link at once, one gets a session', async () => {
  for (let round = 0; round < 10; round++) {
    const user = await fixtures.user();
    const token = await link(user);
    const replies = await Promise.all(Array.from({ length: 8 }, () => press(token)));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array(7).fill(404)]);
    assert.equal((await sessions(user)).length, 1);
  }
});

test('race: a link that is used while its user is deactivated leaves no session', async () => {
  for (let round = 0; round < 40; round++) {
    const user = await fixtures.user();
    const token = await link(user);
    const [reply] = await Promise.all([
      press(token),
      db.transaction((tx) => deactivateUser(tx, { id: user.id })),
    ]);
    assert.ok([200, 404].includes(reply.status), String(reply.status));
    assert.deepEqual(await sessions(user), []);
    assert.equal((await press(token)).status, 404);
  }
});

test('race: of links made at once for one user, one works', async () => {
  const user = await fixtures.user();
  const make = () =>
    db.transaction(async (tx) => {
      await tx.many(sql`select from app_user where id = ${user.id} for no key update`);
      return createSignInLink(tx, user.id);
    });
  const made = await Promise.all(Array.from({ length: 6 }, make));
  const statuses: number[] = [];
  for (const { token } of made) statuses.push((await press(token)).status);
  assert.deepEqual(statuses.sort(), [200, ...Array(5).fill(404)]);
});

test('no token is in the log, in the database or in the audit trail', async () => {
  const user = await fixtures.user();
  const token = await link(user);
  const start = log.length;
  const session = cookieOf(await press(token)).slice('guildhall='.length);
  await press(token);
  const lines = log.slice(start).join('');
  assert.match(lines, /"route":"\/auth\/links\/use"/);
  const rows = await db.many(sql`
    select to_jsonb(l)::text, to_jsonb(s)::text, to_jsonb(a)::text
      from sign_in_link l join session s on s.id = l.session_id
      join audit_event a on a.session_id = s.id
     where l.user_id = ${user.id}`);
  assert.equal(rows.length, 1);
  for (const secret of [token, session])
    assert.ok(!lines.includes(secret) && !JSON.stringify(rows).includes(secret));
});
