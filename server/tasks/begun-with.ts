import { taskRepository } from '../code/index.ts';
import { sql } from '../db/sql.ts';

/** What a task is compared with, from the columns below. */
export interface Begun {
  /** The branch that it begins with; null for the default one. */
  base: string | null;
  /** Whether its code is on another host. */
  onHost: boolean;
}

/** SQL: the columns of `Begun`, of the task of `authorized`. */
export const begunWith = sql`
  (select base from task where id = authorized.task_id) as base,
  exists (select from repository r
           where r.project_id = authorized.project_id and r.host <> 'local'
             and ${taskRepository(sql`r`)}) as "onHost"`;
