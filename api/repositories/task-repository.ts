import { type Sql, sql } from '../db/sql.ts';

/**
 * SQL: whether a row of `repository` is the one in which the tasks of its project work: the local
 * `main`, which every project has and keeps (decision 41).
 */
export const taskRepository = (row: Sql): Sql =>
  sql`(${row}.host = 'local' and ${row}.full_name = 'main')`;
