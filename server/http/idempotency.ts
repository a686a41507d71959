import { createHash, createHmac, randomUUID } from 'node:crypto';
import type { Database, Tx } from '../db/database/database.ts';
import { type RetentionRule, retentionRule } from '../db/retention-rule.ts';
import { sql } from '../db/sql.ts';
import {
  idempotencyInProgress,
  idempotencyKeyInvalid,
  idempotencyKeyReused,
  proofRequired,
} from './errors.ts';
import type { Operation } from './public-route.ts';

/** An answer as it was sent; a replay repeats it byte for byte. */
export interface SentAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The body without what is stored for minutes only (`brief` of the route), if it has any. */
  lasting?: string;
}

/** The claim of the one request that may run under a key. */
export interface Claim {
  userId: string;
  key: string;
  claim: string;
}

// A request still running after this time died with its process, so the next one with its key may
// run.
const LEASE = '60 seconds';
const KEPT = '30 days';
/** How long an answer is kept whole that has `brief` fields: for retries, not for a reader of tables. */
const KEPT_WHOLE = '10 minutes';

/**
 * Whether an Idempotency-Key makes a repetition of the request safe: not for what only a session
 * opens, whose answers may hold what is shown once and stored nowhere.
 */
export const isRepeatable = ({ method, credential }: Pick<Operation, 'method' | 'credential'>) =>
  method !== 'GET' && credential === undefined;

/** Validates the Idempotency-Key header (ruling 1.11). Errors: 422 idempotency_key_invalid. */
export function readIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (!/^[\x20-\x7e]{1,255}$/.test(header) || header.trim() === '')
    throw idempotencyKeyInvalid(header);
  return header;
}

/**
 * SHA-256 over everything that makes two requests the same: operation, path and query values,
 * validated body.
 */
export const requestHash = (parts: readonly unknown[]): Buffer =>
  createHash('sha256')
    .update(JSON.stringify(parts, (_, value) => (typeof value === 'bigint' ? `${value}` : value)))
    .digest();

/** The same for a body with a secret in it, which nobody can find by trying without the server's. */
export const keyedHash = (serverSecret: string, parts: readonly unknown[]): Buffer =>
  createHmac('sha256', `guildhall requests ${serverSecret}`).update(requestHash(parts)).digest();

/**
 * Claims the key for this request, or returns the stored answer to it.
 *
 * Errors: 409 idempotency_key_reused (a different request), 409 idempotency_in_progress (the first
 * is still running).
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
          status = null, headers = null, body = null, brief_body = null
      where k.claimed_at < now() - ${KEPT}::interval
         or (k.status is null and k.request_hash = excluded.request_hash
           and k.claimed_at < now() - ${LEASE}::interval)
    returning claim`);
  if (rows.length > 0) return { claim: { userId, key, claim: id } };
  const first = await db.maybeOne<SentAnswer & { status: number | null; same: boolean }>(sql`
    select status, headers, request_hash = ${hash} as same,
           case when brief_body is not null and claimed_at > now() - ${KEPT_WHOLE}::interval
                then brief_body else body end as body
      from idempotency_key where user_id = ${userId} and key = ${key}`);
  if (first === undefined) throw idempotencyInProgress();
  if (!first.same) throw idempotencyKeyReused();
  if (first.status === null) throw idempotencyInProgress();
  return { replay: { status: first.status, headers: first.headers, body: first.body } };
}

/**
 * Answers that may still change are not stored (ruling 1.11), nor is the one that asks for a proof and
 * for the same request again.
 */
const isFinal = ({ status, code }: { status: number; code?: string }): boolean =>
  status < 500 && status !== 429 && status !== 202 && code !== proofRequired.code;

/**
 * Stores the answer under the claim; in `tx` it commits with the change that it reports. For an
 * answer that is not final, it ends the claim's lease instead, so that the same request, and only
 * that one, may run again at once. False if the claim was lost in the meantime.
 */
export async function settle(
  tx: Pick<Tx, 'many'>,
  { userId, key, claim }: Claim,
  answer: SentAnswer & { code?: string },
): Promise<boolean> {
  const rows = await tx.many(
    isFinal(answer)
      ? sql`update idempotency_key set status = ${answer.status}, headers = ${answer.headers},
        body = ${answer.lasting ?? answer.body},
        brief_body = ${answer.lasting === undefined ? null : answer.body}
             where user_id = ${userId} and key = ${key} and claim = ${claim} and status is null
               returning key`
      : sql`update idempotency_key set claimed_at = now() - ${LEASE}::interval - interval '1 second'
             where user_id = ${userId} and key = ${key} and claim = ${claim} and status is null
               returning key`,
  );
  return rows.length > 0;
}

/**
 * Frees the key when this request was refused because the key belongs to another one, which may
 * still be repeated.
 */
export async function release(db: Database, { userId, key, claim }: Claim): Promise<void> {
  await db.many(sql`
    delete from idempotency_key
     where user_id = ${userId} and key = ${key} and claim = ${claim} and status is null`);
}

/** Forgets what answers hold for minutes only. A replay goes on without it. */
export async function forgetBriefly(db: Pick<Database, 'many'>): Promise<void> {
  await db.many(sql`
    update idempotency_key set brief_body = null
     where brief_body is not null and claimed_at < now() - ${KEPT_WHOLE}::interval`);
}

/** Answers that are repeated no more. Ruling 1.11 keeps them 30 days: no setting exceeds that. */
export const oldAnswers = (days: number): RetentionRule =>
  retentionRule({
    name: 'answers of idempotency keys',
    setting: 'RETENTION_IDEMPOTENCY_DAYS',
    days,
    which: (before) => sql`
      select ctid from idempotency_key where claimed_at < ${before} order by claimed_at`,
    remove: (due) => sql`delete from idempotency_key where ctid = ${due} returning key`,
  });
