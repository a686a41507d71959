import { sql } from '../../db/sql.ts';
import type { SealedRow, SealedValues } from '../../platform/sealing/rotate.ts';

/** What a token is bound to: its row, and the server that it may be sent to. */
export const tokenContext = ({ id, url }: { id: string; url: string }): string =>
  `gitea_connection ${id} ${url}`;

/** What the secret of a webhook is bound to. */
export const hookContext = (repositoryId: string): string => `gitea_webhook ${repositoryId}`;

/** The tokens of connections, for when the secret of the servers is replaced. */
export const sealedGiteaTokens: SealedValues = {
  name: 'gitea_connection',
  use: 'code_hosts',
  next: async (tx, keyId, after, most) => {
    const rows = await tx.many<Omit<SealedRow, 'context'> & { url: string }>(sql`
      select id, url, token as sealed, token_key_id as "keyId" from gitea_connection
       where token_key_id <> ${keyId} and id > ${after}
       order by id limit ${most} for no key update`);
    return rows.map(({ url, ...row }) => ({ ...row, context: tokenContext({ id: row.id, url }) }));
  },
  store: (tx, rows) =>
    tx.many(sql`
      update gitea_connection c set token = anew.sealed, token_key_id = anew.key_id
        from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ sealed }) => sealed)}::bytea[],
                    ${rows.map(({ keyId }) => keyId)}::text[]) anew (id, sealed, key_id)
       where c.id = anew.id`),
};

/** The secrets of webhooks, likewise. */
export const sealedGiteaWebhooks: SealedValues = {
  name: 'gitea_webhook',
  use: 'code_hosts',
  next: async (tx, keyId, after, most) => {
    const rows = await tx.many<Omit<SealedRow, 'context'>>(sql`
      select repository_id as id, secret as sealed, secret_key_id as "keyId" from gitea_webhook
       where secret_key_id <> ${keyId} and repository_id > ${after}
       order by repository_id limit ${most} for no key update`);
    return rows.map((row) => ({ ...row, context: hookContext(row.id) }));
  },
  store: (tx, rows) =>
    tx.many(sql`
      update gitea_webhook w set secret = anew.sealed, secret_key_id = anew.key_id
        from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ sealed }) => sealed)}::bytea[],
                    ${rows.map(({ keyId }) => keyId)}::text[]) anew (id, sealed, key_id)
       where w.repository_id = anew.id`),
};
