import { sql } from '../../db/sql.ts';
import type { SealedRow, SealedValues } from '../sealing/rotate.ts';

interface Place {
  project_id: string;
  name: string;
  stage: string | null;
}

/** What the secret of a variable is bound to. */
export const contextOf = ({ project_id, name, stage }: Place): string =>
  `project_variable ${project_id} ${name} ${stage ?? 'every stage'}`;

/** The secrets of variables, for when the secret of the servers is replaced. */
export const sealedVariables: SealedValues = {
  name: 'project_variable',
  use: 'variables',
  next: async (tx, keyId, after, most) => {
    const rows = await tx.many<Pick<SealedRow, 'id' | 'sealed' | 'keyId'> & Place>(sql`
      select id, project_id, name, stage, sealed, sealed_key_id as "keyId"
        from project_variable
       where sealed is not null and sealed_key_id <> ${keyId} and id > ${after}
       order by id limit ${most} for no key update`);
    return rows.map(({ project_id, name, stage, ...row }) => ({
      ...row,
      context: contextOf({ project_id, name, stage }),
    }));
  },
  store: (tx, rows) =>
    tx.many(sql`
      update project_variable v set sealed = anew.sealed, sealed_key_id = anew.key_id
        from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ sealed }) => sealed)}::bytea[],
                    ${rows.map(({ keyId }) => keyId)}::text[]) anew (id, sealed, key_id)
       where v.id = anew.id`),
};
