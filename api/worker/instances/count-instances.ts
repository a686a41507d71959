import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { countTime } from '../count-time.ts';

/** Of one that ends with its worker, what is after the last beat is counted by the next one. */
const INSTANCES = {
  ...{ table: sql`erp_instance`, kind: 'erp_instance' as const },
  until: sql`coalesce(p.renewed_at, now())`,
};

/** Records how long ERP instances have run since they were counted last. As `countTime`. */
export const countInstances = (
  db: Database,
  pricePerHour: bigint,
  every?: number,
): Promise<number> => countTime(db, INSTANCES, pricePerHour, every);
