import { pbkdf2Sync, randomBytes } from 'node:crypto';

const ROUNDS = 25_000;
const BYTES = 64;

/**
 * A password as the table res_users of Odoo has it: PBKDF2 with SHA-512, in the format of passlib,
 * whose base64 has `.` for `+` and no padding.
 */
export function hashPassword(password: string, salt = randomBytes(16), rounds = ROUNDS): string {
  const digest = pbkdf2Sync(password, salt, rounds, BYTES, 'sha512');
  const [saltText, text] = [salt, digest].map((bytes) =>
    bytes.toString('base64').replaceAll('=', '').replaceAll('+', '.'),
  );
  return `$pbkdf2-sha512$${rounds}$${saltText}$${text}`;
}
