import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { asName } from '../../http/input/names.ts';
import { isUsableRedirect } from './redirect-uri.ts';

const MOST_REDIRECTS = 5;
const LONGEST_NAME = 100;

/** Applications that may register within ten minutes, from all networks together. */
const MOST_AT_ONCE = 300;

interface Registered {
  id: string;
  name: string;
  redirectUris: string[];
  at: Date;
}

/** Why an application is not registered: the error of RFC 7591, and a sentence. */
interface RegistrationRefused {
  error: 'invalid_redirect_uri' | 'invalid_client_metadata' | 'temporarily_unavailable';
  detail: string;
}

/**
 * Registers an application that says so itself (RFC 7591). Of what it says, its name and its addresses
 * are kept; it gets no secret, since it could keep none. Whoever registers can do nothing by it.
 */
export async function registerClient(
  db: Pick<Database, 'maybeOne'>,
  metadata: unknown,
): Promise<Registered | RegistrationRefused> {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
    return { error: 'invalid_client_metadata', detail: 'Send a JSON object' };
  const { redirect_uris: uris, client_name: called } = metadata as Record<string, unknown>;
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MOST_REDIRECTS)
    return {
      error: 'invalid_redirect_uri',
      detail: `Send redirect_uris: an array of 1 to ${MOST_REDIRECTS} addresses`,
    };
  if (!uris.every((uri): uri is string => typeof uri === 'string' && isUsableRedirect(uri)))
    return {
      error: 'invalid_redirect_uri',
      detail:
        'An address must use HTTPS, be http on localhost, 127.0.0.1 or [::1], or have the scheme of a program ' +
        'such as com.example.app: with at most 500 ASCII characters, without a fragment or a password',
    };
  const clean = typeof called === 'string' ? asName(called.slice(0, 1_000)) : '';
  const name =
    asName(Array.from(clean).slice(0, LONGEST_NAME).join('')) || 'Application without a name';
  const made = await db.maybeOne<{ id: string; created_at: Date }>(sql`
    insert into oauth_client (name, redirect_uris)
    select ${name}, ${uris}::text[]
     where (select count(*) from (
              select from oauth_client
               where created_at > now() - interval '10 minutes' limit ${MOST_AT_ONCE}) c)
           < ${MOST_AT_ONCE}
    returning id, created_at`);
  if (made === undefined)
    return {
      error: 'temporarily_unavailable',
      detail: 'Too many applications have registered in the last minutes: try again in ten minutes',
    };
  return { id: made.id, name, redirectUris: uris, at: made.created_at };
}

/**
 * Deletes what is of no use any more: applications that registered and that nobody has let in within
 * a day, and how ended connections were renewed. Their keys stay, revoked, as those of people do.
 */
export async function purgeApplications(db: Pick<Database, 'many'>): Promise<void> {
  await db.many(sql`
    delete from oauth_connection o using api_key k
     where k.id = o.key_id and k.expires_at < now() - interval '1 day'
       and (k.revoked_at is not null or o.redeemed_at is null or o.expires_at < now())`);
  await db.many(sql`
    delete from oauth_client c
     where c.created_at < now() - interval '1 day'
       and not exists (select from api_key k where k.oauth_client_id = c.id)`);
}
