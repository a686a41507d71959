import type { AssertedCredential, NewCredential } from './credential.ts';
import { ALGORITHMS } from './options.ts';
import type { RelyingParty } from './relying-party.ts';

/** Loaded with the first passkey: its readers of certificates take a tenth of a start. */
const library = () => import('@simplewebauthn/server');
const helpers = () => import('@simplewebauthn/server/helpers');

/** What is kept of a new passkey. */
export interface NewPasskey {
  credentialId: Buffer;
  /** In COSE. */
  publicKey: Buffer;
  counter: number;
  transports: string[];
  backedUp: boolean;
}

/** What is known of a passkey that signs. */
export interface StoredPasskey {
  credentialId: Buffer;
  publicKey: Buffer;
  counter: number;
}

/** The challenge that a browser has answered, in base64url; undefined for what is none. */
export async function challengeOf({
  response,
}: {
  response: { clientDataJSON: string };
}): Promise<string | undefined> {
  const { decodeClientDataJSON } = await helpers();
  try {
    const { challenge } = decodeClientDataJSON(response.clientDataJSON);
    return typeof challenge === 'string' && /^[\w-]{43}$/.test(challenge) ? challenge : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The passkey that a browser has made for this challenge. Undefined if it is not valid in any
 * respect: origin, relying party, user verification, algorithm, or a statement of its maker that
 * was not asked for. Certificates in such a statement could name addresses, from which the library
 * would load lists of revoked ones.
 */
export async function verifyNew(
  { id, origin }: RelyingParty,
  credential: NewCredential,
  challenge: string,
): Promise<NewPasskey | undefined> {
  const { verifyRegistrationResponse } = await library();
  try {
    const { response } = credential;
    if ((await isFramed(response)) || (await isCertified(response.attestationObject)))
      return undefined;
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...credential, clientExtensionResults: {} } as never,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) return undefined;
    const { credential: made, credentialBackedUp } = registrationInfo;
    if (made.id !== credential.id) return undefined;
    return {
      credentialId: Buffer.from(made.id, 'base64url'),
      publicKey: Buffer.from(made.publicKey),
      counter: made.counter,
      transports: [...new Set(response.transports ?? [])],
      backedUp: credentialBackedUp,
    };
  } catch {
    return undefined;
  }
}

/**
 * The counter and the state of a passkey that has signed this challenge. Undefined if it has not,
 * if its user was not verified, or if its counter did not rise: then there may be a copy of it.
 */
export async function verifyAsserted(
  { id, origin }: RelyingParty,
  credential: AssertedCredential,
  { challenge, passkey }: { challenge: string; passkey: StoredPasskey },
): Promise<{ counter: number; backedUp: boolean } | undefined> {
  const { verifyAuthenticationResponse } = await library();
  try {
    if (await isFramed(credential.response)) return undefined;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...credential, clientExtensionResults: {} } as never,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId.toString('base64url'),
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.counter,
      },
    });
    const { newCounter, credentialBackedUp } = authenticationInfo;
    return verified ? { counter: newCounter, backedUp: credentialBackedUp } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the page that asked was shown in a frame of another site. */
async function isFramed({ clientDataJSON }: { clientDataJSON: string }): Promise<boolean> {
  const { decodeClientDataJSON } = await helpers();
  return decodeClientDataJSON(clientDataJSON).crossOrigin === true;
}

/** Whether the maker of the device vouches for it. */
async function isCertified(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await helpers();
  const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
  const isSelf = decoded.get('fmt') === 'packed' && decoded.get('attStmt').get('x5c') === undefined;
  return decoded.get('fmt') !== 'none' && !isSelf;
}
