import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../../db/sql.ts';
import { openBrowser, signedIn } from '../../../testing/clients/browser.ts';
import { openVisitor } from '../../../testing/clients/visits.ts';
import { environmentOf, startGithub } from '../../../testing/fixtures/code/github.ts';
import { startProvider } from '../../../testing/fixtures/identity/openid.ts';
import { startHarness } from '../../../testing/harness/harness.ts';

const PUBLIC_URL = 'http://guildhall.localhost:8080';
const acme = await startProvider(
  ['acme', 'other'].map((id) => `${PUBLIC_URL}/auth/providers/${id}/callback`),
);
const github = await startGithub();
const settings = {
  issuer: acme.issuer,
  client_id: acme.clientId,
  client_secret: acme.clientSecret,
};
const harness = await startHarness({
  env: {
    PUBLIC_URL,
    SIGN_UP: 'open',
    OIDC_PROVIDERS: JSON.stringify([{ id: 'acme', name: 'Acme', ...settings }]),
    GITHUB_API_URL: environmentOf(github).GITHUB_API_URL,
    GITHUB_OAUTH_CLIENT_ID: github.state.people.clientId,
    GITHUB_OAUTH_CLIENT_SECRET: github.state.people.clientSecret,
  },
});
const { db, fixtures } = harness;

let last = 0;
const someone = (more = {}) => {
  const sub = `person-${++last}`;
  return { sub, email: `${sub}@example.com`, email_verified: true, name: 'Ada Byron', ...more };
};
const sessionOf = async (visitor: ReturnType<typeof openVisitor>) =>
  (await visitor.visit('/auth/session')).body;
const START = '/auth/providers/acme/start';

test('303: someone new gets an account, and the same one next time, whatever their address is then', async () => {
  const ada = someone();
  acme.signIn(ada);
  const first = openVisitor(harness);
  assert.equal(await first.go(`${START}?return_to=/projects/7`), '/projects/7');
  const { user, pending, sign_in } = await sessionOf(first);
  assert.deepEqual([user.email, user.name, pending], [ada.email, 'Ada Byron', false]);
  assert.deepEqual(sign_in.providers, [
    { id: 'acme', name: 'Acme' },
    { id: 'github', name: 'GitHub' },
  ]);
  assert.equal(first.cookies.has('guildhall-attempt'), false);
  acme.signIn({ ...ada, email: 'moved@example.com', email_verified: false });
  const again = openVisitor(harness);
  assert.equal(await again.go(START), '/');
  assert.equal((await sessionOf(again)).user.id, user.id);
  const trail = await db.many<{ action: string; by: string | null }>(sql`
    select action, after ->> 'by' as by from audit_event
     where actor_user_id = ${user.id} order by occurred_at`);
  assert.deepEqual(
    trail.map(({ action, by }) => by ?? action),
    ['user.create', 'identity.create', 'oidc', 'oidc'],
  );
});

test('303: GitHub too; a second factor is still asked for', async () => {
  github.signIn('grace', { name: 'Grace' });
  const first = openVisitor(harness);
  assert.equal(await first.go('/auth/providers/github/start'), '/');
  const { user } = await sessionOf(first);
  assert.deepEqual([user.email, user.name], ['grace@example.com', 'Grace']);
  await db.many(sql`update app_user set two_factor = true where id = ${user.id}`);
  const again = openVisitor(harness);
  const page = await again.go('/auth/providers/github/start?return_to=/a');
  assert.equal(page, '/sign-in?return_to=%2Fa');
  assert.equal((await sessionOf(again)).pending, true);
});

test('an account with the same address is not signed in, and not linked', async () => {
  const user = await fixtures.user();
  acme.signIn(someone({ email: user.email.toUpperCase() }));
  const visitor = openVisitor(harness);
  assert.equal(await visitor.go(START), '/sign-in?error=account_exists');
  assert.equal((await sessionOf(visitor)).signed_in, false);
  const linked = await db.many(sql`select from identity where user_id = ${user.id}`);
  assert.equal(linked.length, 0);
});

test('no account without a verified address, nor of someone who is deactivated, nor for who says no', async () => {
  const page = async (person: ReturnType<typeof someone>) => {
    acme.signIn(person);
    return openVisitor(harness).go(START);
  };
  assert.equal(await page(someone({ email_verified: false })), '/sign-in?error=email_not_verified');
  assert.equal(await page(someone({ email: undefined })), '/sign-in?error=email_not_verified');
  assert.equal(await page(someone({ email: 'no address' })), '/sign-in?error=email_not_verified');
  const gone = someone();
  assert.equal(await page(gone), '/');
  await db.many(sql`update app_user set is_active = false where email = ${gone.email}`);
  assert.equal(await page(gone), '/sign-in?error=account_deactivated');
  acme.deny();
  assert.equal(await page(someone()), '/sign-in?error=provider_denied');
});

test('where sign-up is for the invited, an invitation opens it', async () => {
  const closed = await startHarness({
    env: {
      PUBLIC_URL,
      OIDC_PROVIDERS: JSON.stringify([{ id: 'acme', name: 'Acme', ...settings }]),
    },
  });
  const ada = someone();
  acme.signIn(ada);
  assert.equal(await openVisitor(closed).go(START), '/sign-in?error=sign_up_closed');
  const owner = await closed.fixtures.user();
  const workspace = await closed.fixtures.workspace(owner);
  await closed.fixtures.invitation(workspace, { email: ada.email, by: owner });
  assert.equal(await openVisitor(closed).go(START), '/');
});

test('race: someone new who comes back twice at once gets one account', async () => {
  for (let round = 0; round < 5; round++) {
    const ada = someone();
    acme.signIn(ada);
    const pages = await Promise.all([1, 2, 3].map(() => openVisitor(harness).go(START)));
    assert.deepEqual(pages, ['/', '/', '/']);
    const made = await db.many(sql`select from app_user where email = ${ada.email}`);
    assert.equal(made.length, 1);
  }
});

test('an account is linked to the person of a proven session, signs them in, and is unlinked', async () => {
  const user = await fixtures.user();
  const browser = await signedIn(harness, user);
  const ada = someone();
  acme.signIn(ada);
  const page = await openVisitor(harness, browser.cookie).go(`${START}?link=true`);
  assert.equal(page, '/account');
  const again = openVisitor(harness);
  assert.equal(await again.go(START), '/');
  assert.equal((await sessionOf(again)).user.id, user.id);
  const other = await signedIn(harness, await fixtures.user());
  const taken = await openVisitor(harness, other.cookie).go(`${START}?link=true&return_to=/x`);
  assert.equal(taken, '/x?error=identity_taken');
  const [identity] = (await browser.request('GET', '/auth/identities')).body;
  assert.deepEqual([identity.provider, identity.email], ['acme', ada.email]);
  const path = `/auth/identities/${identity.id}`;
  assert.equal((await other.request('DELETE', path)).status, 404);
  const only = await browser.request('DELETE', path);
  assert.deepEqual([only.status, only.body.code], [409, 'last_way_to_sign_in']);
  github.signIn(`linked-${last}`);
  const hub = '/auth/providers/github/start?link=true';
  assert.equal(await openVisitor(harness, browser.cookie).go(hub), '/account');
  assert.equal((await browser.request('DELETE', path)).status, 204);
  assert.equal(await openVisitor(harness).go(START), '/', 'a new account of their own');
  assert.equal((await openBrowser(harness).request('GET', '/auth/identities')).status, 401);
});
