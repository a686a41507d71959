import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../../db/sql.ts';
import { signedIn } from '../../../testing/clients/browser.ts';
import { CROSS, openVisitor, pageOf } from '../../../testing/clients/visits.ts';
import { startProvider } from '../../../testing/fixtures/identity/openid.ts';
import { duringOn } from '../../../testing/harness/during.ts';
import { startHarness } from '../../../testing/harness/harness.ts';

const PUBLIC_URL = 'http://guildhall.localhost:8080';
const ids = ['acme', 'evil'];
const callbacks = ids.map((id) => `${PUBLIC_URL}/auth/providers/${id}/callback`);
const [acme, evil] = [await startProvider(callbacks), await startProvider(callbacks)];
const settings = [acme, evil].map((each, i) => ({
  id: ids[i],
  name: ids[i],
  issuer: each.issuer,
  client_id: each.clientId,
  client_secret: each.clientSecret,
}));
const harness = await startHarness({
  env: { PUBLIC_URL, SIGN_UP: 'open', OIDC_PROVIDERS: JSON.stringify(settings) },
});
const { db, fixtures, log, unchanged } = harness;
const during = duringOn(harness);
const START = '/auth/providers/acme/start';
const EXPIRED = '/sign-in?error=attempt_expired';

let last = 0;
const signIn = (provider = acme) => {
  const sub = `someone-${++last}`;
  provider.signIn({ sub, email: `${sub}@example.com`, email_verified: true });
  return sub;
};
const come = async (visitor: ReturnType<typeof openVisitor>, { pathname, search }: URL) =>
  pageOf(await visitor.visit(pathname + search, CROSS));

test('login CSRF: the address with which another browser comes back signs no one in', async () => {
  signIn();
  const attacker = openVisitor(harness);
  const back = await attacker.leave(START);
  const victim = openVisitor(harness);
  assert.equal(await come(victim, back), EXPIRED, 'without an attempt');
  await victim.leave(START);
  assert.equal(await come(victim, back), EXPIRED, 'with an attempt of their own');
  assert.equal(victim.cookies.has('guildhall'), false);
  assert.equal(await come(attacker, back), '/', 'the attempt itself was not spent');
});

test('a forged state, a replay, and an attempt that is over', async () => {
  signIn();
  const visitor = openVisitor(harness);
  const back = await visitor.leave(START);
  for (const state of ['', 'x', `${back.searchParams.get('state')}x`]) {
    const forged = new URL(back);
    forged.searchParams.set('state', state);
    assert.equal(await unchanged(() => come(visitor, forged)), EXPIRED);
  }
  const jar = new Map(visitor.cookies);
  const replies = await Promise.all(
    Array.from({ length: 6 }, () => {
      const same = openVisitor(harness);
      for (const [name, value] of jar) same.cookies.set(name, value);
      return come(same, back);
    }),
  );
  assert.deepEqual(replies.sort(), ['/', ...Array(5).fill(EXPIRED)]);
  const late = openVisitor(harness);
  const lateBack = await late.leave(START);
  await db.many(sql`update provider_attempt set expires_at = now() - interval '1 ms'`);
  assert.equal(await come(late, lateBack), EXPIRED);
});

test('mix-up: an answer of one provider does not count as that of another', async () => {
  signIn(evil);
  const visitor = openVisitor(harness);
  const back = await visitor.leave('/auth/providers/evil/start');
  const mixed = new URL(back);
  mixed.pathname = '/auth/providers/acme/callback';
  assert.equal(await come(visitor, mixed), EXPIRED);
  assert.equal(await come(visitor, back), '/');
});

test('the same subject at another provider is another person', async () => {
  const sub = signIn();
  const first = openVisitor(harness);
  assert.equal(await first.go(START), '/');
  evil.signIn({ sub, email: `${sub}@example.com`, email_verified: true });
  const thief = openVisitor(harness);
  const page = await thief.go('/auth/providers/evil/start');
  assert.equal(page, '/sign-in?error=account_exists');
});

test('a link to link an account works from pages of this server alone, with a proof', async () => {
  const user = await fixtures.user();
  const proven = openVisitor(harness, (await signedIn(harness, user)).cookie);
  const start = async (visitor: typeof proven, headers: Record<string, string>) =>
    pageOf(await visitor.visit(`${START}?link=true`, headers));
  const refused = '/account?error=cross_site_request';
  for (const site of ['cross-site', 'same-site', 'none'])
    assert.equal(await start(proven, { 'sec-fetch-site': site }), refused);
  const own = { 'sec-fetch-site': 'same-origin' };
  const old = await signedIn(harness, user, { provenMinutesAgo: 11 });
  const late = openVisitor(harness, old.cookie);
  assert.equal(await start(late, own), '/account?error=proof_required');
  const pending = await signedIn(harness, user, { pending: true });
  for (const cookie of ['', pending.cookie]) {
    const page = await start(openVisitor(harness, cookie), own);
    assert.match(page, /error=session_required/);
  }
  const cross = await openVisitor(harness).visit(START, CROSS);
  assert.equal(pageOf(cross), '/sign-in?error=cross_site_request');
});

test('an account is linked to no one but the person who began it', async () => {
  signIn();
  const [mine, theirs] = [await fixtures.user(), await fixtures.user()];
  const visitor = openVisitor(harness, (await signedIn(harness, mine)).cookie);
  const back = await visitor.leave(`${START}?link=true`);
  const other = (await signedIn(harness, theirs)).cookie.split('=')[1] as string;
  visitor.cookies.set('guildhall', other);
  assert.equal(await come(visitor, back), '/account?error=session_required');
  const linked = await db.many(sql`
    select from identity where user_id in (${mine.id}, ${theirs.id})`);
  assert.equal(linked.length, 0);
});

test('race: an account is not linked by a session that ends before it is', async () => {
  signIn();
  const user = await fixtures.user();
  const visitor = openVisitor(harness, (await signedIn(harness, user)).cookie);
  const back = await visitor.leave(`${START}?link=true`);
  const [reply] = await during(
    async (tx) => {
      await tx.many(sql`select id from app_user where id = ${user.id} for no key update`);
      await tx.many(sql`update session set ended_at = now() where user_id = ${user.id}`);
    },
    () => visitor.visit(back.pathname + back.search, CROSS),
  );
  assert.equal(reply && pageOf(reply), '/account?error=session_required');
  const linked = await db.many(sql`select from identity where user_id = ${user.id}`);
  assert.equal(linked.length, 0);
});

test('no address of another server is followed, and unknown providers are named so', async () => {
  for (const to of [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '/%09/',
    '/.//x.y',
  ]) {
    signIn();
    const page = await openVisitor(harness).go(`${START}?return_to=${encodeURIComponent(to)}`);
    assert.ok(page === '/' || page === '/%09/', `${to}: ${page}`);
  }
  const page = pageOf(await openVisitor(harness).visit('/auth/providers/nope/start'));
  assert.equal(page, '/sign-in?error=provider_unknown');
});

test('no code, state or token is in the log or in the table', async () => {
  signIn();
  const start = log.length;
  const visitor = openVisitor(harness);
  const back = await visitor.leave(START);
  const token = visitor.cookies.get('guildhall-attempt') as string;
  const rows = JSON.stringify(await db.many(sql`select a::text from provider_attempt a`));
  await come(visitor, back);
  const lines = log.slice(start).join('');
  const secrets = [token, back.searchParams.get('code'), back.searchParams.get('state')];
  for (const secret of secrets)
    assert.ok(secret && !lines.includes(secret) && !rows.includes(secret));
});
