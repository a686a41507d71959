import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';

/** The keys of a browser's subscription. */
interface BrowserKeys {
  /** Its public key: a point of P-256, uncompressed. */
  p256dh: Buffer;
  /** 16 bytes that it shares with the server alone. */
  auth: Buffer;
}

/** Of a record; push services take messages of 4,096 bytes in all. */
const RECORD = 4_096;
const LONGEST = RECORD - 16 - 1 - 86;

const derive = (secret: Buffer, salt: Buffer, info: Buffer | string, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));

/**
 * Encrypts a message for a browser, so that its push service cannot read it (RFC 8291, one record of
 * RFC 8188). `given` is replaced by the test with the vector of the RFC. Throws for a key that is no
 * point of the curve.
 */
export function encrypt(
  text: Buffer,
  { p256dh, auth }: BrowserKeys,
  given?: { salt: Buffer; privateKey: Buffer },
): Buffer {
  if (text.length > LONGEST) throw new RangeError('a push message is too long');
  const own = createECDH('prime256v1');
  if (given === undefined) own.generateKeys();
  else own.setPrivateKey(given.privateKey);
  const salt = given?.salt ?? randomBytes(16);
  const ownPublic = own.getPublicKey();
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, ownPublic]);
  const secret = derive(own.computeSecret(p256dh), auth, info, 32);
  const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = derive(secret, salt, 'Content-Encoding: nonce\0', 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  // The last record ends with a 2.
  const body = Buffer.concat([
    cipher.update(text),
    cipher.update(Buffer.from([2])),
    cipher.final(),
  ]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD);
  const head = Buffer.concat([salt, size, Buffer.from([ownPublic.length]), ownPublic]);
  return Buffer.concat([head, body, cipher.getAuthTag()]);
}
