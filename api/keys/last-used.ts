import type { Database } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';

/** Records when keys were last used, outside of the request path. */
export interface LastUsed {
  /** Remembers a use without writing it. */
  note(keyId: string): void;
  /** Writes the remembered uses in one statement. */
  flush(): Promise<void>;
  /** Writes what remains and stops. */
  close(): Promise<void>;
}

/**
 * Writes the remembered uses every `interval` milliseconds. A failed write is repeated with the
 * next one.
 */
export function lastUsed(
  db: Database,
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
      // In order, so that two processes with the same keys cannot deadlock.
      await db.many(sql`
        with noted as (
          select k.id, n.at from unnest(${[...noted.keys()]}::uuid[],
            ${[...noted.values()]}::timestamptz[]) n(id, at)
            join api_key k using (id)
           where k.last_used_at is null or k.last_used_at < n.at order by k.id for update of k)
        update api_key k set last_used_at = noted.at from noted where k.id = noted.id`);
    } catch (error) {
      used = new Map([...noted, ...used]);
      throw error;
    }
  }

  return {
    note: (keyId) => used.set(keyId, new Date()),
    flush,
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}
