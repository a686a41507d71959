import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Keeps secrets that the server must be able to read: AES-256-GCM under keys that are derived from
 * the server's secret (HKDF with SHA-256), one for each use.
 */
export interface Sealing {
  /** Of the key that new values are sealed with. */
  readonly keyId: string;
  /** `context` is bound to it: sealed for one row, it does not open for another. */
  seal(secret: Buffer, context: string): Sealed;
  /** `keyId` may be unknown (null). Throws CannotOpen. */
  open(value: { keyId: string | null; sealed: Buffer }, context: string): Buffer;
}

/** A sealed value, and which key opens it. */
export interface Sealed {
  keyId: string;
  /** Nonce, ciphertext and tag. */
  sealed: Buffer;
}

/** What seals new values, and what may still open older ones, while it is replaced. */
export interface ServerSecrets {
  current: string;
  previous?: string | undefined;
}

/** A sealed value that does not open; the message says what to do about it. */
export class CannotOpen extends Error {
  /** It was sealed with a server secret that this process does not have. */
  readonly foreign: boolean;

  constructor(foreign: boolean) {
    super(foreign ? FOREIGN : CHANGED);
    this.foreign = foreign;
  }
}

const FOREIGN =
  'A stored secret was sealed with another SERVER_SECRET than this process has: give every process ' +
  'the same SERVER_SECRET, and the one before as SERVER_SECRET_PREVIOUS until `guildhall secrets ' +
  'rotate` has ended.';
const CHANGED =
  'A stored secret does not open: it was changed, or belongs to another row. Set it again.';

/** Each has a key of its own. `factors` had it before keys had ids, and keeps it. */
export type Use =
  | 'factors'
  | 'connections'
  | 'instances'
  | 'variables'
  | 'imports'
  | 'webhooks'
  | 'push'
  | 'code_hosts'
  | 'routines';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ID_BYTES = 8;

const derived = (secret: string, use: string, bytes: number) =>
  Buffer.from(hkdfSync('sha256', secret, '', use, bytes));

/** Names the keys of a server secret; nothing about the secret follows from it. */
export const keyIdOf = (secret: string): string =>
  derived(secret, 'guildhall key id', ID_BYTES).toString('hex');

export function openSealing({ current, previous }: ServerSecrets, use: Use): Sealing {
  const keys = [current, ...(previous === undefined ? [] : [previous])].map((secret) => ({
    id: keyIdOf(secret),
    key: derived(secret, `guildhall sealed ${use}`, 32),
  }));
  const [{ id: keyId, key: sealing }] = keys as [(typeof keys)[0]];
  return {
    keyId,
    seal: (secret, context) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce).setAAD(Buffer.from(context));
      const text = Buffer.concat([cipher.update(secret), cipher.final()]);
      return { keyId, sealed: Buffer.concat([nonce, text, cipher.getAuthTag()]) };
    },
    open: (value, context) => {
      // A release that knew of no ids may have replaced the value beside one.
      const named = keys.filter(({ id }) => id === value.keyId);
      for (const { key } of [...named, ...keys]) {
        const secret = opened(key, value.sealed, context);
        if (secret !== undefined) return secret;
      }
      throw new CannotOpen(named.length === 0);
    },
  };
}

function opened(key: Buffer, sealed: Buffer, context: string): Buffer | undefined {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    const text = sealed.subarray(NONCE_BYTES, -TAG_BYTES);
    return Buffer.concat([decipher.update(text), decipher.final()]);
  } catch {
    return undefined;
  }
}
