import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../../db/sql.ts';
import { signedIn } from '../../../testing/clients/browser.ts';
import { CROSS, openVisitor, pageOf } from '../../../testing/clients/visits.ts';
import { environmentOf, startGithub } from '../../../testing/fixtures/code/github.ts';
import type { User } from '../../../testing/fixtures/tenants.ts';
import { startHarness } from '../../../testing/harness/harness.ts';

const PUBLIC_URL = 'http://guildhall.localhost:8080';
const CALLBACK = '/auth/github/callback';
const github = await startGithub();
github.setUp({ setupUrl: `${PUBLIC_URL}${CALLBACK}`, callbackUrls: [`${PUBLIC_URL}${CALLBACK}`] });
const harness = await startHarness({
  github,
  env: {
    PUBLIC_URL,
    ...environmentOf(github),
    GITHUB_OAUTH_CLIENT_ID: github.state.people.clientId,
    GITHUB_OAUTH_CLIENT_SECRET: github.state.people.clientSecret,
  },
});
const { db, fixtures, request, unchanged } = harness;
const START = '/auth/github/install';

let last = 0;
const newLogin = () => `person-${++last}`;
const visitorOf = async (user: User) =>
  openVisitor(harness, (await signedIn(harness, user)).cookie);
type Visitor = Awaited<ReturnType<typeof visitorOf>>;

/** Installs the App, and returns to where GitHub sends the browser. `forge`: changes that. */
async function connect(
  visitor: Visitor,
  { path = START, forge = (url: URL) => url } = {},
): Promise<string> {
  const installed = forge(await visitor.leave(path));
  const back = await visitor.leave(installed.pathname + installed.search);
  return pageOf(await visitor.visit(back.pathname + back.search, CROSS));
}
const connections = (id: string) =>
  db.many<{ installation_id: string }>(sql`
    select installation_id::text from github_connection
     where organization_id = ${id} or user_id = ${id}`);

test('303: a person installs the App, and what GitHub shows them is connected, once', async () => {
  const user = await fixtures.user();
  const visitor = await visitorOf(user);
  const login = newLogin();
  github.signIn(login);
  await github.addRepository(`${login}/shop`);
  assert.equal(await connect(visitor), '/account?github=connected');
  const { body } = await request('GET', '/api/github/installations', { key: user.key });
  assert.deepEqual(
    body.map(({ account }: { account: object }) => account),
    [{ login, type: 'User' }],
  );
  const trail = await db.many(sql`
    select action, session_id is not null as browser, after ->> 'user_id' as user_id
      from audit_event where actor_user_id = ${user.id}`);
  assert.deepEqual(trail, [{ action: 'github.connect', browser: true, user_id: user.id }]);
  const [{ id }] = body;
  const forge = (url: URL) => {
    url.searchParams.set('installation_id', id);
    return url;
  };
  assert.equal(await connect(visitor, { forge }), '/account?github=connected');
  assert.equal((await connections(user.id)).length, 1);
});

test('303: owners and admins connect an organization to their workspace; others do not', async () => {
  const [owner, admin, member] = [
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
  ];
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, admin, 'admin');
  await fixtures.member(workspace, member);
  const path = `${START}?organization_id=${workspace}&return_to=/x`;
  for (const user of [owner, admin]) {
    github.signIn(newLogin());
    assert.equal(await connect(await visitorOf(user), { path }), '/x?github=connected');
  }
  assert.equal((await connections(workspace)).length, 2);
  for (const user of [member, await fixtures.user()]) {
    const visitor = await visitorOf(user);
    const reply = await unchanged(() => visitor.visit(path));
    assert.equal(pageOf(reply), '/x?error=forbidden');
  }
  const visitor = await visitorOf(admin);
  github.signIn(newLogin());
  const installed = await visitor.leave(path);
  const back = await visitor.leave(installed.pathname + installed.search);
  await fixtures.removeMember(workspace, admin.id);
  assert.equal(
    pageOf(await visitor.visit(back.pathname + back.search, CROSS)),
    '/x?error=forbidden',
  );
  assert.equal((await connections(workspace)).length, 2);
});

test('a forged installation is not connected: one of strangers, an unknown one, and one seen in part', async () => {
  const strangers = github.install(newLogin());
  const part = newLogin();
  const readable = await github.addRepository(`${part}/open`);
  await github.addRepository(`${part}/secret`);
  const seenInPart = github.install(part);
  const user = await fixtures.user();
  github.signIn(newLogin(), { reads: new Set([readable.id]) });
  for (const id of [strangers.id, 999_999_999, seenInPart.id]) {
    const forge = (url: URL) => {
      url.searchParams.set('installation_id', String(id));
      return url;
    };
    const page = await connect(await visitorOf(user), { forge });
    assert.equal(page, '/account?error=installation_not_yours');
  }
  assert.equal((await connections(user.id)).length, 0);
});

test('another browser, another session, a forged state and a replay connect nothing', async () => {
  const user = await fixtures.user();
  const expired = '/account?error=attempt_expired';
  const visitor = await visitorOf(user);
  github.signIn(newLogin());
  const installed = await visitor.leave(START);
  const other = await visitorOf(await fixtures.user());
  const come = async (who: Visitor, url: URL) =>
    pageOf(await who.visit(url.pathname + url.search, CROSS));
  assert.equal(await come(other, installed), expired);
  const forged = new URL(installed);
  forged.searchParams.set('state', 'x'.repeat(43));
  assert.equal(await come(visitor, forged), expired);
  const back = await visitor.leave(installed.pathname + installed.search);
  assert.equal(await come(other, back), expired);
  const attempt = visitor.cookies.get('guildhall-attempt') as string;
  other.cookies.set('guildhall-attempt', attempt);
  assert.equal(await come(other, back), '/account?error=session_required');
  assert.equal(await come(visitor, back), expired, 'the attempt was spent');
  assert.equal((await connections(user.id)).length, 0);
});

test('what GitHub says instead has a code: a request to an owner, and a person who says no', async () => {
  const visitor = await visitorOf(await fixtures.user());
  github.signIn(newLogin());
  const installed = await visitor.leave(START);
  const asked = new URL(installed);
  asked.searchParams.delete('installation_id');
  asked.searchParams.set('setup_action', 'request');
  const page = pageOf(await visitor.visit(asked.pathname + asked.search, CROSS));
  assert.equal(page, '/account?error=installation_requested');
  github.deny();
  assert.equal(await connect(visitor), '/account?error=provider_denied');
  const cross = await visitor.visit(START, CROSS);
  assert.equal(pageOf(cross), '/account?error=cross_site_request');
  const signedOut = await openVisitor(harness).visit(START);
  assert.equal(pageOf(signedOut), '/account?error=session_required');
});

test('without the settings of GitHub, the link says so', async () => {
  const bare = await startHarness();
  const page = pageOf(await openVisitor(bare).visit(START));
  assert.equal(page, '/account?error=github_not_configured');
});
