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

/** When this installation began to record money: its accounts are older than any posting. */
export const recordedSince = async (db: Database): Promise<Date> =>
  (await db.one<{ since: Date }>(sql`select min(created_at) as since from billing_account`)).since;

/** Some statements read the whole ledger, for which a request would not have the time. */
const STATEMENT_TIMEOUT = 5 * 60_000;

/**
 * How long a movement may take from the processor into the ledger, in milliseconds. What is younger
 * is not compared: a server may be posting it. Stripe also says only the second of it.
 */
export const ON_ITS_WAY = 60_000;

/** Reads the report without locks, beside a busy server. */
export const reportOf = (db: Database, month: Month, onItsWay = ON_ITS_WAY): Promise<Report> =>
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
      const settled = new Date((until ?? now).getTime() - onItsWay);
      const compared = await differencesOf(tx, month, settled);
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
