import { sql } from '../../db/sql.ts';
import type { SealedRow, SealedValues } from '../../platform/sealing/rotate.ts';

/** What the credential of an import is bound to: its row, and the origin of its address. */
export const contextOf = ({ id, url }: { id: string; url: string }): string =>
  `repository_import ${id} ${new URL(url).origin}`;

/** The credentials of imports under way, for when the secret of the servers is replaced. */
export const sealedImports: SealedValues = {
  name: 'repository_import',
  use: 'imports',
  next: async (tx, keyId, after, most) => {
    const rows = await tx.many<Omit<SealedRow, 'context'> & { url: string }>(sql`
      select id, url, credential as sealed, credential_key_id as "keyId"
        from repository_import
       where credential is not null and credential_key_id <> ${keyId} and id > ${after}
       order by id limit ${most} for no key update`);
    return rows.map(({ url, ...row }) => ({ ...row, context: contextOf({ id: row.id, url }) }));
  },
  store: (tx, rows) =>
    tx.many(sql`
      update repository_import i set credential = anew.sealed, credential_key_id = anew.key_id
        from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ sealed }) => sealed)}::bytea[],
                    ${rows.map(({ keyId }) => keyId)}::text[]) anew (id, sealed, key_id)
       where i.id = anew.id`),
};
