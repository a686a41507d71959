import Type from 'typebox';
import type { RelyingParty } from './relying-party.ts';

/** How long a challenge can be answered, in minutes. */
export const CHALLENGE_MINUTES = 5;

/** EdDSA, ES256 and RS256, in this order (COSE): every authenticator has one of them. */
export const ALGORITHMS = [-8, -7, -257];

/** A passkey, as a browser has to know it. */
export interface Known {
  /** In base64url. */
  id: string;
  transports: string[];
}

const known = Type.Array(
  Type.Object({
    id: Type.String(),
    type: Type.Literal('public-key'),
    transports: Type.Array(Type.String()),
  }),
);

/** What `PublicKeyCredential.parseCreationOptionsFromJSON` takes in a browser. */
export const creationOptions = Type.Object({
  rp: Type.Object({ id: Type.String(), name: Type.String() }),
  user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
  challenge: Type.String(),
  pubKeyCredParams: Type.Array(
    Type.Object({ type: Type.Literal('public-key'), alg: Type.Integer() }),
  ),
  timeout: Type.Integer(),
  excludeCredentials: known,
  authenticatorSelection: Type.Object({
    residentKey: Type.String(),
    requireResidentKey: Type.Boolean(),
    userVerification: Type.String(),
  }),
  attestation: Type.String(),
});

/** What `PublicKeyCredential.parseRequestOptionsFromJSON` takes in a browser. */
export const requestOptions = Type.Object({
  rpId: Type.String(),
  challenge: Type.String(),
  timeout: Type.Integer(),
  allowCredentials: known,
  userVerification: Type.String(),
});

const shown = (all: readonly Known[]) =>
  all.map(({ id, transports }) => ({ id, type: 'public-key' as const, transports }));

/**
 * To register a passkey: one that the browser finds without a name of its user, and that verifies
 * its user, so that it is both factors. Browsers leave out which device made it.
 */
export const toRegister = (
  { id }: RelyingParty,
  user: { id: string; email: string; name: string | null },
  { challenge, passkeys }: { challenge: string; passkeys: readonly Known[] },
) => ({
  rp: { id, name: 'Guildhall' },
  user: { id: userHandle(user.id), name: user.email, displayName: user.name ?? user.email },
  challenge,
  pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
  timeout: CHALLENGE_MINUTES * 60_000,
  excludeCredentials: shown(passkeys),
  authenticatorSelection: {
    residentKey: 'required',
    requireResidentKey: true,
    userVerification: 'required',
  },
  attestation: 'none',
});

/** To be answered with one of these passkeys, or with any if there are none. */
export const toAssert = (
  { id }: RelyingParty,
  { challenge, passkeys = [] }: { challenge: string; passkeys?: readonly Known[] },
) => ({
  rpId: id,
  challenge,
  timeout: CHALLENGE_MINUTES * 60_000,
  allowCredentials: shown(passkeys),
  userVerification: 'required',
});

/** How passkeys name a user: the 16 bytes of their id, in base64url. */
export const userHandle = (userId: string): string =>
  Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url');
