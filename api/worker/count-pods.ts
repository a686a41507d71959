import type { Database } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { countTime } from './count-time.ts';

const PODS = { table: sql`pod`, kind: 'pod', until: sql`now()` } as const;

/** Records how long pods have run since they were counted last. As `countTime`. */
export const countPods = (db: Database, pricePerHour: bigint, every?: number): Promise<number> =>
  countTime(db, PODS, pricePerHour, every);
