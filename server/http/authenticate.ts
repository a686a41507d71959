import type { IncomingHttpHeaders } from 'node:http';
import type { Database } from '../db/database/database.ts';
import { nothing, type Sql, sql } from '../db/sql.ts';
import type { Caller } from './caller.ts';
import { crossSiteRequest, invalidApiKey, notAuthenticated } from './errors.ts';
import { isSameOrigin, sessionHash } from './session-cookie.ts';

/**
 * SHA-256 of a well-formed key, or undefined, so that a mistyped key is refused without a query.
 */
export type HashKey = (key: string) => Buffer | undefined;

/**
 * What proves the caller of a request: the SHA-256 of a personal API key or of a session's token.
 */
export interface Credential {
  kind: 'key' | 'session';
  hash: Buffer;
}

/**
 * The credential of a request: a bearer key, or a session's cookie if there is no Authorization
 * header.
 *
 * Errors: 401 not_authenticated without one; 401 invalid_api_key for a malformed key (ruling 1.6);
 * 403 cross_site_request if another site may have made the browser send its cookie with a change.
 */
export function readCredential(
  method: string,
  headers: IncomingHttpHeaders,
  { hashKey, publicUrl }: { hashKey: HashKey; publicUrl: string },
): Credential {
  const { authorization } = headers;
  if (authorization !== undefined) {
    const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
    if (token === undefined) throw notAuthenticated();
    const keyHash = hashKey(token);
    if (keyHash === undefined) throw invalidApiKey();
    return { kind: 'key', hash: keyHash };
  }
  const tokenHash = sessionHash(headers, publicUrl);
  if (tokenHash === undefined) throw notAuthenticated();
  if (method !== 'GET' && method !== 'HEAD' && !isSameOrigin(headers, publicUrl))
    throw crossSiteRequest();
  return { kind: 'session', hash: tokenHash };
}

/**
 * Of an operation that a browser's session opens, and an API key never: any session; one whose
 * person has proven who they are just now; or also one whose second factor is missing.
 */
export type SessionKind = 'session' | 'proven-session' | 'pending-session';

/** What an operation demands of a session besides being valid. */
export interface Demands {
  /** One whose second factor is missing is enough. */
  pending: boolean;
  /** Its person has proven who they are in the last `PROOF_MINUTES`. */
  proof: boolean;
}

export const NO_DEMANDS: Demands = { pending: false, proof: false };

/** What a route demands of a session. */
export const demandsOf = ({
  credential,
  proof,
}: {
  credential?: SessionKind;
  proof?: true;
}): Demands => ({
  pending: credential === 'pending-session',
  proof: proof === true || credential === 'proven-session',
});

/**
 * The `caller` of a statement: one row (`user_id`, `key_id`, `session_id`, `two_factor`,
 * `read_only`, and `scope`, the only workspace the key is valid for, or null) for a credential that
 * is valid now, and no row otherwise (ruling 1.6). That of a session also has its `pending`,
 * `proven_at` and `token_hash`.
 */
export const callerSql = ({ kind, hash }: Credential, { pending } = NO_DEMANDS): Sql =>
  kind === 'key'
    ? sql`caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = ${hash} and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now()))`
    : sql`caller as materialized (
  select u.id as user_id, null::uuid as key_id, s.id as session_id, u.two_factor,
         false as read_only, null::uuid as scope, s.pending, s.proven_at, s.token_hash
    from session s join app_user u on u.id = s.user_id
   where s.token_hash = ${hash} ${pending ? nothing : sql`and not s.pending`}
     and s.ended_at is null and s.expires_at > now() and u.is_active)`;

/**
 * Checks the credential alone: before a body is read, and when a request fails before its
 * statement. Errors: 401.
 */
export async function authenticate(
  db: Pick<Database, 'read'>,
  credential: Credential,
  demands = NO_DEMANDS,
): Promise<Caller> {
  const [caller] = await db.read<{
    user_id: string;
    key_id: string | null;
    session_id: string | null;
  }>(sql`with ${callerSql(credential, demands)} select user_id, key_id, session_id from caller`);
  if (caller === undefined) throw invalidCredential(credential);
  return { userId: caller.user_id, keyId: caller.key_id, sessionId: caller.session_id };
}

/**
 * 401: the same body for every key that is not valid (ruling 1.6). An ended session counts as no
 * credential.
 */
export const invalidCredential = ({ kind }: Credential) =>
  kind === 'key' ? invalidApiKey() : notAuthenticated();
