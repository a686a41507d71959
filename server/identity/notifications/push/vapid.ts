import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';

/** The key by which push services know a server (RFC 8292): P-256. */
export interface VapidKey {
  /** A point, uncompressed. */
  publicKey: Buffer;
  privateKey: KeyObject;
}

export function newVapidKey(): { publicKey: Buffer; secret: Buffer } {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return {
    publicKey: pointOf(createPublicKey(privateKey)),
    secret: privateKey.export({ format: 'der', type: 'pkcs8' }),
  };
}

export const vapidKeyOf = (publicKey: Buffer, secret: Buffer): VapidKey => ({
  publicKey,
  privateKey: createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' }),
});

function pointOf(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([
    Buffer.from([4]),
    Buffer.from(x, 'base64url'),
    Buffer.from(y, 'base64url'),
  ]);
}

/** At most a day (RFC 8292 §2). */
const VALID_SECONDS = 12 * 3_600;

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The header `Authorization` of a message to this push service. */
export function vapidAuthorization(
  { publicKey, privateKey }: VapidKey,
  { endpoint, subject, seconds }: { endpoint: string; subject: string; seconds: number },
): string {
  const claims = { aud: new URL(endpoint).origin, exp: seconds + VALID_SECONDS, sub: subject };
  const text = `${encoded({ typ: 'JWT', alg: 'ES256' })}.${encoded(claims)}`;
  const signature = sign('sha256', Buffer.from(text), {
    key: privateKey,
    dsaEncoding: 'ieee-p1363',
  });
  return `vapid t=${text}.${signature.toString('base64url')}, k=${publicKey.toString('base64url')}`;
}
