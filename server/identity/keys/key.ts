import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
// 32 characters of base62 are 190 bits.
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(`^gld_([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/**
 * A new personal API key: `gld_`, 190 random bits, and a checksum. It is shown once and never
 * stored.
 */
export function mintKey(): string {
  const secret = Array.from({ length: SECRET_LENGTH }, () => ALPHABET[randomInt(62)]).join('');
  return `gld_${secret}${checksum(secret)}`;
}

/** SHA-256 of a well-formed key; undefined otherwise, so that a mistyped key costs no query. */
export function hashKey(key: string): Buffer | undefined {
  const match = FORM.exec(key);
  if (match === null || checksum(match[1] as string) !== match[2]) return undefined;
  return hash('sha256', key, 'buffer');
}

/** CRC-32 in six characters of base62. It catches typing errors and is not a protection. */
function checksum(secret: string): string {
  let rest = crc32(secret);
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = ALPHABET[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
