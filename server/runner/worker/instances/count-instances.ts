import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import { countTime } from '../count-time.ts';

/** Of one that ends with its worker, what is after the last beat is counted by the next one. */
const INSTANCES = {
  table: sql`erp_instance`,
  kind: 'erp_instance' as const,
  until: sql`coalesce(p.renewed_at, now())`,
  isDue: (every: number) => sql`
    (counted_until is not null or uncounted_ms >= 1000)
    and (counted_until is null
         or counted_until <= now() - ${every}::integer * interval '1 millisecond')`,
};

/** Records how long ERP instances have run since they were counted last. As `countTime`. */
export const countInstances = (
  db: Database,
  pricePerHour: bigint,
  every?: number,
): Promise<number> => countTime(db, INSTANCES, pricePerHour, every);
