/**
 * A write without an answer may have been done. Asked for again, it is the same write: it gets the key
 * of the first (`Idempotency-Key`), by which the server knows it. Files are sent without this.
 */

const KEY = 'idempotency-key';
/** Later, the same words are meant anew. */
const MILLISECONDS = 10 * 60_000;

/** Keys by what was asked. */
const unanswered = new Map<string, string>();

/** `send`, with the key of the same write if that had no answer. */
export async function asTheSame(
  request: Request,
  send: (request: Request) => Promise<Response>,
): Promise<Response> {
  const given = request.headers.get(KEY);
  if (!given) return send(request);
  const asked = request.method + request.url + (await request.clone().text());
  const key = unanswered.get(asked) ?? given;
  request.headers.set(KEY, key);
  unanswered.set(asked, key);
  setTimeout(() => unanswered.delete(asked), MILLISECONDS);
  const response = await send(request);
  if (response.status < 500 && !(await isRunning(response))) unanswered.delete(asked);
  return response;
}

/** Whether the first is still at work. The server repeats any other refusal to the same key. */
const isRunning = async (response: Response): Promise<boolean> =>
  response.status === 409 && /idempotency_in_progress/.test(await response.clone().text());
