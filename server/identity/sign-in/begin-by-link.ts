import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Config } from '../../platform/config/config.ts';
import { maySignUp } from './link-mail.ts';
import { beginSession, type SignInRequest } from './session.ts';
import { setPassword } from './set-password.ts';
import { linkBegan, type OpenLink, takeLink } from './sign-in-link.ts';

/**
 * Begins a session by a link, which then works no more; the password with this hash is set. Returns
 * undefined if another request has used the link, or its user may not sign in any more. Without
 * `signUp`, no link makes a user.
 */
export async function beginByLink(
  tx: Tx,
  link: OpenLink,
  {
    name,
    phc,
    signUp,
    request,
  }: {
    name?: string | undefined;
    phc?: string | undefined;
    signUp?: Config['signUp'];
    request: SignInRequest;
  },
): Promise<{ userId: string; token: string; pending: boolean } | undefined> {
  const user = await (link.user_id === null
    ? newUser(tx, link, { name, signUp, requestId: request.requestId })
    : lockedUser(tx, link.user_id, link));
  if (user === undefined) return undefined;
  const { id, two_factor: pending } = user;
  const session = await beginSession(tx, id, { by: 'link', pending, request });
  if (session === undefined) return undefined;
  await linkBegan(tx, link.id, session.id);
  const caller = { userId: id, keyId: null, sessionId: session.id };
  // A second factor that was enrolled since the link was looked at is asked for first.
  const asked = pending && link.purpose === 'sign_in';
  if (phc !== undefined && !asked)
    await setPassword(tx, { caller, phc, requestId: request.requestId });
  return { userId: id, token: session.token, pending };
}

interface Person {
  id: string;
  two_factor: boolean;
}

// The user is locked before the link, as a deactivation does. The operator, who makes the links that
// only sign in, vouches for a person who was imported with a second factor that is not known here:
// it cannot be asked for.
async function lockedUser(
  tx: Tx,
  id: string,
  { id: linkId, purpose }: OpenLink,
): Promise<Person | undefined> {
  const user = await tx.maybeOne<Person>(sql`
    select id,
           case when ${purpose} = 'sign_in' then has_second_factor(id)
                else two_factor end as two_factor
      from app_user where id = ${id} and is_active for no key update`);
  return user !== undefined && (await takeLink(tx, linkId)) ? user : undefined;
}

/**
 * A new user, whose address the link has proven. Undefined if it belongs to a user by now, or may not
 * sign up any more.
 */
async function newUser(
  tx: Tx,
  { id, email }: OpenLink,
  {
    name,
    signUp,
    requestId,
  }: { name: string | undefined; signUp: Config['signUp'] | undefined; requestId: string },
): Promise<Person | undefined> {
  if (signUp === undefined || !(await maySignUp(tx, email, signUp))) return undefined;
  if (!(await takeLink(tx, id))) return undefined;
  return tx.maybeOne(sql`
    with made as (
      insert into app_user (email, name) values (${email}, ${name})
      on conflict (mailbox(email)) do nothing returning id, two_factor),
    recorded as (
      insert into audit_event (actor_user_id, action, outcome, target_id, after, request_id)
      select id, 'user.create', 'done', id, ${{ email, name }}, ${requestId} from made)
    select id, two_factor from made`);
}
