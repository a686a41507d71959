import { hash } from 'node:crypto';
import type { Database, Tx } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import {
  ACCESS_SECONDS,
  familyOf,
  firstTokens,
  hashAccessToken,
  hashCode,
  hashRefreshToken,
  type NextTokens,
  REFRESH_DAYS,
  REPEAT_SECONDS,
  type Tokens,
} from './tokens.ts';

/** What an application is given, and until when its access token works, in seconds. */
export interface Granted extends Tokens {
  seconds: number;
  readOnly: boolean;
}

interface Connection {
  key_id: string;
  user_id: string;
  name: string;
  read_only: boolean;
  /** Its key can be used or renewed, and its person is active. */
  is_open: boolean;
  code_waits: boolean;
  redirect_uri: string;
  code_challenge: Buffer;
  redeemed: boolean;
  refresh_hash: Buffer | null;
  lasts: boolean;
  previous_hash: Buffer | null;
  just_rotated: boolean;
  seconds: number;
}

/**
 * A connection of this application, locked with its key: two requests with one code or token come
 * one after the other, and neither beside the end of the key.
 */
const locked = (tx: Tx, clientId: string, condition: Sql): Promise<Connection | undefined> =>
  tx.maybeOne<Connection>(sql`
    select k.id as key_id, k.user_id, k.name, k.read_only,
           k.revoked_at is null and u.is_active as is_open, k.expires_at > now() as code_waits,
           o.redirect_uri, o.code_challenge, o.redeemed_at is not null as redeemed,
           o.refresh_hash, o.expires_at > now() as lasts, o.previous_hash,
           coalesce(o.rotated_at > now() - make_interval(secs => ${REPEAT_SECONDS}), false)
             as just_rotated,
           greatest(0, extract(epoch from k.expires_at - now()))::int as seconds
      from oauth_connection o
      join api_key k on k.id = o.key_id
      join app_user u on u.id = k.user_id
     where ${condition} and o.oauth_client_id = ${clientId}
       for no key update of o, k`);

/**
 * Exchanges a code, once: who sends it again, and could redeem it, ends the connection, because one
 * of the two has stolen it (RFC 6749, 4.1.2). Undefined for anything that it cannot be exchanged for.
 */
export function redeemCode(
  db: Pick<Database, 'transaction'>,
  {
    clientId,
    code,
    redirectUri,
    verifier,
    requestId,
  }: { clientId: string; code: string; redirectUri: string; verifier: string; requestId: string },
): Promise<Granted | undefined> {
  const codeHash = hashCode(code);
  if (codeHash === undefined || !/^[\w.~-]{43,128}$/.test(verifier))
    return Promise.resolve(undefined);
  return db.transaction(async (tx) => {
    const found = await locked(tx, clientId, sql`o.code_hash = ${codeHash}`);
    if (found === undefined || found.redirect_uri !== redirectUri) return undefined;
    if (!found.code_challenge.equals(hash('sha256', verifier, 'buffer'))) return undefined;
    if (!found.is_open) return undefined;
    if (found.redeemed) return end(tx, found, 'code_used_twice', requestId);
    if (!found.code_waits) return undefined;
    const tokens = firstTokens();
    await tx.many(sql`
      update oauth_connection
         set redeemed_at = clock_timestamp(), family_hash = ${familyOf(tokens.refresh)},
             refresh_hash = ${hashRefreshToken(tokens.refresh)},
             expires_at = clock_timestamp() + make_interval(days => ${REFRESH_DAYS})
       where key_id = ${found.key_id}`);
    await renewKey(tx, found.key_id, tokens);
    return { ...tokens, seconds: ACCESS_SECONDS, readOnly: found.read_only };
  });
}

/**
 * Exchanges a refresh token for the next one. The one before it gets the same answer for half a
 * minute, because the answer may have been lost; any earlier one ends the connection, because two
 * have it (RFC 9700, 4.14.2). Undefined for one that cannot be exchanged.
 */
export function refresh(
  db: Pick<Database, 'transaction'>,
  next: NextTokens,
  { clientId, token, requestId }: { clientId: string; token: string; requestId: string },
): Promise<Granted | undefined> {
  const tokenHash = hashRefreshToken(token);
  if (tokenHash === undefined) return Promise.resolve(undefined);
  return db.transaction(async (tx) => {
    const found = await locked(tx, clientId, sql`o.family_hash = ${familyOf(token)}`);
    if (found === undefined || !found.is_open || !found.lasts) return undefined;
    const tokens = next(token);
    if (found.refresh_hash?.equals(tokenHash)) {
      await tx.many(sql`
        update oauth_connection
           set previous_hash = refresh_hash, rotated_at = clock_timestamp(),
               refresh_hash = ${hashRefreshToken(tokens.refresh)},
               expires_at = clock_timestamp() + make_interval(days => ${REFRESH_DAYS})
         where key_id = ${found.key_id}`);
      await renewKey(tx, found.key_id, tokens);
      return { ...tokens, seconds: ACCESS_SECONDS, readOnly: found.read_only };
    }
    const isRepeated =
      found.just_rotated &&
      found.previous_hash?.equals(tokenHash) === true &&
      found.refresh_hash?.equals(hashRefreshToken(tokens.refresh) as Buffer) === true;
    if (isRepeated) return { ...tokens, seconds: found.seconds, readOnly: found.read_only };
    return end(tx, found, 'refresh_token_used_twice', requestId);
  });
}

/** Ends the connection that a token is of, as its application asks (RFC 7009). */
export async function revokeToken(
  db: Pick<Database, 'transaction'>,
  { clientId, token, requestId }: { clientId: string; token: string; requestId: string },
): Promise<void> {
  const accessHash = hashAccessToken(token);
  const isRefresh = hashRefreshToken(token) !== undefined;
  if (accessHash === undefined && !isRefresh) return;
  await db.transaction(async (tx) => {
    const found = await locked(
      tx,
      clientId,
      isRefresh
        ? sql`o.family_hash = ${familyOf(token)}`
        : sql`k.secret_hash = ${accessHash} and o.redeemed_at is not null`,
    );
    if (found?.is_open) await end(tx, found, 'revoked_by_application', requestId);
  });
}

const renewKey = (tx: Tx, keyId: string, { access }: Tokens) =>
  tx.many(sql`
    update api_key
       set secret_hash = ${hashAccessToken(access)},
           expires_at = clock_timestamp() + make_interval(secs => ${ACCESS_SECONDS})
     where id = ${keyId}`);

async function end(
  tx: Tx,
  { key_id: keyId, user_id: userId, name }: Connection,
  why: string,
  requestId: string,
): Promise<undefined> {
  await tx.many(sql`update api_key set revoked_at = clock_timestamp() where id = ${keyId}`);
  await recordChange(tx, {
    caller: { userId, keyId },
    action: 'application.disconnect',
    target: keyId,
    requestId,
    before: { name },
    after: { why },
  });
}
