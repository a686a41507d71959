import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { cbor } from './cbor.ts';

type Algorithm = -7 | -8 | -257 | -35;

/** What differs from an honest authenticator in an honest browser. */
export interface Faults {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  crossOrigin?: boolean;
  unverified?: boolean;
  absent?: boolean;
  counter?: number;
  userHandle?: string;
  /** Another key signs. */
  forged?: boolean;
  format?: string;
  statement?: Record<string, unknown>;
}

interface Creation {
  rp: { id: string };
  user: { id: string };
  challenge: string;
}

interface Request {
  rpId: string;
  challenge: string;
}

/** A passkey on a device of one's own, with the browser around it. */
export interface Passkey {
  /** In base64url. */
  id: string;
  /** What the browser sends to answer the options. */
  assert(options: Request, faults?: Faults): AssertedJson;
}

interface AssertedJson {
  id: string;
  rawId: string;
  type: 'public-key';
  clientExtensionResults: object;
  response: {
    clientDataJSON: string;
    authenticatorData: string;
    signature: string;
    userHandle: string;
  };
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const encoded = (data: Buffer | string) => Buffer.from(data).toString('base64url');

/**
 * Makes a passkey as a browser does for these options, in software: quicker than a real browser, and
 * able to misbehave.
 */
export function createPasskey(
  { rp, user, challenge }: Creation,
  {
    origin,
    algorithm = -7,
    counting = true,
    id: given,
    ...faults
  }: Faults & { origin: string; algorithm?: Algorithm; counting?: boolean; id?: string },
) {
  const { publicKey, privateKey } = pairOf(algorithm);
  const credentialId = given === undefined ? randomBytes(32) : Buffer.from(given, 'base64url');
  const id = encoded(credentialId);
  let counter = counting ? 1 : 0;
  const data = (
    rpId: string,
    { unverified, absent, counter: said = counter }: Faults,
    more = 0,
  ) => {
    // User present, user verified, backup eligible and backed up.
    const flags = (absent ? 0 : 0x01) | (unverified ? 0 : 0x04) | 0x18 | more;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(said);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count]);
  };
  const clientData = (type: string, asked: string, more: Faults) =>
    JSON.stringify({
      type: more.type ?? type,
      challenge: more.challenge ?? asked,
      origin: more.origin ?? origin,
      crossOrigin: more.crossOrigin ?? false,
    });
  const length = Buffer.alloc(2);
  length.writeUInt16BE(credentialId.length);
  const attested = [Buffer.alloc(16), length, credentialId, cbor(coseOf(publicKey, algorithm))];
  const authData = Buffer.concat([data(faults.rpId ?? rp.id, faults, 0x40), ...attested]);
  const attestationObject = cbor(
    new Map<string, unknown>([
      ['fmt', faults.format ?? 'none'],
      ['attStmt', new Map(Object.entries(faults.statement ?? {}))],
      ['authData', authData],
    ]),
  );
  const passkey: Passkey = {
    id,
    assert(options, more = {}) {
      if (counting) counter += 1;
      const json = clientData('webauthn.get', options.challenge, more);
      const authenticatorData = data(more.rpId ?? options.rpId, more);
      const key = more.forged ? pairOf(algorithm).privateKey : privateKey;
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: encoded(json),
          authenticatorData: encoded(authenticatorData),
          signature: encoded(
            signed(key, algorithm, Buffer.concat([authenticatorData, sha256(json)])),
          ),
          userHandle: more.userHandle ?? user.id,
        },
      };
    },
  };
  const credential = {
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: { credProps: { rk: true } },
    authenticatorAttachment: 'platform',
    response: {
      clientDataJSON: encoded(clientData('webauthn.create', challenge, { ...faults, origin })),
      attestationObject: encoded(attestationObject),
      transports: ['internal', 'hybrid'],
      publicKeyAlgorithm: algorithm,
    },
  };
  return { passkey, credential };
}

function pairOf(algorithm: Algorithm): { publicKey: KeyObject; privateKey: KeyObject } {
  if (algorithm === -8) return generateKeyPairSync('ed25519');
  if (algorithm === -257) return generateKeyPairSync('rsa', { modulusLength: 2048 });
  return generateKeyPairSync('ec', { namedCurve: algorithm === -35 ? 'P-384' : 'P-256' });
}

const signed = (key: KeyObject, algorithm: Algorithm, data: Buffer): Buffer =>
  sign(algorithm === -8 ? null : algorithm === -35 ? 'sha384' : 'sha256', data, key);

/** The public key in COSE (RFC 9053). */
function coseOf(key: KeyObject, algorithm: Algorithm): Map<number, unknown> {
  const { x = '', y = '', n = '', e = '' } = key.export({ format: 'jwk' });
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  if (algorithm === -8)
    return new Map<number, unknown>([
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytes(x)],
    ]);
  if (algorithm === -257)
    return new Map<number, unknown>([
      [1, 3],
      [3, -257],
      [-1, bytes(n)],
      [-2, bytes(e)],
    ]);
  return new Map<number, unknown>([
    [1, 2],
    [3, algorithm],
    [-1, algorithm === -35 ? 2 : 1],
    [-2, bytes(x)],
    [-3, bytes(y)],
  ]);
}
