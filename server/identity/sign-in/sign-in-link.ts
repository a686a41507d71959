import { createHmac, createSecretKey } from 'node:crypto';
import type { Database, Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { hashOf, newToken } from './session.ts';

/** How long a sign-in link works, in minutes. */
export const LINK_MINUTES = 60;

export type Purpose = 'sign_in' | 'sign_up' | 'reset';

/** Makes the token of a link that is mailed from its id; no table contains it (ruling 9.3). */
export type LinkToken = (linkId: string) => string;

export function linkTokens(serverSecret: string): LinkToken {
  const secret = createSecretKey(serverSecret, 'utf8');
  return (id) => createHmac('sha256', secret).update(`sign-in-link:${id}`).digest('base64url');
}

/**
 * Makes the sign-in link of a user and ends their earlier one. The token is returned only this
 * once; the table keeps its hash. Lock the user first, so that a deactivation at the same time ends
 * the link too.
 */
export async function createSignInLink(
  tx: Tx,
  userId: string,
): Promise<{ id: string; token: string; expiresAt: Date }> {
  const token = newToken();
  await tx.many(sql`
    update sign_in_link set ended_at = clock_timestamp()
     where user_id = ${userId} and purpose = 'sign_in' and ended_at is null`);
  const { id, expires_at } = await tx.one<{ id: string; expires_at: Date }>(sql`
    insert into sign_in_link (user_id, token_hash, expires_at)
    values (${userId}, ${hashOf(token)}, now() + make_interval(mins => ${LINK_MINUTES}))
    returning id, expires_at`);
  return { id, token, expiresAt: expires_at };
}

/**
 * Makes the one open link with which an address signs up, also when another request makes one at
 * the same time.
 */
export async function replaceSignUpLink(
  tx: Pick<Tx, 'many'>,
  email: string,
  tokenHash: Buffer,
): Promise<void> {
  for (;;) {
    await tx.many(sql`
      update sign_in_link set ended_at = clock_timestamp()
       where ended_at is null and purpose = 'sign_up' and mailbox(email) = mailbox(${email})`);
    const made = await tx.many(sql`
      insert into sign_in_link (email, purpose, token_hash, expires_at)
      values (${email}, 'sign_up', ${tokenHash},
              clock_timestamp() + make_interval(mins => ${LINK_MINUTES}))
      on conflict do nothing returning id`);
    if (made.length > 0) return;
  }
}

/** A link that may still work. `user_id` is null for one to sign up. */
export interface OpenLink {
  id: string;
  purpose: Purpose;
  user_id: string | null;
  email: string;
  name: string | null;
  /** Whether its user has neither a password nor a second factor that is known here. */
  has_no_factor: boolean;
  /** Whether the account demands one: `unknown` is one of an import, which is not known here. */
  second_factor: 'none' | 'asked' | 'unknown';
}

/** Whether using a link takes a new password. One that only signs in takes a first one at most. */
export const passwordOf = ({
  purpose,
  has_no_factor,
}: OpenLink): 'required' | 'optional' | 'none' => {
  if (purpose !== 'sign_in') return 'required';
  return has_no_factor ? 'optional' : 'none';
};

/** The link of a token, or undefined for one that is unknown, expired, used or replaced. */
export const openLink = async (
  db: Pick<Database, 'read'>,
  linkToken: string,
): Promise<OpenLink | undefined> => {
  const [link] = await db.read<OpenLink>(sql`
    select l.id, l.purpose, l.user_id, coalesce(l.email, u.email) as email, u.name,
           not (exists (select from password p where p.user_id = l.user_id)
                or has_second_factor(l.user_id)) as has_no_factor,
           case when has_second_factor(l.user_id) then 'asked'
                when u.two_factor then 'unknown' else 'none' end as second_factor
      from sign_in_link l left join app_user u on u.id = l.user_id
     where l.token_hash = ${hashOf(linkToken)} and l.ended_at is null and l.expires_at > now()
       and (l.user_id is null or u.is_active)`);
  return link;
};

/**
 * Takes a link, so that no one else can: false if another request was faster. Lock its user first,
 * as a deactivation does.
 */
export async function takeLink(tx: Pick<Tx, 'maybeOne'>, linkId: string): Promise<boolean> {
  const taken = await tx.maybeOne(sql`
    update sign_in_link set ended_at = clock_timestamp()
     where id = ${linkId} and ended_at is null and expires_at > now() returning id`);
  return taken !== undefined;
}

/** Records which session a link began. */
export const linkBegan = (tx: Pick<Tx, 'many'>, linkId: string, sessionId: string) =>
  tx.many(sql`update sign_in_link set session_id = ${sessionId} where id = ${linkId}`);
