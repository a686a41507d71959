import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Database } from '../db/database/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import { crossSiteRequest, invalidApiKey, notAuthenticated } from './errors.ts';
import type { Caller } from './route.ts';

/** SHA-256 of a well-formed key, or undefined: a mistyped key is refused without asking the database. */
export type HashKey = (key: string) => Buffer | undefined;

/** What a request proves its caller with: the SHA-256 of a personal API key or of a session's token. */
export interface Credential {
  kind: 'key' | 'session';
  hash: Buffer;
}

/** The cookie of a session; browsers send the `__Host-` one over HTTPS alone, and to no other host. */
export const sessionCookie = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? '__Host-guildhall' : 'guildhall';

/**
 * The credential of a request: a bearer key, or the cookie of a session where there is no Authorization header.
 * Errors: 401 not_authenticated without one, 401 invalid_api_key for a malformed key (ruling 1.6), 403
 * cross_site_request when another site may have made a browser send its cookie with a change.
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
  const token = cookieNamed(sessionCookie(publicUrl), headers.cookie);
  if (token === undefined) throw notAuthenticated();
  if (method !== 'GET' && method !== 'HEAD' && !isSameOrigin(headers, publicUrl))
    throw crossSiteRequest();
  return { kind: 'session', hash: hash('sha256', token, 'buffer') };
}

// A cookie that came twice is none: another site of the same domain may have set one of them.
function cookieNamed(name: string, header = ''): string | undefined {
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 && /^[\w-]{43}$/.test(values[0] as string) ? values[0] : undefined;
}

// Browsers leave Sec-Fetch-Site out on plain HTTP to names of a local network; they always send Origin with a change.
function isSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined ? headers.origin === new URL(publicUrl).origin : site === 'same-origin';
}

/**
 * The `caller` of a statement: one row (`user_id`, `key_id`, `session_id`, `two_factor`, `read_only`, `scope`: the only
 * workspace the key opens, or null) for a credential that opens something now, none for every other (ruling 1.6).
 */
export const callerSql = ({ kind, hash }: Credential): Sql =>
  kind === 'key'
    ? sql`caller as materialized (
  select u.id as user_id, k.id as key_id, null::uuid as session_id, u.two_factor, k.read_only,
         k.organization_id as scope
    from api_key k join app_user u on u.id = k.user_id
   where k.secret_hash = ${hash} and k.revoked_at is null and u.is_active
     and (k.expires_at is null or k.expires_at > now()))`
    : sql`caller as materialized (
  select u.id as user_id, null::uuid as key_id, s.id as session_id, u.two_factor, false as read_only,
         null::uuid as scope
    from session s join app_user u on u.id = s.user_id
   where s.token_hash = ${hash} and not s.pending and s.ended_at is null and s.expires_at > now()
     and u.is_active)`;

/** Asks for the credential alone: before a body is read, and when a request fails before its statement. Errors: 401. */
export async function authenticate(db: Database, credential: Credential): Promise<Caller> {
  const [caller] = await db.read<{
    user_id: string;
    key_id: string | null;
    session_id: string | null;
  }>(sql`with ${callerSql(credential)} select user_id, key_id, session_id from caller`);
  if (caller === undefined) throw invalidCredential(credential);
  return { userId: caller.user_id, keyId: caller.key_id, sessionId: caller.session_id };
}

/** 401: one body for every key that opens nothing (ruling 1.6); an ended session is like none. */
export const invalidCredential = ({ kind }: Credential) =>
  kind === 'key' ? invalidApiKey() : notAuthenticated();
