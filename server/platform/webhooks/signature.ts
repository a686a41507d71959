import { createHmac, randomBytes } from 'node:crypto';

/** Signatures of the Standard Webhooks specification, version 1. */

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new secret, as its owner sees it: its bytes in base64 behind a prefix. */
export const newSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/**
 * The headers of a message. Each of the secrets signs it, so that a receiver that knows one of them
 * can verify it. `seconds`: the time of this attempt, which receivers compare with their clock.
 */
export function signedHeaders(
  secrets: readonly string[],
  { id, seconds, body }: { id: string; seconds: number; body: string },
): Record<string, string> {
  const signed = `${id}.${seconds}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
}
