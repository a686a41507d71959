import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { type Difference, differencesOf } from './differences.ts';
import {
  type Liabilities,
  liabilitiesOf,
  type Moved,
  type Movement,
  movedOf,
  movementsOf,
  revenueOf,
  type Tax,
  taxOf,
} from './figures.ts';
import type { Month } from './month.ts';

/** The figures of a month, from one moment of the database. */
export interface Report {
  month: Month;
  reportedAt: Date;
  /** Whether the month is over. */
  over: boolean;
  movements: Movement[];
  liabilities: Liabilities;
  revenue: { kind: string; nano: bigint }[];
  tax: Tax;
  moved: Moved[];
  /** Until when the record of Stripe was fetched; null if Stripe has charged nothing. */
  fetchedUntil: Date | null;
  differences: Difference[];
  /** How many there are; not all may be listed. */
  differencesFound: number;
}

/** Some statements read the whole ledger, for which a request would not have the time. */
const STATEMENT_TIMEOUT = 5 * 60_000;

/** Reads the report without locks, beside a busy server. */
export const reportOf = (db: Database, month: Month): Promise<Report> =>
  db.transaction(
    async (tx) => {
      await tx.many(sql`set transaction isolation level repeatable read read only`);
      const { now, fetched_until, charges } = await tx.one<{
        now: Date;
        fetched_until: Date | null;
        charges: boolean;
      }>(sql`
        select now(), (select fetched_until from balance_fetch),
               exists (select from top_up where processor = 'stripe') as charges`);
      const until = fetched_until ?? (charges ? new Date(0) : null);
      const compared = await differencesOf(tx, month, until ?? now);
      return {
        month,
        reportedAt: now,
        over: month.to <= now,
        movements: await movementsOf(tx, month),
        liabilities: await liabilitiesOf(tx, month),
        revenue: await revenueOf(tx, month),
        tax: await taxOf(tx, month),
        moved: await movedOf(tx, month),
        fetchedUntil: until,
        differences: compared.differences,
        differencesFound: compared.found,
      };
    },
    { statementTimeout: STATEMENT_TIMEOUT },
  );

/**
 * Whether the record of Stripe reaches over the month, with an hour for what Stripe shows late, or
 * up to now.
 */
export const isFetched = ({ month, fetchedUntil, reportedAt }: Report): boolean =>
  fetchedUntil === null ||
  fetchedUntil.getTime() >= Math.min(month.to.getTime() + LATE, reportedAt.getTime() - LATE);

const LATE = 3_600_000;

/** Whether the ledger moved nothing that its processors did not, and nothing less. */
export const isExplained = ({ reason }: Difference): boolean => reason === 'other_month';
