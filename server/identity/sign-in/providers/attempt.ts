import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Tx } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import { cookieNamed } from '../../../http/session-cookie.ts';
import { hashOf, newToken } from '../session.ts';
import type { Secrets } from './provider.ts';

/** How long a browser may stay at the provider, in minutes. */
const ATTEMPT_MINUTES = 10;
const SWEPT = 20;

/** What is kept of a browser that was sent to a provider. */
export interface Attempt {
  provider: string;
  /** Of the person to whom the account is to be linked; null to sign in. */
  session_id: string | null;
  return_to: string;
  /** Of an attempt to install the App on GitHub: for which workspace, if for one. */
  organization_id?: string | null;
  /** What the browser said was installed, in text. */
  installation_id?: string | null;
}

const nameOf = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? '__Host-guildhall-attempt' : 'guildhall-attempt';

/** The Set-Cookie header that binds an attempt to its browser, or ends it for a token of ''. */
export function attemptCookie(publicUrl: string, token: string): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  const age = token === '' ? 0 : ATTEMPT_MINUTES * 60;
  return `${nameOf(publicUrl)}=${token}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`;
}

/** The token of the attempt that this browser has begun. */
export const attemptToken = (
  headers: { cookie?: string | undefined },
  publicUrl: string,
): string | undefined => cookieNamed(nameOf(publicUrl), headers.cookie);

/** All secrets of an attempt follow from its token, which only the browser has. */
export function secretsOf(token: string): Secrets {
  const derived = (label: string) => createHmac('sha256', token).update(label).digest('base64url');
  return { state: derived('state'), nonce: derived('nonce'), verifier: derived('verifier') };
}

/** Whether the browser that comes back is the one that was sent with this state. */
export function hasState(token: string, state: string | undefined): boolean {
  const [mine, theirs] = [Buffer.from(secretsOf(token).state), Buffer.from(state ?? '')];
  return mine.length === theirs.length && timingSafeEqual(mine, theirs);
}

/** Begins an attempt. Returns its token, which only the cookie keeps. */
export async function newAttempt(db: Pick<Tx, 'many'>, attempt: Attempt): Promise<string> {
  const token = newToken();
  await db.many(sql`
    with expired as (
      select token_hash from provider_attempt
       where expires_at < now() order by expires_at limit ${SWEPT} for update skip locked),
    swept as (
      delete from provider_attempt a using expired where a.token_hash = expired.token_hash)
    insert into provider_attempt (token_hash, provider, session_id, organization_id, return_to,
                                  expires_at)
    values (${hashOf(token)}, ${attempt.provider}, ${attempt.session_id},
            ${attempt.organization_id ?? null}, ${attempt.return_to},
            clock_timestamp() + make_interval(mins => ${ATTEMPT_MINUTES}))`);
  return token;
}

/** Takes an attempt, once. Undefined for one that is over, or was with another provider. */
export async function takeAttempt(
  db: Pick<Tx, 'many'>,
  token: string,
  provider: string,
): Promise<Attempt | undefined> {
  const [taken] = await db.many<Attempt>(sql`
    delete from provider_attempt
     where token_hash = ${hashOf(token)} and provider = ${provider} and expires_at > now()
    returning provider, session_id, return_to, organization_id, installation_id::text`);
  return taken;
}

/** Keeps what the browser says was installed. False for an attempt that is over. */
export async function noteInstallation(
  db: Pick<Tx, 'many'>,
  { token, provider }: { token: string; provider: string },
  installationId: number,
): Promise<boolean> {
  const noted = await db.many(sql`
    update provider_attempt set installation_id = ${installationId}
     where token_hash = ${hashOf(token)} and provider = ${provider} and expires_at > now()
    returning provider`);
  return noted.length === 1;
}
