import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { signedIn } from '../../testing/clients/browser.ts';
import { openVisitor } from '../../testing/clients/visits.ts';
import { startProvider } from '../../testing/fixtures/identity/openid.ts';
import { addPasskey, PASSKEY_URL, show } from '../../testing/fixtures/identity/passkeys.ts';
import { givePassword, PASSWORD } from '../../testing/fixtures/identity/passwords.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { ProviderError, reasonOf } from './providers/provider.ts';

const acme = await startProvider([`${PASSKEY_URL}/auth/providers/acme/callback`]);
const TOKEN = 'gho_a-token-that-no-log-may-have';
/** Answers every question with a token where none belongs. */
const strange = createServer((_request, reply) => reply.end(`access_token=${TOKEN}`));
await new Promise<void>((done) => strange.listen(0, '127.0.0.1', done));
after(() => strange.close());
const elsewhere = `http://127.0.0.1:${(strange.address() as AddressInfo).port}`;

const client = { client_id: acme.clientId, client_secret: acme.clientSecret };
const harness = await startHarness({
  env: {
    PUBLIC_URL: PASSKEY_URL,
    OIDC_PROVIDERS: JSON.stringify([
      { id: 'acme', name: 'Acme', issuer: acme.issuer, ...client },
      { id: 'strange', name: 'Strange', issuer: elsewhere, ...client },
    ]),
  },
});
const { fixtures, log, metrics } = harness;

/** How often that was counted. */
async function counted(by: string, outcome: string): Promise<number> {
  const line = new RegExp(
    `^guildhall_sign_ins_total\\{by="${by}",outcome="${outcome}"\\} (\\d+)`,
    'm',
  );
  return Number(line.exec(await metrics.metrics())?.[1] ?? 0);
}

test('sign-ins and proofs with passkeys are counted, refused ones too', async () => {
  const browser = await signedIn(harness, await fixtures.user());
  const passkey = await addPasskey(browser);
  const forged = { forged: true };
  assert.equal((await show(browser, '/auth/proof/passkey', passkey)).status, 200);
  assert.equal((await show(browser, '/auth/proof/passkey', passkey, forged)).status, 403);
  assert.equal((await show(browser, '/auth/sign-in/passkey', passkey, forged)).status, 401);
  assert.equal((await show(browser, '/auth/sign-in/passkey', passkey)).status, 200);
  for (const by of ['proof', 'passkey'])
    assert.deepEqual([await counted(by, 'done'), await counted(by, 'refused')], [1, 1], by);
});

test('proofs with a password are counted, refused ones too', async () => {
  const user = await fixtures.user();
  await givePassword(harness, user);
  const browser = await signedIn(harness, user);
  const before = [await counted('proof', 'done'), await counted('proof', 'refused')];
  for (const [password, status] of [['wrong', 403] as const, [PASSWORD, 200] as const]) {
    const reply = await browser.request('POST', '/auth/proof', { body: { password } });
    assert.equal(reply.status, status);
  }
  const now = [await counted('proof', 'done'), await counted('proof', 'refused')];
  assert.deepEqual(
    now,
    before.map((count) => count + 1),
  );
});

test('a provider’s refusals, and failures with their cause, which quotes no answer', async () => {
  acme.signIn({ sub: 'stranger', email: 'stranger@example.com', email_verified: true });
  const START = '/auth/providers/acme/start';
  assert.equal(await openVisitor(harness).go(START), '/sign-in?error=sign_up_closed');
  acme.deny();
  assert.equal(await openVisitor(harness).go(START), '/sign-in?error=provider_denied');
  assert.equal(await counted('oidc', 'refused'), 2);

  const reply = await openVisitor(harness).visit('/auth/providers/strange/start');
  assert.equal(reply.headers.get('location'), '/sign-in?error=provider_unavailable');
  assert.equal(await counted('oidc', 'failed'), 1);
  const lines = log.filter((line) => line.includes('a provider did not answer as it should'));
  assert.equal(lines.length, 1);
  const { provider, code, reason } = JSON.parse(lines[0] as string);
  assert.deepEqual([provider, code], ['strange', 'provider_unavailable']);
  assert.match(reason, /^ClientError OAUTH_/);
  for (const secret of [TOKEN, acme.clientSecret])
    assert.ok(!log.some((line) => line.includes(secret)));
});

test('the cause of a failure is its kinds and codes alone, without what may quote an answer', () => {
  const parsing = new SyntaxError(`Unexpected token, "${TOKEN}" is not valid JSON`);
  const failed = Object.assign(new Error(TOKEN, { cause: parsing }), { code: 'OAUTH_PARSE_ERROR' });
  const reason = reasonOf(new ProviderError('provider_unavailable', failed));
  assert.equal(reason, 'Error OAUTH_PARSE_ERROR: SyntaxError');
  const answered = Object.assign(new Error('x'), {
    error: `${'a'.repeat(300)}\n`,
    cause: { TOKEN },
  });
  assert.equal(reasonOf(new ProviderError('provider_unavailable', answered)).length, 100);
  assert.equal(reasonOf(new ProviderError('provider_unavailable', 'no token')), 'no token');
});
