import Type from 'typebox';
import type { Database, Tx } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import { apiError } from '../../../http/errors.ts';
import { uuid } from '../../../http/input/fields.ts';
import { name } from '../../../http/input/names.ts';
import { resource } from '../../../http/resource.ts';
import { timestamp } from '../../../http/timestamps.ts';
import { type Asked, takeChallenge } from './challenge.ts';
import type { AssertedCredential } from './credential.ts';
import { type Known, userHandle } from './options.ts';
import type { RelyingParty } from './relying-party.ts';
import { challengeOf, type StoredPasskey, verifyAsserted } from './webauthn.ts';

/** A passkey, from a row `t` of its table. */
export const passkey = resource('Passkey', {
  id: [uuid(), sql`t.id`, '5e6f7081-9203-4a1b-8c2d-3e4f50617283'],
  name: [
    name({ maxLength: 100, description: 'Where it is kept.' }),
    sql`t.name`,
    'Laptop',
    'writable',
  ],
  created_at: [timestamp(), sql`t.created_at`, '2026-11-21T08:15:30.123Z'],
  last_used_at: [Type.Optional(timestamp()), sql`t.last_used_at`, '2026-11-22T17:02:11.480Z'],
  backed_up: [
    Type.Boolean({ description: 'Whether it is kept in more than one device.' }),
    sql`t.backed_up`,
    true,
  ],
});

export const passkeysUnavailable = apiError(
  409,
  'passkeys_unavailable',
  'Passkeys need a domain name and HTTPS, which the address of this server does not have',
);
export const noPasskey = apiError(409, 'no_passkey', 'You have no passkey: use another factor');

/** A passkey that has signed, and the state to keep of it. */
interface Signed {
  id: string;
  userId: string;
  counter: number;
  backedUp: boolean;
}

/** Errors: 409 passkeys_unavailable. */
export function requireParty(party: RelyingParty | undefined): RelyingParty {
  if (party === undefined) throw passkeysUnavailable();
  return party;
}

/** The passkeys of a person, as a browser has to know them. */
export async function passkeysOf(db: Pick<Tx, 'many'>, userId: string): Promise<Known[]> {
  const rows = await db.many<{ credential_id: Buffer; transports: string[] }>(sql`
    select credential_id, transports from passkey where user_id = ${userId}
     order by created_at, id`);
  return rows.map(({ credential_id, transports }) => ({
    id: credential_id.toString('base64url'),
    transports,
  }));
}

/**
 * The passkey that has answered a challenge, which is spent by that, whatever the answer. Undefined
 * if anything about it is wrong: the challenge is not for this, or the passkey is another person's.
 * `userId`: whose it must be; without one, its user handle says whose it is.
 */
export async function signedBy(
  db: Pick<Database, 'many'>,
  party: RelyingParty,
  credential: AssertedCredential,
  asked: Asked & { userId?: string },
): Promise<Signed | undefined> {
  const challenge = await challengeOf(credential);
  if (challenge === undefined || !(await takeChallenge(db, challenge, asked))) return undefined;
  const [row] = await db.many<Stored>(sql`
    select id, user_id, credential_id, public_key, counter::float8 as counter
      from passkey where credential_id = ${Buffer.from(credential.id, 'base64url')}`);
  if (row === undefined || !isOf(row.user_id, credential, asked.userId)) return undefined;
  const passkey: StoredPasskey = {
    credentialId: row.credential_id,
    publicKey: row.public_key,
    counter: row.counter,
  };
  const signed = await verifyAsserted(party, credential, { challenge, passkey });
  return signed && { id: row.id, userId: row.user_id, ...signed };
}

interface Stored {
  id: string;
  user_id: string;
  credential_id: Buffer;
  public_key: Buffer;
  counter: number;
}

function isOf(
  owner: string,
  { response: { userHandle: said } }: AssertedCredential,
  userId: string | undefined,
): boolean {
  if (userId !== undefined && owner !== userId) return false;
  return said === undefined ? userId !== undefined : said === userHandle(owner);
}

/**
 * Keeps the state of a passkey that has signed. False if it has signed again in the meantime, or is
 * gone: of two answers with one counter, the first counts.
 */
export async function noteUse(tx: Pick<Tx, 'many'>, used: Signed): Promise<boolean> {
  const { id, counter, backedUp } = used;
  const noted = await tx.many(sql`
    update passkey
       set counter = ${counter}, backed_up = ${backedUp}, last_used_at = clock_timestamp()
     where id = ${id} and (counter < ${counter} or counter = 0 and ${counter} = 0)
    returning id`);
  return noted.length === 1;
}
