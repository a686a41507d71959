import assert from 'node:assert/strict';
import { createPasskey, type Faults, type Passkey } from './authenticator.ts';
import type { Browser } from './browser.ts';

/** An address at which browsers offer passkeys. */
export const PASSKEY_URL = 'http://guildhall.localhost:8080';

/** Adds a passkey for the person of a session that has just been proven. */
export async function addPasskey(
  browser: Browser,
  how: Faults & { counting?: boolean } = {},
): Promise<Passkey & { passkeyId: string }> {
  const options = await browser.request('POST', '/auth/passkeys/options');
  assert.equal(options.status, 200, options.text);
  const { passkey, credential } = createPasskey(options.body, { origin: PASSKEY_URL, ...how });
  const body = { name: 'Laptop', credential };
  const made = await browser.request('POST', '/auth/passkeys', { body });
  assert.equal(made.status, 201, made.text);
  return { ...passkey, passkeyId: made.body.id };
}

/** The three occasions to show a passkey, by their paths. */
type Occasion = '/auth/sign-in/passkey' | '/auth/second-factor/passkey' | '/auth/proof/passkey';

/** What the browser would send there now, for a new challenge. */
export async function answerOf(
  browser: Browser,
  occasion: Occasion,
  passkey: Passkey,
  faults?: Faults,
) {
  const options = await browser.request('POST', `${occasion}/options`);
  assert.equal(options.status, 200, options.text);
  return { credential: passkey.assert(options.body, faults) };
}

/** Shows a passkey. */
export async function show(
  browser: Browser,
  occasion: Occasion,
  passkey: Passkey,
  faults?: Faults,
) {
  const body = await answerOf(browser, occasion, passkey, faults);
  return browser.request('POST', occasion, { body });
}
