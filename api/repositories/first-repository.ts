import { type Sql, sql } from '../db/sql.ts';

/**
 * A select of the repository in which the tasks of a project work, by its columns: the one that was
 * attached first (decision 41). No row where all have been detached.
 */
export const firstRepository = (projectId: Sql, columns: Sql): Sql => sql`
  select ${columns} from repository r
   where r.project_id = ${projectId} order by r.created_at, r.id limit 1`;
