import type { OfConnection } from '../access/odoo-connection.ts';
import { sql } from '../db/sql.ts';
import type { SealedRow, SealedValues } from '../platform/sealing/rotate.ts';

/** What a connection's secret is bound to: its row, its project and the origin of its address. */
export const contextOf = ({
  connection_id,
  project_id,
  url,
}: Pick<OfConnection, 'connection_id' | 'project_id' | 'url'>): string =>
  `odoo_connection ${connection_id} ${project_id} ${new URL(url).origin}`;

/** The secrets of connections, for when the secret of the servers is replaced. */
export const sealedConnections: SealedValues = {
  name: 'odoo_connection',
  use: 'connections',
  next: async (tx, keyId, after, most) => {
    const rows = await tx.many<Found>(sql`
      select id, project_id, url, secret as sealed, secret_key_id as "keyId"
        from odoo_connection
       where secret is not null and secret_key_id <> ${keyId} and id > ${after}
       order by id limit ${most} for no key update`);
    return rows.map(({ project_id, url, ...row }) => ({
      ...row,
      context: contextOf({ connection_id: row.id, project_id, url }),
    }));
  },
  store: (tx, rows) =>
    tx.many(sql`
      update odoo_connection c set secret = anew.sealed, secret_key_id = anew.key_id
        from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ sealed }) => sealed)}::bytea[],
                    ${rows.map(({ keyId }) => keyId)}::text[]) anew (id, sealed, key_id)
       where c.id = anew.id`),
};

type Found = Pick<SealedRow, 'id' | 'sealed' | 'keyId'> & { project_id: string; url: string };
