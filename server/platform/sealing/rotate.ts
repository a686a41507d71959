import type { Database, Tx } from '../../db/database/database.ts';
import { CannotOpen, openSealing, type Sealed, type ServerSecrets, type Use } from './sealing.ts';

/** Sealed values of one table, which are sealed anew when the secret of the servers is replaced. */
export interface SealedValues {
  /** The table, for people. */
  name: string;
  use: Use;
  /**
   * Locks the next rows after `after` that are not sealed with the key `keyId`, by their id, which is
   * a UUID.
   */
  next(tx: Tx, keyId: string, after: string, most: number): Promise<SealedRow[]>;
  store(tx: Tx, rows: readonly (Sealed & { id: string })[]): Promise<unknown>;
}

export interface SealedRow {
  id: string;
  sealed: Buffer;
  keyId: string | null;
  /** What the value is bound to. */
  context: string;
}

interface Rotated {
  name: string;
  /** Values that were sealed anew. */
  sealed: number;
  /** The rows whose value does not open with any of the secrets: they stay as they are. */
  unopened: string[];
}

const FIRST = '00000000-0000-0000-0000-000000000000';
const BATCH = 100;

/**
 * Seals every value anew that is not sealed with the current secret. Each batch is a short
 * transaction, so it may be stopped at any moment and run again; servers read all the while. What
 * does not open is left as it is and named by its id.
 */
export async function rotate(
  db: Pick<Database, 'transaction'>,
  secrets: ServerSecrets,
  values: readonly SealedValues[],
  batch = BATCH,
): Promise<Rotated[]> {
  const rotated: Rotated[] = [];
  for (const each of values) {
    const done: Rotated = { name: each.name, sealed: 0, unopened: [] };
    const sealing = openSealing(secrets, each.use);
    for (let after: string | undefined = FIRST; after !== undefined; ) {
      const from: string = after;
      after = await db.transaction(async (tx) => {
        const rows = await each.next(tx, sealing.keyId, from, batch);
        const anew = rows.flatMap((row) => {
          const secret = opened(sealing, row);
          if (secret === undefined) return [];
          return { id: row.id, ...sealing.seal(secret, row.context) };
        });
        if (anew.length > 0) await each.store(tx, anew);
        const stored = new Set(anew.map(({ id }) => id));
        done.sealed += anew.length;
        done.unopened.push(...rows.flatMap(({ id }) => (stored.has(id) ? [] : id)));
        return rows.length < batch ? undefined : rows.at(-1)?.id;
      });
    }
    rotated.push(done);
  }
  return rotated;
}

function opened(sealing: ReturnType<typeof openSealing>, row: SealedRow): Buffer | undefined {
  try {
    return sealing.open(row, row.context);
  } catch (error) {
    if (error instanceof CannotOpen) return undefined;
    throw error;
  }
}
