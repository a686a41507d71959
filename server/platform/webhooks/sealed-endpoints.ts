import { sql } from '../../db/sql.ts';
import type { SealedRow, SealedValues } from '../sealing/rotate.ts';
import type { Sealed, Sealing } from '../sealing/sealing.ts';

/** What is kept of an endpoint that is never shown whole. */
export interface EndpointSecrets {
  /** The whole address: for Slack and Discord, whoever has it can write there. */
  url: string;
  /** Signs; none for Slack and Discord. */
  secret?: string;
  /** Signs, too, while the overlap lasts. */
  previous?: string;
}

const contextOf = (id: string): string => `webhook_endpoint ${id}`;

export const sealEndpoint = (sealing: Sealing, id: string, secrets: EndpointSecrets): Sealed =>
  sealing.seal(Buffer.from(JSON.stringify(secrets)), contextOf(id));

/** Throws CannotOpen. */
export const openEndpoint = (
  sealing: Sealing,
  { id, sealed, sealed_key_id }: { id: string; sealed: Buffer; sealed_key_id: string },
): EndpointSecrets =>
  JSON.parse(sealing.open({ sealed, keyId: sealed_key_id }, contextOf(id)).toString());

/** The secrets of endpoints, for when the secret of the servers is replaced. */
export const sealedEndpoints: SealedValues = {
  name: 'webhook_endpoint',
  use: 'webhooks',
  next: async (tx, keyId, after, most) => {
    const rows = await tx.many<Omit<SealedRow, 'context'>>(sql`
      select id, sealed, sealed_key_id as "keyId" from webhook_endpoint
       where sealed_key_id <> ${keyId} and id > ${after}
       order by id limit ${most} for no key update`);
    return rows.map((row) => ({ ...row, context: contextOf(row.id) }));
  },
  store: (tx, rows) =>
    tx.many(sql`
      update webhook_endpoint e set sealed = anew.sealed, sealed_key_id = anew.key_id
        from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ sealed }) => sealed)}::bytea[],
                    ${rows.map(({ keyId }) => keyId)}::text[]) anew (id, sealed, key_id)
       where e.id = anew.id`),
};
