import { randomBytes } from 'node:crypto';
import { microUsd } from '../../billing/ledger/money.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';

/**
 * Posts amounts in USD as of other times: a positive one is a promotion, a negative one usage.
 */
export async function postAt(
  db: Database,
  whose: { userId?: string; organizationId?: string },
  postings: readonly (readonly [usd: string, at: string])[],
): Promise<void> {
  for (const [usd, at] of postings) {
    const amount = microUsd(usd) as bigint;
    await db.many(sql`
      insert into ledger_transfer (idempotency_key, kind, debit_account_id, credit_account_id,
        amount, account_id, reference_type, reference_id, created_at)
      select ${`test:${randomBytes(8).toString('hex')}`},
             case when given then 'promotion' else 'usage' end,
             case when given then s.id else a.id end, case when given then a.id else s.id end,
             abs(${amount}::bigint), a.id, 'test', a.id, ${at}
        from (values (${amount}::bigint > 0)) sign (given)
        join billing_account s
          on s.system_name = case when given then 'promotions' else 'revenue' end
        join billing_account a
          on a.user_id = ${whose.userId ?? null} or a.organization_id = ${whose.organizationId ?? null}`);
  }
}
