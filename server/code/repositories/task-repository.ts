import { type Sql, sql } from '../../db/sql.ts';

/**
 * SQL: whether a row of `repository` is the one in which the tasks of its project work: the first on
 * another host that the project has attached, otherwise the local `main`, which every project has and
 * keeps (decisions 41 and 43). It holds for a row that this statement has just inserted, too.
 */
export const taskRepository = (row: Sql): Sql => sql`
  (case ${row}.host
     when 'local' then ${row}.full_name = 'main' and (
       select true from repository w
        where w.project_id = ${row}.project_id and w.host <> 'local' limit 1) is null
     else not exists (
       select from repository w
        where w.project_id = ${row}.project_id and w.host <> 'local'
          and (w.created_at, w.id) < (${row}.created_at, ${row}.id)) end)`;

/**
 * SQL: whether a row of `repository` is the local `main`, in which this server has what tasks work
 * with: the code itself, or a copy of what is on another host.
 */
export const localMain = (row: Sql): Sql =>
  sql`(${row}.host = 'local' and ${row}.full_name = 'main')`;

/** SQL: whether a task of a project has begun to build: its code is in one repository from then on. */
export const hasBuilt = (projectId: Sql): Sql => sql`
  exists (select from task t join task_turn u on u.task_id = t.id
           where t.project_id = ${projectId} and u.mode = 'build')`;
