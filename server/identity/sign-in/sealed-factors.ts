import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { SealedRow, SealedValues } from '../../platform/sealing/rotate.ts';

/** The secrets of authenticator apps, for when the secret of the servers is replaced. */
export const sealedFactors: SealedValues = {
  name: 'totp',
  use: 'factors',
  next: async (tx, keyId, after, most) => {
    const rows = await tx.many<Omit<SealedRow, 'context'>>(sql`
      select user_id as id, secret as sealed, key_id as "keyId"
        from totp
       where key_id is distinct from ${keyId} and user_id > ${after}
       order by user_id limit ${most} for no key update`);
    return rows.map((row) => ({ ...row, context: row.id }));
  },
  store: (tx, rows) =>
    tx.many(sql`
      update totp t set secret = anew.sealed, key_id = anew.key_id
        from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ sealed }) => sealed)}::bytea[],
                    ${rows.map(({ keyId }) => keyId)}::text[]) anew (id, sealed, key_id)
       where t.user_id = anew.id`),
};

/**
 * How many people have unused recovery codes that only another secret than this one can check: of
 * these codes there are hashes, which cannot be made anew.
 */
export async function codesOfOtherKeys(db: Pick<Database, 'many'>, keyId: string): Promise<number> {
  const [row] = await db.many<{ people: number }>(sql`
    select count(distinct user_id)::integer as people from recovery_code
     where used_at is null and key_id is distinct from ${keyId}`);
  return row?.people ?? 0;
}
