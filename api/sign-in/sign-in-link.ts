import { hash, randomBytes } from 'node:crypto';
import type { Database, Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { SESSION_DAYS } from '../http/session-cookie.ts';

/** How long a sign-in link works, in minutes. */
export const LINK_MINUTES = 60;

// 256 bits, so that no one finds a token by trying.
const newToken = (): string => randomBytes(32).toString('base64url');
const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer');

/**
 * Makes the sign-in link of a user and ends their earlier one. The token is returned only this
 * once; the table keeps its hash. Lock the user first, so that a deactivation at the same time ends
 * the link too.
 */
export async function createSignInLink(
  tx: Tx,
  userId: string,
): Promise<{ id: string; token: string; expiresAt: Date }> {
  const token = newToken();
  await tx.many(sql`
    update sign_in_link set ended_at = clock_timestamp()
     where user_id = ${userId} and ended_at is null`);
  const { id, expires_at } = await tx.one<{ id: string; expires_at: Date }>(sql`
    insert into sign_in_link (user_id, token_hash, expires_at)
    values (${userId}, ${hashOf(token)}, now() + make_interval(mins => ${LINK_MINUTES}))
    returning id, expires_at`);
  return { id, token, expiresAt: expires_at };
}

/**
 * Uses a link: begins a session of its user and returns the session's token, only this once. Of
 * several attempts with one link at the same time, one gets it. Undefined for a link that is
 * unknown, expired, used or replaced, and for a user who is deactivated or has a second factor,
 * which a link must not stand in for.
 *
 * The user is locked before the link, as a deactivation does.
 */
export async function useSignInLink(
  db: Pick<Tx, 'maybeOne'>,
  linkToken: string,
  requestId: string,
): Promise<string | undefined> {
  const token = newToken();
  const linkHash = hashOf(linkToken);
  const begun = await db.maybeOne(sql`
    with person as materialized (
      select id from app_user
       where id = (select user_id from sign_in_link where token_hash = ${linkHash})
         and is_active and not two_factor
         for share),
    link as materialized (
      select l.id, l.user_id from person join sign_in_link l on l.user_id = person.id
       where l.token_hash = ${linkHash} and l.ended_at is null and l.expires_at > now()
         for no key update of l),
    begun as (
      insert into session (user_id, token_hash, pending, expires_at)
      select user_id, ${hashOf(token)}, false, now() + make_interval(days => ${SESSION_DAYS})
        from link
      returning id, user_id),
    used as (
      update sign_in_link l set ended_at = clock_timestamp(), session_id = begun.id
        from link join begun on true where l.id = link.id),
    recorded as (
      insert into audit_event (
        actor_user_id, session_id, action, outcome, target_id, after, request_id)
      select begun.user_id, begun.id, 'session.create', 'done', begun.user_id,
             jsonb_build_object('sign_in_link_id', link.id), ${requestId}
        from begun cross join link)
    select id from begun`);
  return begun === undefined ? undefined : token;
}

/** Whether a link may still work: a read that takes no lock, for whoever sends any text at all. */
export const isOpen = async (db: Pick<Database, 'read'>, linkToken: string): Promise<boolean> => {
  const open = await db.read(sql`
    select id from sign_in_link
     where token_hash = ${hashOf(linkToken)} and ended_at is null and expires_at > now()`);
  return open.length === 1;
};
