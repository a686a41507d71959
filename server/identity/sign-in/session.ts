import { hash, randomBytes } from 'node:crypto';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { notAuthenticated } from '../../http/errors.ts';
import { SESSION_DAYS, setSessionCookie } from '../../http/session-cookie.ts';

/** How long a session waits for its second factor, in minutes. */
const PENDING_MINUTES = 15;

/** What a session is begun with: a factor, or what stands in for one. */
export type BegunBy = 'password' | 'link' | 'passkey' | 'oidc' | 'github';

/** What a session keeps of the request that began it. */
export interface SignInRequest {
  headers: Record<string, string | undefined>;
  network: string;
  requestId: string;
}

/** 256 random bits, so that no one finds a token by trying. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** What the database has of a token. */
export const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer');

/**
 * Begins a session of a person, and records it. Returns its token, only this once; undefined for a
 * person who is not active. `pending`: a second factor is still missing, so the session opens
 * nothing else and ends soon. Otherwise its person counts as having proven who they are.
 *
 * The token is always a new one: whatever cookie the browser sent does not matter.
 */
export async function beginSession(
  tx: Pick<Tx, 'maybeOne'>,
  userId: string,
  { by, pending, request }: { by: BegunBy; pending: boolean; request: SignInRequest },
): Promise<{ id: string; token: string } | undefined> {
  const token = newToken();
  const begun = await tx.maybeOne<{ id: string }>(sql`
    with person as materialized (
      select id from app_user where id = ${userId} and is_active for share),
    begun as (
      insert into session (user_id, token_hash, pending, proven_at, expires_at, user_agent, network)
      select id, ${hashOf(token)}, ${pending}, case when not ${pending} then clock_timestamp() end,
             clock_timestamp() + make_interval(mins => ${pending ? PENDING_MINUTES : LIFE_MINUTES}),
             ${userAgentOf(request)}, ${request.network}
        from person
      returning id, user_id),
    recorded as (
      insert into audit_event (
        actor_user_id, session_id, action, outcome, target_id, after, request_id)
      select user_id, id, 'session.create', 'done', user_id,
             ${{ by, pending, network: request.network }}, ${request.requestId}
        from begun)
    select id from begun`);
  return begun && { id: begun.id, token };
}

/**
 * Replaces the token of a session after its person has proven who they are, with every factor that
 * they have: the one that was in use opens nothing any more. Returns the new token, only this once.
 * Errors: 401 for a session that has ended, or whose token another request has replaced.
 */
export async function replaceToken(
  tx: Pick<Tx, 'maybeOne'>,
  { session_id, token_hash }: { session_id: string; token_hash: Buffer },
): Promise<{ token: string; provenAt: Date }> {
  const token = newToken();
  const proven = await tx.maybeOne<{ proven_at: Date }>(sql`
    update session
       set token_hash = ${hashOf(token)}, proven_at = clock_timestamp(), pending = false,
           expires_at = case when pending
             then clock_timestamp() + make_interval(mins => ${LIFE_MINUTES}) else expires_at end
     where id = ${session_id} and token_hash = ${token_hash} and ended_at is null
    returning proven_at`);
  if (proven === undefined) throw notAuthenticated();
  return { token, provenAt: proven.proven_at };
}

/**
 * Replaces the token of a session whose person changes what they sign in with, in the transaction
 * of that change; it is no proof, and extends nothing. Returns the Set-Cookie header. Errors: 401
 * for a session that has ended, or whose token another request has replaced.
 */
export async function renewedCookie(
  tx: Pick<Tx, 'maybeOne'>,
  { session_id, token_hash }: { session_id: string; token_hash: Buffer },
  publicUrl: string,
): Promise<string> {
  const token = newToken();
  const renewed = await tx.maybeOne(sql`
    update session set token_hash = ${hashOf(token)}
     where id = ${session_id} and token_hash = ${token_hash} and ended_at is null
    returning id`);
  if (renewed === undefined) throw notAuthenticated();
  return setSessionCookie(publicUrl, token);
}

const LIFE_MINUTES = SESSION_DAYS * 24 * 60;
const LONGEST_USER_AGENT = 300;

/** What the browser calls itself, as far as it is printable. */
function userAgentOf({ headers }: SignInRequest): string | null {
  const printable = headers['user-agent']?.replaceAll(/[^\x20-\x7e]+/g, ' ').trim();
  return printable?.slice(0, LONGEST_USER_AGENT) || null;
}
