import type { Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
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
 * Creates a key for an active user and returns its text, only this once. Undefined if no active
 * user has this address. The user is locked, so that a deactivation at the same time either
 * prevents the key or revokes it.
 */
export async function createKey(
  db: Pick<Tx, 'maybeOne'>,
  key: { email: string; name: string; expiresAt?: Date | undefined; secret?: string | undefined },
): Promise<{ id: string; secret: string } | undefined> {
  const secret = key.secret ?? mintKey();
  const row = await db.maybeOne<{ id: string }>(sql`
    insert into api_key (user_id, name, secret_hash, expires_at)
    select id, ${key.name}, ${hashKey(secret)}, ${key.expiresAt ?? null} from app_user
     where lower(email) = lower(${key.email}) and is_active for share
    returning id`);
  return row === undefined ? undefined : { id: row.id, secret };
}

/** The keys of one user or of all users, newest first. */
export const listKeys = (db: Pick<Tx, 'many'>, email?: string): Promise<KeyRow[]> =>
  db.many(sql`
    select k.id, u.email, u.is_active as user_is_active, k.name, k.created_at, k.expires_at,
      k.revoked_at, k.last_used_at
      from api_key k join app_user u on u.id = k.user_id
     where ${email ?? null}::text is null or lower(u.email) = lower(${email ?? null})
     order by k.created_at desc, k.id desc`);

/**
 * Revokes a key from its next request on. False if there is no such key or it was already revoked.
 */
export async function revokeKey(db: Pick<Tx, 'many'>, id: string): Promise<boolean> {
  const rows = await db.many(sql`
    update api_key set revoked_at = now() where id = ${id} and revoked_at is null returning id`);
  return rows.length > 0;
}
