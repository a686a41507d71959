import type { Database } from '../db/database/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import { invalidApiKey, notAuthenticated } from './errors.ts';
import type { Caller } from './route.ts';

/** SHA-256 of a well-formed key, or undefined: tells a mistyped key without asking the database. */
export type HashKey = (key: string) => Buffer | undefined;

/**
 * The key's hash, from the Authorization header.
 * Errors: 401 not_authenticated without a bearer credential, 401 invalid_api_key for a malformed key (ruling 1.6).
 */
export function readCredential(header: string | undefined, hashKey: HashKey): Buffer {
  const token = header === undefined ? undefined : /^bearer +(\S+) *$/i.exec(header)?.[1];
  if (token === undefined) throw notAuthenticated();
  const hash = hashKey(token);
  if (hash === undefined) throw invalidApiKey();
  return hash;
}

/** The `caller` of a statement: one row for a key that opens something now, none for every other (ruling 1.6). */
export const callerSql = (keyHash: Buffer): Sql => sql`caller as materialized (
  select u.id as user_id, k.id as key_id, u.two_factor
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = ${keyHash} and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now()))`;

/** Asks for the key alone: before a body is parsed, and when a request fails before its statement. Errors: 401. */
export async function authenticate(db: Database, keyHash: Buffer): Promise<Caller> {
  const [caller] = await db.read<{ user_id: string; key_id: string }>(
    sql`with ${callerSql(keyHash)} select user_id, key_id from caller`,
  );
  if (caller === undefined) throw invalidApiKey();
  return { userId: caller.user_id, keyId: caller.key_id };
}
