import { type Sql, sql } from '../../db/sql.ts';

/** How often an agent may be asked to fix checks before a person has to look. */
export const MOST_FIXES = 3;

/**
 * SQL: how often the agent was asked to fix the checks of a pull request `row` since a person has
 * last written a message of their own, or pushed.
 */
export const fixesInARow = (row: Sql): Sql => sql`
  (select count(*)
     from check_fix f
    where f.task_id = ${row}.task_id
      and f.created_at > coalesce(${row}.pushed_at, '-infinity')
      and not exists (select from task_message m
                       where m.task_id = f.task_id and m.number > f.message_number
                         and m.role = 'user'
                         and not exists (select from check_fix other
                                          where other.task_id = m.task_id
                                            and other.message_number = m.number)))`;

/** SQL: whether the checks of the last commit of a pull request `row` may be fixed by the agent. */
export const mayFix = (row: Sql): Sql => sql`
  exists (select from check_suite s
           where s.task_id = ${row}.task_id and s.head_sha = ${row}.head_sha
             and s.conclusion = 'failed'
             and (exists (select from check_fix f where f.suite_id = s.id)
                  or ${fixesInARow(row)} < ${MOST_FIXES}))`;
