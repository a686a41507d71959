import type { Database } from './database/database.ts';
import { type Sql, sql } from './sql.ts';

/** Rows that are removed when they are old enough. */
export interface RetentionRule {
  /** What is removed, for people. */
  name: string;
  /** The setting that says after how many days. */
  setting: string;
  /** Undefined: they are kept for ever. */
  days: number | undefined;
  /** How many are due now. */
  due(db: RetentionDatabase): Promise<number>;
  /** Removes a bounded batch of them, the oldest first. Returns how many; 0 if none was left. */
  remove(db: RetentionDatabase): Promise<number>;
}

export type RetentionDatabase = Pick<Database, 'many' | 'one'>;

/** Few enough that no statement holds its locks for long. */
const BATCH = 5_000;

/**
 * A rule of one table. `which` selects the `id` of rows from before a time, the oldest first, by an
 * index; `remove` is the statement that removes those it is given and returns one row for each.
 */
export function retentionRule({
  which,
  remove,
  batch = BATCH,
  ...rule
}: Pick<RetentionRule, 'name' | 'setting' | 'days'> & {
  which: (before: Sql) => Sql;
  remove: (due: Sql) => Sql;
  batch?: number;
}): RetentionRule {
  const before = sql`now() - make_interval(days => ${rule.days ?? 0}::int)`;
  return {
    ...rule,
    due: async (db) => {
      const { rows } = await db.one<{ rows: number }>(
        sql`select count(*)::float8 as rows from (${which(before)}) due`,
      );
      return rows;
    },
    remove: async (db) =>
      (await db.many(remove(sql`any(array(${which(before)} limit ${batch}))`))).length,
  };
}
