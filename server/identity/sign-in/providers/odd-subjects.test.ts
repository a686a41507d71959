import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../../db/sql.ts';
import { openVisitor } from '../../../testing/clients/visits.ts';
import { startProvider } from '../../../testing/fixtures/identity/openid.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { storable } from './provider.ts';

// What a provider may say of a person that no row can hold.

const PUBLIC_URL = 'http://guildhall.localhost:8080';
const acme = await startProvider([`${PUBLIC_URL}/auth/providers/acme/callback`]);
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
  },
});

const rows = () =>
  harness.db.many(sql`
    select (select count(*) from app_user) as users, (select count(*) from session) as sessions,
           (select json_agg(i order by id) from identity i) as identities`);

/** Where the browser lands. */
async function signIn(claims: { sub: string; email?: string; name?: string }): Promise<string> {
  acme.signIn({ email: 'ada@example.com', email_verified: true, name: 'Ada', ...claims });
  return openVisitor(harness).go('/auth/providers/acme/start');
}

test('303: a person of whom something cannot be stored is a fault of the provider; nothing is written', async () => {
  assert.equal(await signIn({ sub: 'known' }), '/');
  const before = await rows();
  for (const claims of [
    { sub: 'x'.repeat(501) },
    { sub: 'a\0b' },
    { sub: 'new', email: 'a\0b@example.com' },
    { sub: 'known', email: 'a\0b@example.com' },
    { sub: 'known', email: `${'x'.repeat(320)}@example.com` },
  ])
    assert.match(await signIn(claims), /error=provider_answer_invalid/, JSON.stringify(claims));
  assert.deepEqual(await rows(), before);
  assert.ok(!harness.log.some((line) => line.includes('"level":50')));
});

test('303: an answer that is longer than any provider’s is not read to its end', async () => {
  const before = await rows();
  const claims = { sub: 'long', email: 'long@example.com', name: 'x'.repeat(256 * 1024) };
  assert.match(await signIn(claims), /error=provider_answer_invalid/);
  assert.deepEqual(await rows(), before);
  assert.equal(await signIn({ ...claims, name: 'x'.repeat(100 * 1024) }), '/');
});

test('a subject that is empty or no text is refused', () => {
  const person = { email: undefined, emailVerified: false, name: undefined };
  assert.equal(storable({ ...person, subject: 'x'.repeat(500) }).subject.length, 500);
  for (const subject of ['', 'a\ud800', 'a\0', 'x'.repeat(501)])
    assert.throws(() => storable({ ...person, subject }), { message: 'provider_answer_invalid' });
});
