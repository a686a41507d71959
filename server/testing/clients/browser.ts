import { sql } from '../../db/sql.ts';
import { hashOf, newToken } from '../../identity/sign-in/session.ts';
import type { User } from '../fixtures/tenants.ts';
import type { Call, Harness, Reply } from '../harness/harness.ts';

/** A browser, which keeps one cookie and sends it from the pages of the server. */
export interface Browser {
  /** `guildhall=…`, or '' without a session. */
  cookie: string;
  request(method: string, path: string, call?: Call): Promise<Reply>;
}

const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

/** A browser without a session. */
export function openBrowser({ request }: Pick<Harness, 'request'>): Browser {
  const browser: Browser = {
    cookie: '',
    request: async (method, path, call = {}) => {
      const cookie = browser.cookie === '' ? {} : { cookie: browser.cookie };
      const headers = { ...SAME_ORIGIN, ...cookie, ...call.headers };
      const reply = await request(method, path, { ...call, headers });
      for (const header of reply.headers.getSetCookie()) {
        const [pair = '', ...attributes] = header.split('; ');
        if (!pair.startsWith('guildhall=')) continue;
        browser.cookie = attributes.includes('Max-Age=0') ? '' : pair;
      }
      return reply;
    },
  };
  return browser;
}

/**
 * A browser with a session of this person, who proved who they are some minutes ago: just now, by
 * default. A pending session has no proof.
 */
export async function signedIn(
  { db, request }: Pick<Harness, 'db' | 'request'>,
  { id }: Pick<User, 'id'>,
  { pending = false, provenMinutesAgo = 0 }: { pending?: boolean; provenMinutesAgo?: number } = {},
): Promise<Browser> {
  const token = newToken();
  await db.many(sql`
    insert into session (user_id, token_hash, pending, proven_at, created_at, expires_at)
    values (${id}, ${hashOf(token)}, ${pending},
            case when not ${pending} then now() - make_interval(mins => ${provenMinutesAgo}) end,
            now() - interval '1 day', now() + interval '1 day')`);
  const browser = openBrowser({ request });
  browser.cookie = `guildhall=${token}`;
  return browser;
}
