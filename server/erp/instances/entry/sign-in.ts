import { INSTANCE_LOGIN } from '../password.ts';

const WITHIN_MS = 60_000;
const MOST_BYTES = 1_048_576;

/** Signs in to an Odoo as its administrator. Returns its cookies; undefined where it refuses. */
export async function signInToOdoo(
  url: string,
  { database: db, password }: { database: string; password: string },
): Promise<string[] | undefined> {
  const params = { db, login: INSTANCE_LOGIN, password };
  const answer = await fetch(`${url}/web/session/authenticate`, {
    method: 'POST',
    redirect: 'manual',
    signal: AbortSignal.timeout(WITHIN_MS),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', method: 'call', id: 1, params }),
  });
  const cookies = answer.headers.getSetCookie();
  // An error has status 200, too, and a session of nobody.
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of answer.body ?? []) {
    size += part.length;
    if (size > MOST_BYTES) return undefined;
    parts.push(part);
  }
  const said: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'));
  const uid = (said as { result?: { uid?: unknown } } | null)?.result?.uid;
  return typeof uid === 'number' && cookies.length > 0 ? cookies : undefined;
}
