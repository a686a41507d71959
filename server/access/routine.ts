import { nothing, sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';
import { deniedBecause, type InProject, standing } from './project.ts';
import type { Permission } from './roles.ts';

/** A routine, for who may manage those of its project. */
export interface OfRoutine extends InProject {
  routine_id: string;
}

type InPath = { params: { project_id: string; routine_id: string } };

/** The routine in the path, of the project in the path. */
export const onRoutine = (permission: Permission): Access<InPath, OfRoutine> => ({
  permission,
  sql: ({ params: { project_id, routine_id } }, lock) => sql`
    access as materialized (
      select true as found, p.id as project_id, p.organization_id, standing.acts_as,
             r.id as routine_id, ${deniedBecause(permission)} as denied_because
        from (select id, project_id from routine
               where id = ${routine_id} and project_id = ${project_id}
              ${lock ? sql`for no key update` : nothing}) r
        join project p on p.id = r.project_id ${standing})`,
});

/** The routine in the path, or the one that was deleted under its id. */
export const onDeletedRoutine = (permission: Permission): Access<InPath, OfRoutine> => ({
  permission,
  sql: ({ params: { project_id, routine_id } }) => sql`
    access as materialized (
      select true as found, p.id as project_id, p.organization_id, standing.acts_as,
             ${routine_id}::uuid as routine_id, ${deniedBecause(permission)} as denied_because
        from (select * from project
               where id = ${project_id}
                 and exists (select from audit_event e
                              where e.project_id = ${project_id} and e.action = 'routine.delete'
                                and e.target_id = ${routine_id}::uuid::text
                                and e.outcome = 'done')) p ${standing})`,
});
