import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

const PERIOD_SECONDS = 30;
/** How many time steps a clock may be off. */
const WINDOW = 1;

/** What authenticator apps expect: six digits by SHA-1, each for 30 seconds (RFC 6238). */
const totpOf = (secret: Buffer, label: string): TOTP =>
  new TOTP({
    issuer: 'Guildhall',
    label,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
    secret: new Secret({ buffer: new Uint8Array(secret).buffer }),
  });

/** A new secret of 160 bits, as RFC 4226 recommends. */
export const newTotpSecret = (): Buffer => randomBytes(20);

/** What the app scans, and the secret in base32, for those who type it. */
export function enrolment(secret: Buffer, email: string): { secret: string; url: string } {
  const totp = totpOf(secret, email);
  return { secret: totp.secret.base32, url: totp.toString() };
}

/** The time step that a code of six digits belongs to, or undefined if it is wrong now. */
export function stepOf(secret: Buffer, code: string, now = Date.now()): number | undefined {
  const delta = totpOf(secret, '').validate({ token: code, timestamp: now, window: WINDOW });
  return delta === null ? undefined : Math.floor(now / 1000 / PERIOD_SECONDS) + delta;
}
