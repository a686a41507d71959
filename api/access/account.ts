import { sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';

/** The caller's own things: whoever holds a key may. */
export const ownAccount: Access<Record<string, never>, { account_id: string }> = {
  sql: () => sql`
    access as materialized (
      select true as found, a.id as account_id, null::text as denied_because
        from billing_account a join caller on a.user_id = caller.user_id)`,
};
