import { setTimeout as pause } from 'node:timers/promises';

/** What a text such as the log of a check may have; of a longer one the end is kept. */
const LONGEST_TEXT = 1024 * 1024;
const LONGEST_JSON = 32 * 1024 * 1024;
const MOST_REDIRECTS = 3;

/**
 * `fetch` for GitHub. It reads the whole answer, so that one that is cut off is an error and not an
 * empty answer; bounds it; and follows redirects itself: with the same method and credential where
 * they stay at the API (a renamed repository), without credential where they leave it (logs).
 */
export const sender = (apiUrl: string): typeof fetch => {
  const { origin, protocol } = new URL(apiUrl);
  return async (input, init = {}) => {
    const signal = init.signal ?? undefined;
    let url = new URL(String(input));
    let sent: RequestInit = { ...init, redirect: 'manual' };
    for (let redirects = 0; ; redirects++) {
      if (url.origin !== origin) sent = withoutCredential(sent);
      const answer = await fetch(url, sent);
      const target = redirectOf(answer, url);
      if (target === undefined) return await received(answer, url, signal);
      await answer.body?.cancel();
      if (redirects === MOST_REDIRECTS) throw new Error('too many redirects');
      const read = sent.method === undefined || sent.method === 'GET';
      if (target.origin !== origin && (!read || target.protocol !== protocol))
        throw new Error('a redirect leaves GitHub');
      url = target;
    }
  };
};

const withoutCredential = (sent: RequestInit): RequestInit => {
  const headers = new Headers(sent.headers);
  headers.delete('authorization');
  return { ...sent, headers };
};

function redirectOf(answer: Response, from: URL): URL | undefined {
  if (![301, 302, 307, 308].includes(answer.status)) return undefined;
  return URL.parse(answer.headers.get('location') ?? '', from) ?? undefined;
}

/** The answer with its whole body. `url` is where it came from in the end. */
async function received(answer: Response, url: URL, signal?: AbortSignal): Promise<Response> {
  const json = /[/+]json\b/.test(answer.headers.get('content-type') ?? '');
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of answer.body ?? []) {
    signal?.throwIfAborted();
    pieces.push(piece);
    size += piece.length;
    if (json && size > LONGEST_JSON) throw new Error('the answer is too long');
    while (!json && size - (pieces[0]?.length ?? size) >= LONGEST_TEXT)
      size -= pieces.shift()?.length ?? 0;
  }
  const body = Buffer.concat(pieces);
  // It would be taken for a text, and its fields would be undefined.
  if (json && body.length > 0) JSON.parse(body.toString());
  const { status, headers } = answer;
  const empty = status === 204 || status === 205 || status === 304;
  const whole = new Response(empty ? null : body.subarray(-LONGEST_JSON), { status, headers });
  return Object.defineProperty(whole, 'url', { value: url.href });
}

/** Waits, unless the signal aborts first: then it throws the signal's reason. */
export async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  await pause(milliseconds, undefined, { signal, ref: false }).catch(() => {
    throw signal.reason;
  });
}
