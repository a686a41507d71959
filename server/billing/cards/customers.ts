import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';

/**
 * The processor's customer for an account's owner; the first one recorded stays until it is
 * forgotten.
 */
export interface CustomerStore {
  get(accountId: string): Promise<string | undefined>;
  /** Returns the customer on record, which is a different one if another process was faster. */
  put(accountId: string, customerId: string): Promise<string>;
  /** Forgets this customer, but not another one that was recorded in the meantime. */
  forget(accountId: string, customerId: string): Promise<void>;
}

/** Stores customers on the account. */
export const customerStore = (db: Database): CustomerStore => ({
  get: async (accountId) => {
    const row = await db.one<{ customer_id: string | null }>(sql`
      select customer_id from billing_account where id = ${accountId}`);
    return row.customer_id ?? undefined;
  },
  put: async (accountId, customerId) => {
    const row = await db.one<{ customer_id: string }>(sql`
      update billing_account set customer_id = coalesce(customer_id, ${customerId})
        where id = ${accountId}
      returning customer_id`);
    return row.customer_id;
  },
  forget: async (accountId, customerId) => {
    await db.many(sql`
      update billing_account set customer_id = null
        where id = ${accountId} and customer_id = ${customerId}`);
  },
});
