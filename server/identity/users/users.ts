import { sameMailbox } from '../../db/addresses.ts';
import type { Tx } from '../../db/database/database.ts';
import { contains } from '../../db/search.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { lockOperators } from './operators.ts';

/** People, as the operator manages them until they can sign up themselves. */
export interface UserRow {
  id: string;
  email: string;
  name: string | null;
  is_active: boolean;
  two_factor: boolean;
  kind: 'person' | 'service';
  created_at: Date;
}

/** A user by id, or by address: see `sameMailbox`. */
export type UserRef = { id: string } | { email: string };

const columns = sql`u.id, u.email, u.name, u.is_active, u.two_factor, u.kind, u.created_at`;

const isUser = (user: UserRef): Sql =>
  'id' in user
    ? sql`u.id = ${user.id} and u.deleted_at is null`
    : sql`${sameMailbox(sql`u.email`, sql`${user.email}::text`)} and u.deleted_at is null`;

/** Creates a user. Undefined if one has this address already. */
export const createUser = (
  db: Pick<Tx, 'maybeOne'>,
  { email, name }: { email: string; name: string },
): Promise<UserRow | undefined> =>
  db.maybeOne(sql`
    insert into app_user as u (email, name) values (${email}, ${name})
    on conflict (mailbox(email)) do nothing returning ${columns}`);

/** At most `limit` users in the order of their addresses, from those after `after`. */
export const listUsers = (
  db: Pick<Tx, 'many'>,
  { q, after, limit }: { q?: string | undefined; after?: string | undefined; limit: number },
): Promise<UserRow[]> =>
  db.many(sql`
    select ${columns} from app_user u
     where mailbox(u.email) > mailbox(${after ?? ''}) and u.deleted_at is null
       and (${q === undefined} or ${contains(sql`u.email`, q ?? '')}
                               or ${contains(sql`u.name`, q ?? '')})
     order by mailbox(u.email) limit ${limit}`);

/** What became of a user who was deactivated. */
export interface Deactivation {
  user: UserRow;
  /** False if it had been done before. */
  changed: boolean;
  keysRevoked: number;
  sessionsEnded: number;
  /** The workspaces that they own, by name. */
  owns: { id: string; name: string }[];
}

/**
 * Deactivates a user: revokes their keys, and ends their sessions and their sign-in link, for good.
 * Memberships stay. Whoever creates a key, a session or a link locks the user too, so that none is
 * left over. Undefined if there is no such user.
 */
export async function deactivateUser(tx: Tx, ref: UserRef): Promise<Deactivation | undefined> {
  // An operator is none any more: acts of theirs that have begun end first.
  await lockOperators(tx);
  const user = await lockUser(tx, ref);
  if (user === undefined) return undefined;
  await tx.many(sql`
    update app_user set is_active = false, updated_at = clock_timestamp()
     where id = ${user.id} and is_active`);
  const keys = await tx.many(sql`
    update api_key set revoked_at = clock_timestamp()
     where user_id = ${user.id} and revoked_at is null returning id`);
  const sessions = await tx.many(sql`
    update session set ended_at = clock_timestamp()
     where user_id = ${user.id} and ended_at is null returning id`);
  await tx.many(sql`
    update sign_in_link set ended_at = clock_timestamp()
     where user_id = ${user.id} and ended_at is null`);
  const owns = await tx.many<{ id: string; name: string }>(sql`
    select o.id, o.name
      from membership m join organization o on o.id = m.organization_id
     where m.user_id = ${user.id} and o.owner_user_id = m.user_id order by lower(o.name), o.id`);
  return {
    user: { ...user, is_active: false },
    changed: user.is_active,
    keysRevoked: keys.length,
    sessionsEnded: sessions.length,
    owns,
  };
}

/**
 * Lets a deactivated user in again. Their former keys and sessions stay revoked. `changed` is false
 * for a user who was active. Undefined if there is no such user.
 */
export async function activateUser(
  tx: Tx,
  ref: UserRef,
): Promise<{ user: UserRow; changed: boolean } | undefined> {
  const user = await lockUser(tx, ref);
  if (user === undefined) return undefined;
  await tx.many(sql`
    update app_user set is_active = true, updated_at = clock_timestamp()
     where id = ${user.id} and not is_active`);
  return { user: { ...user, is_active: true }, changed: !user.is_active };
}

/** A user, locked until the end of the transaction. */
export const lockUser = (tx: Tx, ref: UserRef): Promise<UserRow | undefined> =>
  tx.maybeOne(sql`select ${columns} from app_user u where ${isUser(ref)} for no key update`);
