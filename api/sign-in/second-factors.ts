import type { Tx } from '../db/database/database.ts';
import { type Sql, sql } from '../db/sql.ts';

/** What a person may give as their second factor. */
export type SecondFactor = 'totp' | 'recovery_code' | 'passkey';

/** SQL: the second factors of the person whose id is `user`, as an array of text. */
export const secondFactorsOf = (user: Sql): Sql => sql`
  array_remove(array[
    case when exists (select from totp f where f.user_id = ${user} and f.confirmed_at is not null)
         then 'totp' end,
    case when exists (select from recovery_code f where f.user_id = ${user} and f.used_at is null)
         then 'recovery_code' end,
    case when exists (select from passkey f where f.user_id = ${user}) then 'passkey' end], null)`;

/**
 * Makes `two_factor` of a person, which workspaces may require, follow what they have enrolled.
 * Recovery codes alone are no factor, and end with the last one. Lock the person first.
 */
export async function followFactors(tx: Pick<Tx, 'many'>, userId: string): Promise<void> {
  await tx.many(sql`
    with followed as (
      update app_user set two_factor = has_second_factor(id), updated_at = clock_timestamp()
       where id = ${userId} and two_factor <> has_second_factor(id) returning two_factor)
    delete from recovery_code using followed where user_id = ${userId} and not followed.two_factor`);
}
