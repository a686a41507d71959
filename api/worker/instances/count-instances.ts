import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { countTime } from '../count-time.ts';

const INSTANCES = { table: sql`erp_instance`, kind: 'erp_instance' } as const;

/** Records how long ERP instances have run since they were counted last. As `countTime`. */
export const countInstances = (
  db: Database,
  pricePerHour: bigint,
  every?: number,
): Promise<number> => countTime(db, INSTANCES, pricePerHour, every);
