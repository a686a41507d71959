import type { Database } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';

/** Notes when keys were last used, off the request path. */
export interface LastUsed {
  /** Remembers a use; writes nothing yet. */
  note(keyId: string): void;
  /** Writes what was noted, in one statement. */
  flush(): Promise<void>;
  /** Writes the rest and stops. */
  close(): Promise<void>;
}

/** Writes the noted uses every `interval` milliseconds. A write that fails is tried again with the next one. */
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
      // Ordered, so that two processes that note the same keys cannot wait for each other.
      await db.many(sql`
        with noted as (
          select k.id, n.at from unnest(${[...noted.keys()]}::uuid[], ${[...noted.values()]}::timestamptz[]) n(id, at)
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
