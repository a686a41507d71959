import type { Tx } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import { apiError } from '../../../http/errors.ts';
import { text } from '../../../http/input/fields.ts';
import type { Vault } from '../vault.ts';
import { plain } from './recovery-codes.ts';
import { stepOf } from './totp.ts';

export const code = () =>
  text({
    minLength: 1,
    maxLength: 40,
    writeOnly: true,
    description: 'Six digits of the authenticator app, or a recovery code.',
  });

export const wrongCode = apiError(
  403,
  'wrong_code',
  'This code is wrong, or was used before: wait for the next one, or take a recovery code',
);

/** The secret of an authenticator app, as `Vault` opens it. */
export type SealedTotp = { sealed: Buffer; keyId: string | null };

/**
 * Uses a code of a person, which then works no more: of several requests with one code, one is
 * accepted. Returns what it was. Errors: 403 wrong_code.
 */
export async function useCode(
  tx: Pick<Tx, 'maybeOne'>,
  vault: Vault,
  { userId, code }: { userId: string; code: string },
): Promise<'totp' | 'recovery_code'> {
  const given = plain(code);
  if (/^\d{6}$/.test(given)) {
    if (await useTotp(tx, vault, { userId, code: given })) return 'totp';
    throw wrongCode();
  }
  const used = await tx.maybeOne(sql`
    update recovery_code set used_at = clock_timestamp()
     where user_id = ${userId} and code_hash = any(${vault.digests(given)}::bytea[]) and used_at is null
    returning id`);
  if (used === undefined) throw wrongCode();
  return 'recovery_code';
}

async function useTotp(
  tx: Pick<Tx, 'maybeOne'>,
  vault: Vault,
  { userId, code }: { userId: string; code: string },
): Promise<boolean> {
  const row = await tx.maybeOne<SealedTotp>(sql`
    select secret as sealed, key_id as "keyId" from totp where user_id = ${userId} and confirmed_at is not null`);
  if (row === undefined) return false;
  const step = stepOf(vault.open(row, userId), code);
  if (step === undefined) return false;
  const used = await tx.maybeOne(sql`
    update totp set last_step = ${step}
     where user_id = ${userId} and last_step < ${step} returning user_id`);
  return used !== undefined;
}
