/**
 * A POST without an answer may have been done. Sent again at once, it is the same: it gets the key of
 * the first (`Idempotency-Key`), by which the server knows it. Once something else was done, or after
 * two minutes, the same words are meant anew.
 */

const KEY = 'idempotency-key';
const MILLISECONDS = 2 * 60_000;

/** Keys by what was asked. */
const unanswered = new Map<string, string>();

/** `send`, with the key of the same request if that had no answer. */
export async function asTheSame(
  request: Request,
  send: (request: Request) => Promise<Response>,
): Promise<Response> {
  const given = request.headers.get(KEY);
  if (!given || request.method !== 'POST') return send(request);
  const asked = request.url + (await request.clone().text());
  const key = unanswered.get(asked) ?? given;
  request.headers.set(KEY, key);
  const keep = () => {
    unanswered.set(asked, key);
    setTimeout(() => unanswered.delete(asked), MILLISECONDS);
  };
  const response = await send(request).catch((error) => {
    keep();
    throw error;
  });
  if (response.ok) unanswered.clear();
  else if (response.status >= 500 || (await isRunning(response))) keep();
  // To the same key, the server repeats any other refusal.
  else unanswered.delete(asked);
  return response;
}

/** Whether the first is still at work. */
const isRunning = async (response: Response): Promise<boolean> =>
  response.status === 409 && /idempotency_in_progress/.test(await response.clone().text());
