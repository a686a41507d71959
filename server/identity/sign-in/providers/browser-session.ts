import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import { PROOF_MINUTES, sessionHash } from '../../../http/session-cookie.ts';

type Headers = Record<string, string | undefined>;

/** The session of a browser that follows a link, instead of calling an operation. */
export interface BrowserSession {
  id: string;
  userId: string;
  proven: boolean;
}

/** The session of the cookie, if it is open and not pending. */
export async function browserSession(
  db: Pick<Database, 'read'>,
  headers: Headers,
  publicUrl: string,
): Promise<BrowserSession | undefined> {
  const tokenHash = sessionHash(headers, publicUrl);
  if (tokenHash === undefined) return undefined;
  const [session] = await db.read<BrowserSession>(sql`
    select s.id, s.user_id as "userId",
           coalesce(s.proven_at > now() - make_interval(mins => ${PROOF_MINUTES}), false) as proven
      from session s join app_user u on u.id = s.user_id
     where s.token_hash = ${tokenHash} and not s.pending and s.ended_at is null
       and s.expires_at > now() and u.is_active`);
  return session;
}

/**
 * Whether a page of this server has the link that was followed. Browsers omit Sec-Fetch-Site on
 * plain HTTP to local names: there only a Referer says so.
 */
export function isOwnLink(headers: Headers, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return URL.parse(headers.referer ?? '')?.origin === new URL(publicUrl).origin;
}

/** The same, or an address that someone typed or kept. */
export const isOwnOrTyped = (headers: Headers): boolean =>
  ['same-origin', 'none', undefined].includes(headers['sec-fetch-site']);
