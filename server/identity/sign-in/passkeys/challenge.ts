import { randomBytes } from 'node:crypto';
import type { Tx } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import { CHALLENGE_MINUTES } from './options.ts';

/** What a challenge is for; one is never answered for another. */
type Purpose = 'register' | 'sign_in' | 'second_factor' | 'proof';

/** Whom a challenge is for: the session that asked, or anyone who signs in. */
export interface Asked {
  purpose: Purpose;
  sessionId: string | null;
}

/** How many that have expired go with each new one, so that the table stays small. */
const SWEPT = 20;

/** Stores a new challenge and returns it in base64url. */
export async function newChallenge(
  db: Pick<Tx, 'many'>,
  { purpose, sessionId }: Asked,
): Promise<string> {
  const challenge = randomBytes(32);
  await db.many(sql`
    with expired as (
      select challenge from passkey_challenge
       where expires_at < now() order by expires_at limit ${SWEPT} for update skip locked),
    swept as (
      delete from passkey_challenge c using expired where c.challenge = expired.challenge)
    insert into passkey_challenge (challenge, purpose, session_id, expires_at)
    values (${challenge}, ${purpose}, ${sessionId},
            clock_timestamp() + make_interval(mins => ${CHALLENGE_MINUTES}))`);
  return challenge.toString('base64url');
}

/**
 * Takes a challenge, which then cannot be answered again. Of answers at the same time, one gets it.
 * False for one that is unknown, expired, taken, or for something else.
 */
export async function takeChallenge(
  db: Pick<Tx, 'many'>,
  challenge: string | undefined,
  { purpose, sessionId }: Asked,
): Promise<boolean> {
  if (challenge === undefined) return false;
  const taken = await db.many(sql`
    delete from passkey_challenge
     where challenge = ${Buffer.from(challenge, 'base64url')} and purpose = ${purpose}
       and session_id is not distinct from ${sessionId} and expires_at > now()
    returning purpose`);
  return taken.length === 1;
}
