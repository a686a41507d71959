import { randomInt } from 'node:crypto';
import type { Tx } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import type { Vault } from '../vault.ts';

const COUNT = 10;
// Without the letters that look like digits or like each other: 50 bits in ten characters.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 10;

const newCode = () =>
  Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

/** A code as it is compared: without the hyphen, spaces and capitals that people add. */
export const plain = (code: string): string => code.toLowerCase().replaceAll(/[\s-]/g, '');

/** Replaces the recovery codes of a person; they are returned only this once. */
export async function newRecoveryCodes(
  tx: Pick<Tx, 'many'>,
  vault: Vault,
  userId: string,
): Promise<string[]> {
  const codes = Array.from({ length: COUNT }, newCode);
  await tx.many(sql`delete from recovery_code where user_id = ${userId}`);
  await tx.many(sql`
    insert into recovery_code (user_id, code_hash, key_id)
    select ${userId}, hash, ${vault.keyId} from unnest(${codes.map(vault.digest)}::bytea[]) hash`);
  return codes.map((code) => `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`);
}
