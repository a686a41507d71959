import type { Database } from '../db/database/database.ts';
import { idempotencyKeyReused } from './errors.ts';
import { claim, keyedHash, release, requestHash, settle } from './idempotency.ts';
import { hasSecret } from './input/error-item.ts';
import { errorBody, toApiError } from './render-error.ts';
import type { RequestContext } from './request-context.ts';
import type { Answer, Route } from './route.ts';

/**
 * The answer to a request with an Idempotency-Key: the stored one, or the handler's, which is
 * stored with the change that it reports. Errors: those of `claim`; 401 and 403 if the caller no
 * longer has the right to the stored answer.
 */
export async function answerOnce(
  db: Database,
  key: string,
  context: RequestContext,
  route: Route,
  handle: (context: RequestContext) => Promise<Answer>,
  serverSecret: string,
): Promise<Answer> {
  const { userId } = await context.authenticate();
  const claimed = await claim(db, userId, key, hashOf(context, route, serverSecret));
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
    const { status, headers, code } = shown;
    // An operation may remember a key for longer than its answer is stored; then the key belongs to
    // that earlier request.
    const ended =
      code === idempotencyKeyReused.code
        ? release(db, claimed.claim)
        : settle(db, claimed.claim, { status, headers, code, body: errorBody(shown) });
    // If this fails too, the claim's lease expires.
    await ended.catch(() => {});
    throw error;
  }
}

// An upload is identified by its size and type, because its bytes have not arrived yet.
function hashOf(
  { params, query, body, headers }: RequestContext,
  route: Route,
  serverSecret: string,
): Buffer {
  const parts = [
    route.operationId,
    params,
    query,
    body,
    headers['if-match'] ?? null,
    ...(route.upload === undefined ? [] : [headers['content-type'], headers['content-length']]),
  ];
  return hasSecret(route.body) ? keyedHash(serverSecret, parts) : requestHash(parts);
}
