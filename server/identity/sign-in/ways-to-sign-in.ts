import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { apiError } from '../../http/errors.ts';

export const lastWayToSignIn = apiError(
  409,
  'last_way_to_sign_in',
  'You could not sign in any more: set a password, or add a passkey or an account elsewhere, first',
);

/**
 * How many ways a person has to sign in: a password, passkeys, and accounts elsewhere. A link by
 * mail is none of them, because who reads the mail may change. The person must be locked.
 */
export const waysToSignIn = async (tx: Pick<Tx, 'one'>, userId: string): Promise<number> =>
  (
    await tx.one<{ ways: number }>(sql`
      select ((select count(*) from password where user_id = ${userId})
              + (select count(*) from passkey where user_id = ${userId})
              + (select count(*) from identity where user_id = ${userId}))::int as ways`)
  ).ways;
