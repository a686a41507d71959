import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { startProvider } from '../../../testing/fixtures/identity/openid.ts';
import { walk } from '../../../testing/harness/walk.ts';
import { oidcProvider } from './oidc.ts';
import { ProviderError, type Secrets } from './provider.ts';

const CALLBACK = new URL('http://guildhall.localhost:8080/auth/providers/acme/callback');
const real = await startProvider([CALLBACK.href]);
const settings = {
  id: 'acme',
  name: 'Acme',
  issuer: real.issuer,
  clientId: real.clientId,
  clientSecret: real.clientSecret,
};
const acme = oidcProvider(settings);

const secrets = (): Secrets => ({
  state: crypto.randomUUID(),
  nonce: crypto.randomUUID(),
  verifier: crypto.randomUUID() + crypto.randomUUID(),
});

const failure = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error) => {
      assert.ok(error instanceof ProviderError, String(error));
      return error.code;
    },
  );

test('the provider says who came back, with an address that it has verified', async () => {
  const mine = secrets();
  real.signIn({ sub: 'u1', email: 'ada@example.com', email_verified: true, name: 'Ada' });
  const there = await acme.begin(CALLBACK, mine);
  assert.equal(there.searchParams.get('code_challenge_method'), 'S256');
  assert.ok(!there.href.includes(mine.verifier));
  const back = await walk(there);
  assert.deepEqual(await acme.finish(back, mine), {
    subject: 'u1',
    email: 'ada@example.com',
    emailVerified: true,
    name: 'Ada',
  });
  assert.equal(await failure(acme.finish(back, mine)), 'provider_answer_invalid', 'a used code');
});

test('an address that is not verified, or of which that is not said, is none', async () => {
  for (const claims of [{ email_verified: false }, {}, { email_verified: 'true' as never }]) {
    const mine = secrets();
    real.signIn({ sub: 'u2', email: 'eve@example.com', ...claims });
    const person = await acme.finish(await walk(await acme.begin(CALLBACK, mine)), mine);
    assert.equal(person.emailVerified, false);
  }
});

test('another state, nonce or verifier, another issuer, and a missing code are refused', async () => {
  real.signIn({ sub: 'u3' });
  for (const forged of ['state', 'nonce', 'verifier'] as const) {
    const mine = secrets();
    const back = await walk(await acme.begin(CALLBACK, mine));
    const theirs = { ...mine, [forged]: secrets()[forged] };
    assert.equal(await failure(acme.finish(back, theirs)), 'provider_answer_invalid', forged);
  }
  const mine = secrets();
  const mixed = await walk(await acme.begin(CALLBACK, mine));
  mixed.searchParams.set('iss', 'https://other.example');
  assert.equal(await failure(acme.finish(mixed, mine)), 'provider_answer_invalid', 'mix-up');
  const empty = new URL(`${CALLBACK}?state=${mine.state}&iss=${real.issuer}`);
  assert.equal(await failure(acme.finish(empty, mine)), 'provider_answer_invalid');
});

test('whoever says no at the provider is not signed in', async () => {
  const mine = secrets();
  real.signIn({ sub: 'u4' });
  real.deny();
  const back = await walk(await acme.begin(CALLBACK, mine));
  assert.equal(await failure(acme.finish(back, mine)), 'provider_denied');
});

test('a wrong secret is a fault of the settings', async () => {
  const wrong = oidcProvider({ ...settings, clientSecret: 'another secret of the client' });
  const mine = secrets();
  const back = await walk(await wrong.begin(CALLBACK, mine));
  assert.equal(await failure(wrong.finish(back, mine)), 'provider_misconfigured');
});

test('a provider that is down, or is none, is unavailable, and found again afterwards', async () => {
  let broken = true;
  const proxy = createServer(async (request, response) => {
    if (broken) return response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>no</h1>');
    const answer = await fetch(`${real.issuer}${request.url}`);
    const text = (await answer.text()).replaceAll(real.issuer, issuer);
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  after(() => proxy.close());
  const issuer = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const flaky = oidcProvider({ ...settings, issuer });
  assert.equal(await failure(flaky.begin(CALLBACK, secrets())), 'provider_unavailable');
  broken = false;
  assert.equal((await flaky.begin(CALLBACK, secrets())).origin, issuer);
  const closed = oidcProvider({ ...settings, issuer: 'http://127.0.0.1:9' });
  assert.equal(await failure(closed.begin(CALLBACK, secrets())), 'provider_unavailable');
});
