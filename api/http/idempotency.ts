import { createHash, randomUUID } from 'node:crypto';
import type { Database, Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { idempotencyInProgress, idempotencyKeyInvalid, idempotencyKeyReused } from './errors.ts';
import { errorBody, toApiError } from './render-error.ts';
import type { RequestContext } from './request-context.ts';
import type { Answer, Route } from './route.ts';

/** An answer as it went out: what a replay sends again, byte for byte. */
export interface SentAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The right to be the one request that runs under a key. */
export interface Claim {
  userId: string;
  key: string;
  claim: string;
}

// A request that ran longer than this has died with its process: the next one with its key may run.
const LEASE = '60 seconds';
const KEPT = '30 days';

/** The Idempotency-Key header, checked (ruling 1.11). Errors: 422 idempotency_key_invalid. */
export function readIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (!/^[\x20-\x7e]{1,255}$/.test(header) || header.trim() === '')
    throw idempotencyKeyInvalid(header);
  return header;
}

/** SHA-256 over what makes two requests the same: operation, path and query values, and the validated body. */
export const requestHash = (parts: readonly unknown[]): Buffer =>
  createHash('sha256')
    .update(JSON.stringify(parts, (_, value) => (typeof value === 'bigint' ? `${value}` : value)))
    .digest();

/**
 * Claims the key for this request, or returns the first answer to it.
 * Errors: 409 idempotency_key_reused (another request), 409 idempotency_in_progress (the first still runs).
 */
export async function claim(
  db: Database,
  userId: string,
  key: string,
  hash: Buffer,
): Promise<{ claim: Claim } | { replay: SentAnswer }> {
  const id = randomUUID();
  const rows = await db.many(sql`
    insert into idempotency_key as k (user_id, key, request_hash, claim)
    values (${userId}, ${key}, ${hash}, ${id})
    on conflict (user_id, key) do update
      set request_hash = excluded.request_hash, claim = excluded.claim, claimed_at = now(),
          status = null, headers = null, body = null
      where k.claimed_at < now() - ${KEPT}::interval
         or (k.status is null and k.request_hash = excluded.request_hash and k.claimed_at < now() - ${LEASE}::interval)
    returning claim`);
  if (rows.length > 0) return { claim: { userId, key, claim: id } };
  const first = await db.maybeOne<SentAnswer & { status: number | null; same: boolean }>(sql`
    select status, headers, body, request_hash = ${hash} as same
      from idempotency_key where user_id = ${userId} and key = ${key}`);
  if (first === undefined) throw idempotencyInProgress();
  if (!first.same) throw idempotencyKeyReused();
  if (first.status === null) throw idempotencyInProgress();
  return { replay: { status: first.status, headers: first.headers, body: first.body } };
}

/** Answers that may still change are not kept as final (ruling 1.11). */
const isFinal = (status: number) => status < 500 && status !== 429 && status !== 202;

/**
 * Keeps the answer under the claim; in `tx` it commits with the change it speaks of. An answer that is not final ends
 * the claim's lease instead: the same request may run again at once, and no other one. False when the claim was lost
 * meanwhile.
 */
export async function settle(
  tx: Pick<Tx, 'many'>,
  { userId, key, claim }: Claim,
  answer: SentAnswer,
): Promise<boolean> {
  const rows = await tx.many(
    isFinal(answer.status)
      ? sql`update idempotency_key set status = ${answer.status}, headers = ${answer.headers}, body = ${answer.body}
             where user_id = ${userId} and key = ${key} and claim = ${claim} and status is null returning key`
      : sql`update idempotency_key set claimed_at = now() - ${LEASE}::interval - interval '1 second'
             where user_id = ${userId} and key = ${key} and claim = ${claim} and status is null returning key`,
  );
  return rows.length > 0;
}

/** Frees the key: what was refused is this request, and the one that the key belongs to may still come again. */
export async function release(db: Database, { userId, key, claim }: Claim): Promise<void> {
  await db.many(sql`
    delete from idempotency_key
     where user_id = ${userId} and key = ${key} and claim = ${claim} and status is null`);
}

/** Forgets the answers that are past their time, some at a time. */
export async function purge(db: Database): Promise<void> {
  await db.many(sql`
    delete from idempotency_key
     where ctid = any(array(select ctid from idempotency_key where claimed_at < now() - ${KEPT}::interval limit 10000))`);
}

/**
 * The answer to a request with an Idempotency-Key: the stored one when there is one, or the handler's, which is stored
 * with the change it speaks of. Errors: those of `claim`; 401 and 403 when the right to the stored answer has ended.
 */
export async function answerOnce(
  db: Database,
  key: string,
  context: RequestContext,
  route: Route,
  handle: (context: RequestContext) => Promise<Answer>,
): Promise<Answer> {
  const { userId } = await context.authenticate();
  const claimed = await claim(db, userId, key, hashOf(context, route));
  if ('replay' in claimed) {
    await context.requireRightToReplay();
    const { headers, ...stored } = claimed.replay;
    return { ...stored, headers: { ...headers, 'idempotent-replayed': 'true' } };
  }
  context.claim = claimed.claim;
  try {
    const answered = await handle(context);
    if (context.stored !== undefined) return context.stored;
    const sent = context.serialize(answered);
    await settle(db, claimed.claim, sent);
    return sent;
  } catch (error) {
    const shown = toApiError(error);
    const { status, headers } = shown;
    // An operation may remember a key for longer than its answer is stored: then the key belongs to another request.
    const ended =
      shown.code === idempotencyKeyReused.code
        ? release(db, claimed.claim)
        : settle(db, claimed.claim, { status, headers, body: errorBody(shown) });
    // Should this fail too, the claim's lease ends by itself.
    await ended.catch(() => {});
    throw error;
  }
}

// An upload counts by its size and type: its bytes have not arrived yet.
const hashOf = ({ params, query, body, headers }: RequestContext, route: Route): Buffer =>
  requestHash([
    route.operationId,
    params,
    query,
    body,
    headers['if-match'] ?? null,
    ...(route.upload === undefined ? [] : [headers['content-type'], headers['content-length']]),
  ]);
