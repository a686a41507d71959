import { createHmac, timingSafeEqual } from 'node:crypto';

/** Makes the link that ends a person's mail about tasks; it works without a session. */
export type UnsubscribeLink = (userId: string) => string;

export const UNSUBSCRIBE = '/unsubscribe';

const macOf = (secret: string, userId: string): Buffer =>
  createHmac('sha256', secret).update(`unsubscribe:tasks:${userId}`).digest();

/** The token names the person and is an HMAC with the server's secret: no table contains it. */
export const unsubscribeLinks =
  (publicUrl: string, serverSecret: string): UnsubscribeLink =>
  (userId) =>
    `${publicUrl}${UNSUBSCRIBE}/${userId}.${macOf(serverSecret, userId).toString('base64url')}`;

const TOKEN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([\w-]{43})$/;

/**
 * Whose token it is, or undefined. A mail lives longer than a secret: that of before counts as long as
 * it is known.
 */
export function personOf(
  token: string,
  secrets: readonly (string | undefined)[],
): string | undefined {
  const [, userId, sent] = TOKEN.exec(token) ?? [];
  if (userId === undefined || sent === undefined) return undefined;
  const mac = Buffer.from(sent, 'base64url');
  const known = secrets.some(
    (secret) => secret !== undefined && timingSafeEqual(mac, macOf(secret, userId)),
  );
  return known ? userId : undefined;
}
