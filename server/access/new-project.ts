import { nothing, type Sql, sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';
import { OWNER, PROJECT_ADMIN } from './built-in-roles.ts';
import { isOperator } from './operator.ts';
import { deniedBecause, standing } from './project.ts';
import { type Permission, rolesThatMay } from './roles.ts';

/** Where a new project will belong: one of the two is null. */
interface ProjectOwner {
  organization_id: string | null;
  owner_user_id: string | null;
  /** The role that the caller will act with on it. */
  role_id: string;
  /** Whether that role must be given to them: their own does not administer the project. */
  becomes_admin: boolean;
}

/** Whether the caller is in a team of the workspace whose members may create projects. */
export const inTeamThatCreates = (organizationId: Sql): Sql => sql`
  exists (
    select from team_member tm join team on team.id = tm.team_id
     where tm.organization_id = ${organizationId} and tm.user_id = caller.user_id
       and team.can_create_projects)`;

/**
 * Whether the caller, a member of the workspace `o` with the role `r`, may create projects there:
 * by role, or in a team that may, whatever their role is.
 */
const mayCreateProjects: Sql = sql`
  (case when o.owner_user_id = caller.user_id then 'owner' else r.acts_as end
      = any(${rolesThatMay('create_project')}::text[])
   or ${inTeamThatCreates(sql`o.id`)})`;

/** Who may create projects at all: one more condition than the role in a workspace. */
type ProjectCreation = 'anyone' | 'in_workspaces' | 'operators';

/** SQL: why the caller may have no personal project. */
const PERSONAL: Record<ProjectCreation, Sql> = {
  anyone: sql`null::text`,
  in_workspaces: sql`'personal_projects_closed'`,
  operators: sql`case when not ${isOperator} then 'project_creation_closed' end`,
};

type Named = { body: { organization_id?: string } };

/**
 * A select of the workspace with this id, or else of the caller, as the owner of a project:
 * `ProjectOwner`, and why the caller may not create projects there (`denied_because`). No row if
 * the workspace does not exist.
 */
const projectOwner = (organizationId: string | undefined, who: ProjectCreation): Sql =>
  organizationId === undefined
    ? sql`
      select null::uuid as organization_id, caller.user_id as owner_user_id,
             ${PROJECT_ADMIN} as role_id, false as becomes_admin,
             ${PERSONAL[who]} as denied_because
        from caller`
    : sql`
      select o.id as organization_id, null::uuid as owner_user_id,
             case when o.owner_user_id = caller.user_id then ${OWNER}
                  when r.acts_as = 'admin' then r.id
                  else ${PROJECT_ADMIN} end as role_id,
             o.owner_user_id <> caller.user_id and r.acts_as <> 'admin' as becomes_admin,
             case when m.user_id is null then 'forbidden'
                  when o.require_2fa and not caller.two_factor then 'two_factor_required'
                  when not ${mayCreateProjects} then 'forbidden'
                  ${who === 'operators' ? sql`when not ${isOperator} then 'project_creation_closed'` : nothing}
             end as denied_because
        from organization o
        cross join caller
        left join membership m on m.organization_id = o.id and m.user_id = caller.user_id
        left join role r on r.id = m.role_id
       where o.id = ${organizationId}`;

/** The workspace that the body names, for whoever may create projects there, or else the caller. */
export const onNewProject = (who: ProjectCreation): Access<Named, ProjectOwner> => ({
  permission: 'create_project',
  sql: ({ body: { organization_id } }) => sql`
    access as materialized (
      select true as found, owner.* from (${projectOwner(organization_id, who)}) owner)`,
});

/** A project, and the owner that it is about to get. */
export interface ProjectMove {
  project_id: string;
  organization_id: string | null;
  owner_user_id: string | null;
  next: ProjectOwner;
}

/**
 * The project in the path, for people whose role has the permission and who may create projects
 * where the body says. Both workspaces are locked, in one order, and then the project. A key of one
 * workspace cannot move a project, because it is valid for only one of the two owners. A move
 * creates none, so that it needs no operator; but it makes no personal project where there are none.
 */
export const onProjectMove = (
  permission: Permission,
  who: ProjectCreation,
): Access<Named & { params: { project_id: string } }, ProjectMove> => ({
  permission,
  locks: ({ params: { project_id }, body: { organization_id = null } }) =>
    sql`select lock_project(${project_id}, ${organization_id})`,
  sql: ({ params: { project_id }, body: { organization_id } }) => sql`
    next as materialized (${projectOwner(organization_id, who === 'in_workspaces' ? who : 'anyone')}),
    access as materialized (
      select true as found, p.id as project_id, p.organization_id, p.owner_user_id,
             to_jsonb(next) as next,
             coalesce(${deniedBecause(permission)},
                      case when caller.scope is not null then 'key_out_of_scope' end,
                      next.denied_because) as denied_because
        from (select * from project where id = ${project_id}) p ${standing} cross join next)`,
});
