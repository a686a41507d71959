import type { Tx } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';

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

/** What became of a person's second factors. */
interface RemovedFactors {
  totp: number;
  passkeys: number;
  recovery_codes: number;
  sessions_ended: number;
}

/** Removes all second factors of a person, and ends their sessions. Lock the person first. */
export async function removeSecondFactors(
  tx: Pick<Tx, 'many' | 'one'>,
  userId: string,
): Promise<RemovedFactors> {
  const removed = await tx.one<RemovedFactors>(sql`
    with apps as (delete from totp where user_id = ${userId} returning user_id),
    keys as (delete from passkey where user_id = ${userId} returning id),
    codes as (delete from recovery_code where user_id = ${userId} returning id),
    ended as (
      update session set ended_at = clock_timestamp()
       where user_id = ${userId} and ended_at is null returning id)
    select (select count(*) from apps)::int as totp, (select count(*) from keys)::int as passkeys,
           (select count(*) from codes)::int as recovery_codes,
           (select count(*) from ended)::int as sessions_ended`);
  // Also of a user who was imported with a second factor that is not known here.
  await tx.many(sql`
    update app_user set two_factor = false, updated_at = clock_timestamp()
     where id = ${userId} and two_factor`);
  return removed;
}
