import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { LedgerAudit } from './ledger-audit.ts';

/** The last audit, as the metrics of every process report it. `at` is Unix time in seconds. */
export interface LastAudit {
  violations: number;
  at: number;
  topUps: Record<string, number>;
}

/** Stores the result of an audit, unless there already is a later one. */
export const saveAudit = (
  db: Pick<Database, 'many'>,
  { violations, topUps, auditedAt }: LedgerAudit,
) =>
  db.many(sql`
    insert into last_ledger_audit as l (audited_at, violations, top_ups)
    values (${auditedAt}, ${violations.length}, ${topUps})
    on conflict (only_one) do update
       set audited_at = excluded.audited_at, violations = excluded.violations,
         top_ups = excluded.top_ups
     where l.audited_at < excluded.audited_at`);

/** One row, `last_audit`: `LastAudit` as JSON, null before the first audit. */
export const lastAudit = sql`
  (select (select json_build_object('violations', violations, 'topUps', top_ups,
                                    'at', extract(epoch from audited_at))
             from last_ledger_audit) as last_audit)`;
