import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';

/**
 * Locks all operators, for whoever changes who is one: what they have begun ends first, and two
 * such changes happen one after the other. Lock these before any user.
 */
export const lockOperators = (tx: Pick<Tx, 'many'>): Promise<{ user_id: string }[]> =>
  tx.many(sql`select user_id from operator order by user_id for update`);

/** Makes a person an operator; false if they are one. Lock the user first. */
export const addOperator = async (tx: Pick<Tx, 'many'>, userId: string): Promise<boolean> =>
  (
    await tx.many(sql`
      insert into operator (user_id) values (${userId}) on conflict do nothing returning user_id`)
  ).length > 0;

/** False if they are none. */
export const removeOperator = async (tx: Pick<Tx, 'many'>, userId: string): Promise<boolean> =>
  (await tx.many(sql`delete from operator where user_id = ${userId} returning user_id`)).length > 0;
