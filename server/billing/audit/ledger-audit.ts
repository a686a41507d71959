import type { Database, Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { timestampSql } from '../../http/timestamps.ts';
import { usdText } from '../ledger/money.ts';
import { auditAccounts, sides } from './accounts.ts';
import { auditInvoices } from './invoices.ts';
import { auditMovements } from './movements.ts';
import { auditSpending } from './spending.ts';
import { auditTopUps } from './top-ups.ts';
import { auditTurns } from './turns.ts';
import { auditUsage } from './usage.ts';
import type { LedgerViolation } from './violation.ts';

/** What an audit found. Amounts are USD as decimal text; `topUps` counts them by status. */
export interface LedgerAudit {
  /** The time of its snapshot. */
  auditedAt: Date;
  accounts: number;
  transfers: number;
  topUps: Record<string, number>;
  customerBalance: string;
  processorClearing: string;
  oldestOpenTopUp: { topUpId: string; status: string; createdAt: string } | undefined;
  violations: LedgerViolation[];
}

const PARTS: readonly ((tx: Tx) => Promise<LedgerViolation[]>)[] = [
  auditAccounts,
  auditTopUps,
  auditMovements,
  auditInvoices,
  auditSpending,
  auditTurns,
  auditUsage,
];

/** The audit reads all rows, for which a request would not have the time. */
const STATEMENT_TIMEOUT = 30 * 60_000;

/**
 * Checks the invariants of money.md from the stored rows alone, on one snapshot and without locks,
 * so that it can run beside a busy server. The constraints of the database should make every
 * violation impossible; the audit proves it. Throws the reason of `signal` before the next of its
 * parts once that is aborted.
 */
export const auditLedger = (db: Database, signal?: AbortSignal): Promise<LedgerAudit> =>
  db.transaction(
    async (tx) => {
      await tx.many(sql`set transaction isolation level repeatable read read only`);
      const violations: LedgerViolation[] = [];
      for (const part of PARTS) {
        signal?.throwIfAborted();
        violations.push(...(await part(tx)));
      }
      return { ...(await readFigures(tx)), topUps: await countTopUps(tx), violations };
    },
    { statementTimeout: STATEMENT_TIMEOUT },
  );

async function readFigures(tx: Tx): Promise<Omit<LedgerAudit, 'topUps' | 'violations'>> {
  const row = await tx.one<
    Record<'accounts' | 'transfers' | 'customers' | 'clearing', bigint> & { audited_at: Date }
  >(sql`
    select now() as audited_at,
           (select count(*) from billing_account where kind <> 'system') as accounts,
           (select count(*) from ledger_transfer) as transfers,
           (select coalesce(sum(balance), 0)::bigint
              from billing_account where kind <> 'system') as customers,
           (select coalesce(sum(s.amount), 0)::bigint
              from ${sides} s join billing_account a using (id)
             where a.system_name = 'processor_clearing') as clearing`);
  const oldest = await tx.maybeOne<{ topUpId: string; status: string; createdAt: string }>(sql`
    select id as "topUpId", status, ${timestampSql(sql`created_at`)} as "createdAt"
      from top_up where status in ('created', 'processing')
     order by top_up.created_at, id limit 1`);
  return {
    auditedAt: row.audited_at,
    accounts: Number(row.accounts),
    transfers: Number(row.transfers),
    customerBalance: usdText(row.customers),
    processorClearing: usdText(row.clearing),
    oldestOpenTopUp: oldest,
  };
}

const STATUSES = [
  'created',
  'processing',
  'succeeded',
  'failed',
  'partially_refunded',
  'refunded',
  'disputed',
];

async function countTopUps(tx: Tx): Promise<Record<string, number>> {
  const rows = await tx.many<{ status: string; count: bigint }>(sql`
    select s.status, count(t.id)
      from unnest(${STATUSES}::text[]) with ordinality s(status, place)
      left join top_up t on t.status = s.status
     group by s.status, place order by place`);
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
}
