import { GuildhallError } from '@guildhall/client';
import { auth } from './api.ts';

/** The browser's side of passkeys. Its library is loaded when a passkey is used. */
const library = () => import('@simplewebauthn/browser');

/** Whether this browser has passkeys on this page at all: over plain HTTP none has. */
export const browserHasPasskeys = (): boolean => 'PublicKeyCredential' in window;

/** Signs in with a passkey that the browser offers. */
export async function signInWithPasskey(): Promise<void> {
  const credential = await authentication(await auth.post('/auth/sign-in/passkey/options'));
  await auth.post('/auth/sign-in/passkey', { body: { credential } });
}

/** A passkey as the second factor of a sign-in. */
export async function secondFactorPasskey(): Promise<void> {
  const credential = await authentication(await auth.post('/auth/second-factor/passkey/options'));
  await auth.post('/auth/second-factor/passkey', { body: { credential } });
}

/** A passkey as the proof for an act that needs one. */
export async function provePasskey(): Promise<void> {
  const credential = await authentication(await auth.post('/auth/proof/passkey/options'));
  await auth.post('/auth/proof/passkey', { body: { credential } });
}

/** Makes a passkey in this browser, and adds it to the account. */
export async function addPasskey(name: string): Promise<void> {
  const options = await auth.post('/auth/passkeys/options');
  const { startRegistration } = await library();
  const credential = await startRegistration({ optionsJSON: options as never }).catch(unused);
  await auth.post('/auth/passkeys', { body: { name, credential: credential as never } });
}

async function authentication(options: unknown): Promise<never> {
  const { startAuthentication } = await library();
  return startAuthentication({ optionsJSON: options as never }).catch(unused) as Promise<never>;
}

/** Browsers do not say why they gave no passkey, so that a page cannot learn which ones exist. */
function unused(cause: unknown): never {
  const known = cause instanceof Error && cause.name === 'InvalidStateError';
  throw new GuildhallError({
    status: 0,
    code: known ? 'passkey_known' : 'passkey_unused',
    detail: known
      ? 'This device already has a passkey of your account'
      : 'The browser gave no passkey. Try again, or choose another way',
    method: 'GET',
    path: 'passkey',
    cause,
  });
}
