import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { storageFull } from './errors.ts';

/** Throws 409 storage_full if the files of a project and `more` bytes exceed `limit` bytes. */
export async function requireSpace(
  tx: Pick<Tx, 'maybeOne'>,
  projectId: string,
  limit: number,
  more = 0,
): Promise<void> {
  const used = await tx.maybeOne<{ bytes: bigint | number }>(sql`
    select bytes from project_storage where project_id = ${projectId}`);
  const used_bytes = Number(used?.bytes ?? 0);
  if (used_bytes + more > limit) throw storageFull({ limit_bytes: limit, used_bytes });
}
