import { type Sql, sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';
import { type BuiltInRole, type Permission, rolesThatMay } from './roles.ts';

/** A project, for somebody who can open it; `acts_as` is the built-in role they act with. */
export interface Project {
  project_id: string;
  organization_id: string | null;
  acts_as: BuiltInRole;
}

// The view project_person also lists a project's people, so the list and the right to enter cannot differ (ruling 8.7).
// Lateral, with a limit that its key makes idle: so the project is known inside the view, and a task's approver with a
// thousand projects is not looked up in each of them.
const person = sql`
  left join lateral (
    select * from project_person
     where project_id = p.id and user_id = (select user_id from caller) limit 1) person on true`;

const deniedBecause = (permission: Permission): Sql => sql`
  case when person.hidden_reason = 'two_factor_required' then 'two_factor_required'
       when person.user_id is null or person.hidden_reason is not null
         or not (person.acts_as = any(${rolesThatMay(permission)}::text[])) then 'forbidden' end`;

/** The project of the path, for those whose role on it carries the permission. */
export const onProject = (permission: Permission): Access<{ project_id: string }, Project> => ({
  sql: ({ project_id }) => sql`
    access as materialized (
      select true as found, p.id as project_id, p.organization_id, person.acts_as, ${deniedBecause(permission)} as denied_because
        from project p ${person} where p.id = ${project_id})`,
});

/** The task of the path, by the rights on its project. */
export const onTask = (
  permission: Permission,
): Access<{ task_id: string }, Project & { task_id: string }> => ({
  sql: ({ task_id }) => sql`
    access as materialized (
      select true as found, t.id as task_id, p.id as project_id, p.organization_id, person.acts_as,
             ${deniedBecause(permission)} as denied_because
        from task t join project p on p.id = t.project_id ${person} where t.id = ${task_id})`,
});
