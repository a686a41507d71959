import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createPasskey, type Faults } from '../../../testing/fixtures/identity/authenticator.ts';
import { toAssert, toRegister, userHandle } from './options.ts';
import { type RelyingParty, relyingParty } from './relying-party.ts';
import { challengeOf, verifyAsserted, verifyNew } from './webauthn.ts';

const party = relyingParty('https://guildhall.example.com') as RelyingParty;
const { origin } = party;
const user = { id: randomUUID(), email: 'a@example.com', name: null };
const newChallenge = () => randomBytes(32).toString('base64url');

const register = async (how: Faults & { algorithm?: -7 | -8 | -257 | -35; counting?: boolean }) => {
  const challenge = newChallenge();
  const options = toRegister(party, user, { challenge, passkeys: [] });
  const { passkey, credential } = createPasskey(options, { origin, ...how });
  return { passkey, stored: await verifyNew(party, credential as never, challenge) };
};

test('a passkey of each algorithm is registered and signs', async () => {
  for (const algorithm of [-7, -8, -257] as const) {
    const { passkey, stored } = await register({ algorithm });
    assert.ok(stored);
    assert.deepEqual(
      [stored.credentialId.toString('base64url'), stored.counter, stored.backedUp],
      [passkey.id, 1, true],
    );
    assert.deepEqual(stored.transports, ['internal', 'hybrid']);
    const challenge = newChallenge();
    const asserted = passkey.assert(toAssert(party, { challenge }));
    assert.equal(await challengeOf(asserted), challenge);
    assert.equal(asserted.response.userHandle, userHandle(user.id));
    const known = { challenge, passkey: stored };
    assert.deepEqual(await verifyAsserted(party, asserted, known), { counter: 2, backedUp: true });
  }
});

test('a registration with anything wrong is refused', async () => {
  const wrong: (Faults & { algorithm?: -35 })[] = [
    { challenge: newChallenge() },
    { rpId: 'example.com' },
    { type: 'webauthn.get' },
    { crossOrigin: true },
    { unverified: true },
    { absent: true },
    { algorithm: -35 },
    { format: 'packed', statement: { alg: -7, sig: Buffer.alloc(70), x5c: [Buffer.alloc(9)] } },
    { format: 'packed', statement: { alg: -7, sig: Buffer.alloc(70) } },
    { format: 'fido-u2f', statement: { sig: Buffer.alloc(70), x5c: [Buffer.alloc(9)] } },
    { format: 'apple', statement: { x5c: [Buffer.alloc(9)] } },
  ];
  for (const faults of wrong)
    assert.equal((await register(faults)).stored, undefined, JSON.stringify(faults));
  for (const elsewhere of ['https://evil.example', 'http://guildhall.example.com']) {
    const challenge = newChallenge();
    const options = toRegister(party, user, { challenge, passkeys: [] });
    const { credential } = createPasskey(options, { origin: elsewhere });
    assert.equal(await verifyNew(party, credential as never, challenge), undefined);
  }
});

test('an assertion with anything wrong is refused, a counter that does not rise among it', async () => {
  const { passkey, stored } = await register({});
  const other = await register({});
  assert.ok(stored && other.stored);
  const wrong: Faults[] = [
    { challenge: newChallenge() },
    { origin: 'https://evil.example' },
    { origin: 'https://sub.guildhall.example.com' },
    { rpId: 'example.com' },
    { type: 'webauthn.create' },
    { crossOrigin: true },
    { unverified: true },
    { absent: true },
    { forged: true },
    { counter: 1 },
    { counter: 0 },
  ];
  const challenge = newChallenge();
  const options = toAssert(party, { challenge });
  for (const faults of wrong) {
    const asserted = passkey.assert(options, faults);
    const found = await verifyAsserted(party, asserted, { challenge, passkey: stored });
    assert.equal(found, undefined, JSON.stringify(faults));
  }
  const stolen = passkey.assert(options);
  const known = { challenge, passkey: other.stored };
  assert.equal(await verifyAsserted(party, stolen, known), undefined, 'the key of another passkey');
});

test('a device that does not count is accepted each time', async () => {
  const { passkey, stored } = await register({ counting: false });
  assert.ok(stored);
  for (let i = 0; i < 2; i++) {
    const challenge = newChallenge();
    const asserted = passkey.assert(toAssert(party, { challenge }));
    const found = await verifyAsserted(party, asserted, { challenge, passkey: stored });
    assert.equal(found?.counter, 0);
  }
});

test('what is no client data has no challenge', async () => {
  const clientData = (value: unknown) => ({
    response: { clientDataJSON: Buffer.from(JSON.stringify(value)).toString('base64url') },
  });
  assert.equal(await challengeOf(clientData({ challenge: 'x' })), undefined);
  assert.equal(await challengeOf(clientData({ challenge: 7 })), undefined);
  assert.equal(await challengeOf(clientData(null)), undefined);
  assert.equal(await challengeOf({ response: { clientDataJSON: 'e' } }), undefined);
});

test('passkeys are for domains over HTTPS, and for localhost', () => {
  const id = (url: string) => relyingParty(url)?.id;
  assert.equal(id('https://guildhall.example.com:8443/'), 'guildhall.example.com');
  assert.equal(id('http://localhost:8080'), 'localhost');
  assert.equal(id('http://guildhall.localhost:8080'), 'guildhall.localhost');
  for (const url of [
    'http://127.0.0.1:8080',
    'https://192.168.1.7',
    'https://[::1]:8443',
    'http://guildhall.example.com',
    'https://2130706433',
  ])
    assert.equal(id(url), undefined, url);
});
