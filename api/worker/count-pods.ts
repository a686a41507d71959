import type { Database } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { countTime } from './count-time.ts';

/** No further than the lease of its turn: after it, no worker is there. */
const PODS = {
  ...{ table: sql`pod`, kind: 'pod' as const },
  until: sql`
    least(now(), (select max(u.lease_until) from task_turn u
                   where u.task_id = p.task_id and u.state in ('running', 'waiting')))`,
};

/** Records how long pods have run since they were counted last. As `countTime`. */
export const countPods = (db: Database, pricePerHour: bigint, every?: number): Promise<number> =>
  countTime(db, PODS, pricePerHour, every);
