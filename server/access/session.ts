import { sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';

/** The caller's own session, through which they call. */
export interface OwnSession {
  session_id: string;
  user_id: string;
  /** The SHA-256 of its token, by which a change recognises the session as it was read. */
  token_hash: Buffer;
  pending: boolean;
  email: string;
  name: string | null;
  two_factor: boolean;
}

/** The session of the request itself. Only a session has these columns of `caller`. */
export const ownSession: Access<object, OwnSession> = {
  sql: () => sql`
    access as materialized (
      select true as found, null::uuid as organization_id, caller.session_id, caller.user_id,
             caller.token_hash, caller.pending, u.email, u.name, u.two_factor,
             null::text as denied_because
        from caller join app_user u on u.id = caller.user_id)`,
};

/** An open session of the caller, in the path; one of another person does not exist here. */
export const onSession: Access<{ params: { session_id: string } }, { session_id: string }> = {
  sql: ({ params: { session_id } }) => sql`
    access as materialized (
      select true as found, null::uuid as organization_id, s.id as session_id,
             null::text as denied_because
        from session s join caller using (user_id)
       where s.id = ${session_id} and s.ended_at is null and s.expires_at > now())`,
};

/**
 * The session of the request, with the person locked: changes of what they sign in with happen one
 * after another, and none beside a deactivation. The session is read under the lock: one that ended
 * while the request waited could otherwise undo the reset that ended it.
 */
export const lockedSelf: Access<object, OwnSession> = {
  ...ownSession,
  locks: (_, { hash }) => sql`
    select u.id from app_user u join session s on s.user_id = u.id
     where s.token_hash = ${hash} for no key update of u`,
};
