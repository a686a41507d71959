import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import type { SealedRow, SealedValues } from '../../../platform/sealing/rotate.ts';
import type { Sealing } from '../../../platform/sealing/sealing.ts';
import { newVapidKey, type VapidKey, vapidKeyOf } from './vapid.ts';

/** Where a browser's push service takes messages, and the keys to encrypt them. */
interface BrowserAddress {
  endpoint: string;
  /** Both in base64url, as the browser gives them. */
  p256dh: string;
  auth: string;
}

const CONTEXTS = {
  push_key: (id: string) => `push_key ${id}`,
  push_subscription: (id: string) => `push_subscription ${id}`,
} as const;

export const sealAddress = (sealing: Sealing, id: string, address: BrowserAddress) =>
  sealing.seal(Buffer.from(JSON.stringify(address)), CONTEXTS.push_subscription(id));

/** Throws CannotOpen. */
export const openAddress = (
  sealing: Sealing,
  { id, sealed, sealed_key_id }: { id: string; sealed: Buffer; sealed_key_id: string },
): BrowserAddress =>
  JSON.parse(
    sealing.open({ sealed, keyId: sealed_key_id }, CONTEXTS.push_subscription(id)).toString(),
  );

interface KeyRow {
  id: string;
  public_key: Buffer;
  sealed: Buffer;
  sealed_key_id: string;
}

/** The key of these servers, which the first of them makes. Throws CannotOpen. */
export async function readVapidKey(
  db: Pick<Database, 'many' | 'write'>,
  sealing: Sealing,
): Promise<VapidKey> {
  const { publicKey, secret } = newVapidKey();
  const id = crypto.randomUUID();
  const { sealed, keyId } = sealing.seal(secret, CONTEXTS.push_key(id));
  const read = sql`select id, public_key, sealed, sealed_key_id from push_key where one`;
  let [row] = await db.many<KeyRow>(read);
  if (row === undefined) {
    await db.write(sql`
      insert into push_key (id, public_key, sealed, sealed_key_id)
      values (${id}, ${publicKey}, ${sealed}, ${keyId}) on conflict (one) do nothing`);
    [row] = await db.many<KeyRow>(read);
  }
  const stored = row as KeyRow;
  const value = { sealed: stored.sealed, keyId: stored.sealed_key_id };
  return vapidKeyOf(stored.public_key, sealing.open(value, CONTEXTS.push_key(stored.id)));
}

/** The key and the addresses, for when the secret of the servers is replaced. */
export const sealedPushKey: SealedValues = {
  name: 'push_key',
  use: 'push',
  next: async (tx, keyId, after, most) => {
    const rows = await tx.many<Omit<SealedRow, 'context'>>(sql`
      select id, sealed, sealed_key_id as "keyId" from push_key
       where sealed_key_id <> ${keyId} and id > ${after}
       order by id limit ${most} for no key update`);
    return rows.map((row) => ({ ...row, context: CONTEXTS.push_key(row.id) }));
  },
  store: (tx, rows) =>
    tx.many(sql`
      update push_key e set sealed = anew.sealed, sealed_key_id = anew.key_id
        from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ sealed }) => sealed)}::bytea[],
                    ${rows.map(({ keyId }) => keyId)}::text[]) anew (id, sealed, key_id)
       where e.id = anew.id`),
};

export const sealedPushSubscriptions: SealedValues = {
  name: 'push_subscription',
  use: 'push',
  next: async (tx, keyId, after, most) => {
    const rows = await tx.many<Omit<SealedRow, 'context'>>(sql`
      select id, sealed, sealed_key_id as "keyId" from push_subscription
       where sealed_key_id <> ${keyId} and id > ${after}
       order by id limit ${most} for no key update`);
    return rows.map((row) => ({ ...row, context: CONTEXTS.push_subscription(row.id) }));
  },
  store: (tx, rows) =>
    tx.many(sql`
      update push_subscription e set sealed = anew.sealed, sealed_key_id = anew.key_id
        from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ sealed }) => sealed)}::bytea[],
                    ${rows.map(({ keyId }) => keyId)}::text[]) anew (id, sealed, key_id)
       where e.id = anew.id`),
};
