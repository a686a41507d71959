import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** Keeps secrets that the server must be able to read, and hashes those that are short. */
export interface Vault {
  /** `context` is bound to it: sealed for one person, it does not open for another. */
  seal(secret: Buffer, context: string): Buffer;
  /** Throws if it was sealed with another secret of the server, or for another context. */
  open(sealed: Buffer, context: string): Buffer;
  /** A hash that cannot be searched without the server's secret: for codes of few bits. */
  digest(code: string): Buffer;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Each use has a key of its own, derived from the server's secret (HKDF with SHA-256). */
export function openVault(serverSecret: string): Vault {
  const keyFor = (use: string) => Buffer.from(hkdfSync('sha256', serverSecret, '', use, 32));
  const sealing = keyFor('guildhall sealed factors');
  const hashing = keyFor('guildhall recovery codes');
  return {
    seal: (secret, context) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce).setAAD(Buffer.from(context));
      return Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
    },
    open: (sealed, context) => {
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', sealing, nonce)
        .setAAD(Buffer.from(context))
        .setAuthTag(sealed.subarray(-TAG_BYTES));
      const text = sealed.subarray(NONCE_BYTES, -TAG_BYTES);
      return Buffer.concat([decipher.update(text), decipher.final()]);
    },
    digest: (code) => createHmac('sha256', hashing).update(code).digest(),
  };
}
