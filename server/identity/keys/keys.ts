import { sameMailbox } from '../../db/addresses.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { hashKey, mintKey } from './key.ts';

/** A key as it is listed, without its secret. */
export interface KeyRow {
  id: string;
  email: string;
  user_is_active: boolean;
  name: string;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
}

/**
 * Creates a key for an active person and returns its text, only this once, and their address as it is
 * stored. Undefined if no active person has this address. The person is locked, so that a deactivation
 * at the same time either prevents the key or revokes it.
 */
export async function createKey(
  db: Pick<Tx, 'maybeOne'>,
  key: { email: string; name: string; expiresAt?: Date | undefined; secret?: string | undefined },
): Promise<{ id: string; email: string; secret: string } | undefined> {
  const secret = key.secret ?? mintKey();
  const row = await db.maybeOne<{ id: string; email: string }>(sql`
    with owner as (
      select id, email from app_user u
       where ${sameMailbox(sql`u.email`, sql`${key.email}::text`)} and is_active
         and kind = 'person' for share)
    insert into api_key (user_id, name, secret_hash, expires_at)
    select id, ${key.name}, ${hashKey(secret)}, ${key.expiresAt ?? null} from owner
    returning id, (select email from owner)`);
  return row === undefined ? undefined : { ...row, secret };
}

/** The keys of one user or of all users, newest first. */
export const listKeys = (db: Pick<Tx, 'many'>, email?: string): Promise<KeyRow[]> =>
  db.many(sql`
    select k.id, u.email, u.is_active as user_is_active, k.name, k.created_at, k.expires_at,
      k.revoked_at, k.last_used_at
      from api_key k join app_user u on u.id = k.user_id
     where ${email ?? null}::text is null
        or ${sameMailbox(sql`u.email`, sql`${email ?? null}::text`)}
     order by k.created_at desc, k.id desc`);

/**
 * Revokes a key from its next request on. False if there is no such key or it was already revoked.
 */
export async function revokeKey(db: Pick<Tx, 'many'>, id: string): Promise<boolean> {
  const rows = await db.many(sql`
    update api_key set revoked_at = now() where id = ${id} and revoked_at is null returning id`);
  return rows.length > 0;
}
