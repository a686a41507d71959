import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signedIn } from '../../../testing/clients/browser.ts';
import { openVisitor } from '../../../testing/clients/visits.ts';
import { startProvider } from '../../../testing/fixtures/identity/openid.ts';
import { startHarness } from '../../../testing/harness/harness.ts';

const PUBLIC_URL = 'http://guildhall.localhost:8080';
const acme = await startProvider([`${PUBLIC_URL}/auth/providers/acme/callback`]);
const client = { client_id: acme.clientId, client_secret: acme.clientSecret };
const harness = await startHarness({
  env: {
    PUBLIC_URL,
    SIGN_UP: 'open',
    RATE_LIMIT_SIGN_IN_PER_MINUTE: '1000',
    OIDC_PROVIDERS: JSON.stringify([{ id: 'acme', name: 'Acme', issuer: acme.issuer, ...client }]),
  },
});

/** What browsers could take for an address of another server, or for a script. */
const ELSEWHERE = [
  'https://evil.example',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/.//evil.example',
  '/a/..//evil.example',
  'javascript:alert(1)',
  'evil.example',
  'http:evil.example',
  '/%2e//evil.example',
  '@evil.example',
  '.evil.example',
];

test('422: control characters, which browsers leave out of addresses', async () => {
  for (const to of ['/\t/evil.example', '/\n/evil.example', '\u0000//evil.example']) {
    const path = `/auth/providers/acme/start?return_to=${encodeURIComponent(to)}`;
    const reply = await openVisitor(harness).visit(path);
    assert.deepEqual([reply.status, reply.headers.get('location')], [422, null]);
  }
});

/** Fails unless a browser that follows the answer stays on this server. */
function staysHere(location: string | null, what: string): URL {
  const url = new URL(location ?? '', PUBLIC_URL);
  assert.equal(url.origin, PUBLIC_URL, `${what}: ${location}`);
  return url;
}

test('303: signing in with a provider ends on a page of this server, whatever return_to says', async () => {
  for (const [at, to] of ELSEWHERE.entries()) {
    const sub = `person-${at}`;
    acme.signIn({ sub, email: `${sub}@example.com`, email_verified: true, name: 'Ada' });
    const start = `/auth/providers/acme/start?return_to=${encodeURIComponent(to)}`;
    assert.equal(await openVisitor(harness).go(start), '/', to);
  }
});

test('303: a refusal does not pass it on', async () => {
  for (const to of ELSEWHERE) {
    const query = `return_to=${encodeURIComponent(to)}`;
    for (const path of [
      `/auth/providers/none/start?${query}`,
      `/auth/providers/acme/start?link=true&${query}`,
      `/auth/providers/acme/callback?state=x&${query}`,
      `/auth/github/install?${query}`,
      `/auth/github/callback?state=x&${query}`,
    ]) {
      const reply = await openVisitor(harness).visit(path);
      const location = reply.headers.get('location');
      if (reply.status === 401) continue;
      assert.equal(reply.status, 303, `${path}: ${reply.text}`);
      const url = staysHere(location, path);
      assert.ok(!url.href.includes('evil') && !url.href.includes('script'), `${path}: ${location}`);
    }
  }
});

test('303: with a session, linking and connecting stay here too', async () => {
  const { cookie } = await signedIn(harness, await harness.fixtures.user());
  for (const to of ELSEWHERE) {
    acme.deny();
    const query = `return_to=${encodeURIComponent(to)}`;
    const visitor = openVisitor(harness, cookie);
    const page = await visitor.go(`/auth/providers/acme/start?link=true&${query}`);
    assert.equal(page, '/account?error=provider_denied', to);
    const installing = await visitor.visit(`/auth/github/install?${query}`);
    const url = staysHere(installing.headers.get('location'), to);
    assert.equal(url.pathname + url.search, '/account?error=github_not_configured', to);
  }
});

test('303: where the provider sends people back to is PUBLIC_URL, whatever host was asked', async () => {
  const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
  const reply = await openVisitor(harness).visit('/auth/providers/acme/start', headers);
  const there = new URL(reply.headers.get('location') ?? '');
  assert.equal(there.origin, acme.issuer);
  const back = there.searchParams.get('redirect_uri');
  assert.equal(back, `${PUBLIC_URL}/auth/providers/acme/callback`);
});
