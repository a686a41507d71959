import { type Sql, sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';
import { OWNER, PROJECT_ADMIN } from './built-in-roles.ts';
import { rolesThatMay } from './roles.ts';

/** Where a new project will belong: one of the two is null. */
export interface ProjectOwner {
  organization_id: string | null;
  owner_user_id: string | null;
  /** The role that the caller will act with on it. */
  role_id: string;
  /** Whether that role must be given to them: their own does not administer the project. */
  becomes_admin: boolean;
}

/**
 * Whether the caller, a member of the workspace `o` with the role `r`, may create projects there:
 * by role, or in a team that may, whatever their role is.
 */
export const mayCreateProjects: Sql = sql`
  (case when o.owner_user_id = caller.user_id then 'owner' else r.acts_as end
      = any(${rolesThatMay('create_project')}::text[])
   or exists (
     select from team_member tm join team on team.id = tm.team_id
      where tm.organization_id = o.id and tm.user_id = caller.user_id
        and team.can_create_projects))`;

/** The workspace that the body names, for whoever may create projects there, or else the caller. */
export const onNewProject: Access<{ body: { organization_id?: string } }, ProjectOwner> = {
  permission: 'create_project',
  sql: ({ body: { organization_id } }) =>
    organization_id === undefined
      ? sql`
    access as materialized (
      select true as found, null::uuid as organization_id, caller.user_id as owner_user_id,
             ${PROJECT_ADMIN} as role_id, false as becomes_admin, null::text as denied_because
        from caller)`
      : sql`
    access as materialized (
      select true as found, o.id as organization_id, null::uuid as owner_user_id,
             case when o.owner_user_id = caller.user_id then ${OWNER}
                  when r.acts_as = 'admin' then r.id
                  else ${PROJECT_ADMIN} end as role_id,
             o.owner_user_id <> caller.user_id and r.acts_as <> 'admin' as becomes_admin,
             case when m.user_id is null then 'forbidden'
                  when o.require_2fa and not caller.two_factor then 'two_factor_required'
                  when not ${mayCreateProjects} then 'forbidden' end as denied_because
        from organization o
        cross join caller
        left join membership m on m.organization_id = o.id and m.user_id = caller.user_id
        left join role r on r.id = m.role_id
       where o.id = ${organization_id})`,
};
