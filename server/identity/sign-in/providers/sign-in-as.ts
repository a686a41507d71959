import type { Tx } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import { asName } from '../../../http/input/names.ts';
import { readEmail } from '../../../http/input/readers/email.ts';
import { maySignUp } from '../link-mail.ts';
import { beginSession, type SignInRequest } from '../session.ts';
import { byOf, type Person } from './provider.ts';
import type { Issuing } from './providers.ts';

/** Why someone whom a provider knows is not signed in. */
type Refused = 'email_not_verified' | 'account_exists' | 'account_deactivated' | 'sign_up_closed';

interface Signing {
  provider: Issuing;
  person: Person;
  request: SignInRequest;
  /** Whether everyone may sign up, or those who are invited. */
  signUp: 'open' | 'invited';
}

type SignedIn = { token: string; pending: boolean };

/**
 * Begins the session of someone who has come back from a provider. Only the provider's subject says
 * who they are: an address may have changed hands there. If the subject is new, an account is made,
 * but only with an address that the provider has verified and no account has. A second factor is
 * still asked for.
 */
export async function signInAs(tx: Tx, signing: Signing): Promise<SignedIn | Refused> {
  const known = await userOf(tx, signing);
  if (known !== undefined) return begin(tx, known, signing);
  const made = await signUp(tx, signing);
  if (typeof made === 'object') return begin(tx, made, signing);
  // Another request with the same subject may have been faster.
  const later = made === 'account_exists' ? await userOf(tx, signing) : undefined;
  return later === undefined ? made : begin(tx, later, signing);
}

interface User {
  id: string;
  two_factor: boolean;
  is_active: boolean;
}

const userOf = (tx: Tx, { provider, person }: Signing): Promise<User | undefined> =>
  tx.maybeOne<User>(sql`
    select u.id, u.two_factor, u.is_active
      from identity i join app_user u on u.id = i.user_id
     where i.issuer = ${provider.issuer} and i.subject = ${person.subject} for share of u`);

async function begin(tx: Tx, user: User, signing: Signing): Promise<SignedIn | Refused> {
  const { provider, person, request } = signing;
  if (!user.is_active) return 'account_deactivated';
  const by = byOf(provider);
  const pending = user.two_factor;
  const session = await beginSession(tx, user.id, { by, pending, request });
  if (session === undefined) return 'account_deactivated';
  await tx.many(sql`
    update identity set last_used_at = clock_timestamp(), email = ${person.email ?? null}
     where issuer = ${provider.issuer} and subject = ${person.subject}`);
  return { token: session.token, pending };
}

async function signUp(tx: Tx, signing: Signing): Promise<User | Refused> {
  const { provider, person, request, signUp: open } = signing;
  const email = person.emailVerified ? addressOf(person.email) : undefined;
  if (email === undefined) return 'email_not_verified';
  const isTaken = await tx.many(sql`select from app_user where mailbox(email) = mailbox(${email})`);
  if (isTaken.length > 0) return 'account_exists';
  if (!(await maySignUp(tx, email, open))) return 'sign_up_closed';
  const user = await tx.maybeOne<User>(sql`
    with made as (
      insert into app_user (email, name) values (${email}, ${nameOf(person, email)})
      on conflict (mailbox(email)) do nothing returning id, two_factor, is_active, name),
    recorded as (
      insert into audit_event (actor_user_id, action, outcome, target_id, after, request_id)
      select id, 'user.create', 'done', id,
             jsonb_build_object('email', ${email}::text, 'name', name,
                                'provider', ${provider.id}::text), ${request.requestId}
        from made)
    select id, two_factor, is_active from made`);
  if (user === undefined) return 'account_exists';
  const caller = { userId: user.id, sessionId: null };
  await link(tx, { provider, person, caller, requestId: request.requestId });
  return user;
}

function addressOf(text: string | undefined): string | undefined {
  const read = readEmail(text);
  return 'value' in read ? String(read.value) : undefined;
}

const nameOf = ({ name }: Person, email: string): string =>
  Array.from(asName(name ?? ''))
    .slice(0, 100)
    .join('')
    .trim() || (email.split('@')[0] as string);

/** Links an account elsewhere to a person. False if it is linked to another one. */
export async function link(
  tx: Tx,
  {
    provider,
    person,
    caller,
    requestId,
  }: {
    provider: Issuing;
    person: Person;
    caller: { userId: string; sessionId: string | null };
    requestId: string;
  },
): Promise<boolean> {
  const { email = null, subject } = person;
  const made = await tx.many(sql`
    with made as (
      insert into identity (user_id, provider, issuer, subject, email)
      values (${caller.userId}, ${provider.id}, ${provider.issuer}, ${subject}, ${email})
      on conflict (issuer, subject) do nothing returning id),
    recorded as (
      insert into audit_event (actor_user_id, session_id, action, outcome, target_id, after,
                               request_id)
      select ${caller.userId}, ${caller.sessionId}::uuid, 'identity.create', 'done', id,
             ${{ provider: provider.id, email }}, ${requestId}
        from made)
    select id from made`);
  if (made.length > 0) return true;
  const mine = await tx.many(sql`
    select from identity
     where issuer = ${provider.issuer} and subject = ${subject} and user_id = ${caller.userId}`);
  return mine.length > 0;
}
