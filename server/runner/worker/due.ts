import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { abandoned, isNext, waiting } from './claim.ts';

/** Whether approved plans wait for their build turn, and whether turns wait for a worker. */
interface Due {
  builds: boolean;
  turns: boolean;
}

const BUILDS = sql`exists (select from outbox where topic = 'agent_start' and done_at is null)`;
const TURNS = sql`
  (exists (select from task_turn u where ${abandoned.is})
   or exists (select from task_turn u join task t on t.id = u.task_id
               where ${waiting.is} and ${isNext}))`;

/** SQL: whether there is one of the two. */
export const ANY_DUE = sql`(${BUILDS} or ${TURNS})`;

/**
 * Which of the two there is: one read, answered from the partial indexes of what is open, so that it
 * costs the same however many tasks have ended.
 */
export const due = async (db: Pick<Database, 'read'>): Promise<Due> => {
  const [found] = await db.read<Due>(sql`
    select ${BUILDS} as builds, ${TURNS} as turns`);
  return found as Due;
};
