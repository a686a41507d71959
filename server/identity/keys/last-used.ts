import type { Database } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';

/** Records when credentials were last used, outside of the request path. */
interface LastUsed {
  /** Remembers a use without writing it. */
  note(id: string): void;
  /** Writes the remembered uses in one statement. */
  flush(): Promise<void>;
  /** Writes what remains and stops. */
  close(): Promise<void>;
}

/** The statement that writes when each of these credentials was used, unless it is known later. */
export type WriteUses = (ids: string[], times: Date[]) => Sql;

// In order, so that two processes with the same credentials cannot deadlock.
export const usesOfKeys: WriteUses = (ids, times) => sql`
  with noted as (
    select k.id, n.at from unnest(${ids}::uuid[], ${times}::timestamptz[]) n(id, at)
      join api_key k using (id)
     where k.last_used_at is null or k.last_used_at < n.at order by k.id for update of k)
  update api_key k set last_used_at = noted.at from noted where k.id = noted.id`;

export const usesOfSessions: WriteUses = (ids, times) => sql`
  with noted as (
    select s.id, n.at from unnest(${ids}::uuid[], ${times}::timestamptz[]) n(id, at)
      join session s using (id)
     where s.last_seen_at is null or s.last_seen_at < n.at order by s.id for no key update of s)
  update session s set last_seen_at = noted.at from noted where s.id = noted.id`;

/**
 * Writes the remembered uses every `interval` milliseconds. A failed write is repeated with the
 * next one.
 */
export function lastUsed(
  db: Pick<Database, 'many'>,
  write: WriteUses,
  onError: (error: unknown) => void,
  interval = 10_000,
): LastUsed {
  let used = new Map<string, Date>();
  const timer = setInterval(() => flush().catch(onError), interval).unref();

  async function flush(): Promise<void> {
    if (used.size === 0) return;
    const noted = used;
    used = new Map();
    try {
      await db.many(write([...noted.keys()], [...noted.values()]));
    } catch (error) {
      used = new Map([...noted, ...used]);
      throw error;
    }
  }

  return {
    note: (id) => used.set(id, new Date()),
    flush,
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}
