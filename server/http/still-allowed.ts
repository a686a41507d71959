import type { Database } from '../db/database/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import type { Credential } from './authenticate.ts';
import type { Access } from './route.ts';

/** Who reads what: a credential, and the object that the access of its route is about. */
export interface Permit {
  credential: Credential;
  access: Pick<Access<never, unknown>, 'many'>;
  objectId: string;
  /** Called with what the access of many says of who may read on. */
  onRights?: ((rights: Record<string, unknown>) => void) | undefined;
}

/** Of more, the question may take so long that it must stand in front of no one else. */
const FEW = 100;

/**
 * Which of these may still read, by their credentials and roles of now: one statement for all
 * permits with the same access, which is asked once for each credential and object. Throws when the
 * database cannot be asked.
 */
export async function stillAllowed(
  db: Pick<Database, 'read' | 'many'>,
  permits: readonly Permit[],
): Promise<boolean[]> {
  const allowed = permits.map(() => false);
  const numbered = permits.map((permit, number) => ({ ...permit, number }));
  for (const group of Map.groupBy(numbered, ({ access }) => access.many).values()) {
    const many = group[0]?.access.many;
    if (many === undefined) throw new Error('a route with events needs an access of many');
    // A person may have hundreds of streams, and the answer for each may be long.
    const alike = [...Map.groupBy(group, whoseAbout).values()];
    const firsts = alike.map(([permit], number) => ({ ...(permit as Numbered), number }));
    const asked = question(firsts, many);
    const rows = firsts.length > FEW ? db.many<Right>(asked) : db.read<Right>(asked);
    for (const rights of await rows)
      for (const { number, onRights } of alike[rights.number] ?? []) {
        allowed[number] = true;
        onRights?.({ ...rights });
      }
  }
  return allowed;
}

/**
 * Whose rights may have ended in the last ten seconds. A revocation is found as long as the
 * transaction that notes it takes less; the check of all streams finds the others.
 */
export async function recentlyRevoked(db: Pick<Database, 'read'>): Promise<ReadonlySet<string>> {
  const rows = await db.read<{ user_id: string }>(sql`
    select distinct user_id from revocation where noted_at > now() - interval '10 seconds'`);
  return new Set(rows.map(({ user_id }) => user_id));
}

/** Deletes revocations that every process has read. */
export async function purgeRevocations(db: Pick<Database, 'many'>): Promise<void> {
  await db.many(sql`delete from revocation where noted_at < now() - interval '1 hour'`);
}

type Right = { number: number };
type Numbered = Permit & { number: number };

/** The same for streams of one credential about one object. */
const whoseAbout = ({ credential: { kind, hash }, objectId }: Permit): string =>
  `${kind} ${hash.toString('base64')} ${objectId}`;

function question(permits: readonly Numbered[], access: Sql): Sql {
  const numbers = permits.map(({ number }) => number);
  const kinds = permits.map(({ credential }) => credential.kind);
  const hashes = permits.map(({ credential }) => credential.hash);
  const objects = permits.map(({ objectId }) => objectId);
  // The conditions of `callerSql`, for many credentials.
  return sql`
    with permit as (
      select * from unnest(${numbers}::int[], ${kinds}::text[], ${hashes}::bytea[],
                           ${objects}::uuid[]) as p (number, kind, hash, object_id)),
    caller as materialized (
      select p.number, p.object_id, u.id as user_id, u.two_factor, k.organization_id as scope
        from permit p
        join api_key k on p.kind = 'key' and k.secret_hash = p.hash and k.revoked_at is null
         and (k.expires_at is null or k.expires_at > now())
        join app_user u on u.id = k.user_id and u.is_active
      union all
      select p.number, p.object_id, u.id as user_id, u.two_factor, null
        from permit p
        join session s on p.kind = 'session' and s.token_hash = p.hash and not s.pending
         and s.ended_at is null and s.expires_at > now()
        join app_user u on u.id = s.user_id and u.is_active),
    access as (${access})
    select access.* from access join caller using (number)
     where access.denied_because is null
       and (caller.scope is null or caller.scope = access.organization_id)`;
}
