import { type Sql, sql } from '../db/sql.ts';

const NO_WORKER =
  'It waits, because no process of this server carries out tasks now: ask its operator.';

/** SQL: a sentence where `waits` holds and no process will see to it; otherwise null. */
export const whyItWaits = (waits: Sql): Sql => sql`
  case when ${waits} and why_tasks_wait() is not null then ${NO_WORKER}::text end`;
