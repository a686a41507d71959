import { type Sql, sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';
import type { Permission } from './roles.ts';
import {
  deniedBecause,
  type InWorkspace,
  lockWorkspace,
  membership,
  type Workspace,
} from './workspace.ts';

type OfMember = { params: { org_id: string; user_id: string } };

const locks = ({ params: { org_id } }: InWorkspace): Sql => lockWorkspace(org_id);

const isMember = (userId: string): Sql => sql`
  exists (select from membership person
           where person.organization_id = o.id and person.user_id = ${userId})`;

/** SQL: no service account changes another one (as `onServiceAccount` has it). */
const betweenServices = (userId: string): Sql => sql`
  ${userId} <> caller.user_id and exists (
    select from app_user self join app_user target on target.kind = self.kind
     where self.id = caller.user_id and target.id = ${userId} and target.kind = 'service')`;

/** A member whose membership is to be changed. */
interface ChangedMember extends Workspace {
  /** Whether the caller may make, change and remove admins. */
  manages_admins: boolean;
}

/**
 * A member of the workspace in the path, for a change of their membership; anyone else does not
 * exist here. A caller without the permission is refused whoever the person is, so that no one
 * learns who the members are by trying.
 */
export const onMember = (permission: Permission): Access<OfMember, ChangedMember> => ({
  permission,
  locks,
  sql: ({ params: { org_id, user_id } }) => sql`
    access as materialized (
      select true as found, o.id as organization_id, o.owner_user_id,
             o.admins_manage_admins or o.owner_user_id = caller.user_id as manages_admins,
             verdict.denied_because
        from organization o ${membership}
        cross join lateral (select ${deniedBecause(permission)}) by_role
        cross join lateral (
          select coalesce(by_role.denied_because,
                          case when ${betweenServices(user_id)} then 'forbidden' end)
                   as denied_because) verdict
       where o.id = ${org_id} and (verdict.denied_because is not null or ${isMember(user_id)}))`,
});

/**
 * Who may see the answer to the removal of a member again, who is gone by then: whoever has the
 * permission, and a person who removed themselves (ruling 1.11).
 */
export const onRemovedMember = (permission: Permission): Access<OfMember, unknown> => ({
  permission,
  sql: ({ params: { org_id, user_id } }) => sql`
    others as (
      select o.id as organization_id, ${deniedBecause(permission)}
        from organization o ${membership}
       where o.id = ${org_id}),
    access as materialized (
      select true as found, others.organization_id,
             case when caller.user_id <> ${user_id} then others.denied_because end as denied_because
        from others cross join caller)`,
});

/** A person who left the workspace in the path may see the answer to that again (ruling 1.11). */
export const onLeftWorkspace: Access<InWorkspace, unknown> = {
  sql: ({ params: { org_id } }) => sql`
    access as materialized (
      select true as found, ${org_id}::uuid as organization_id, null::text as denied_because
        from caller)`,
};

const onTeamWith = <Name extends string>(
  permission: Permission,
  exists: (params: Record<Name, string>) => Sql,
): Access<
  { params: { org_id: string; team_id: string } & Record<Name, string> },
  Workspace & { team_id: string }
> => ({
  permission,
  sql: ({ params }) => sql`
    access as materialized (
      select true as found, o.id as organization_id, o.owner_user_id, t.id as team_id,
             verdict.denied_because
        from team t
        join organization o on o.id = t.organization_id ${membership}
        cross join lateral (select ${deniedBecause(permission)}) verdict
       where t.id = ${params.team_id} and t.organization_id = ${params.org_id}
         and (verdict.denied_because is not null or ${exists(params)}))`,
});

/** The team in the path, and a member of its workspace, who need not be in the team. */
export const onTeamAndMember = (permission: Permission) =>
  onTeamWith<'user_id'>(permission, ({ user_id }) => isMember(user_id));

/** The team in the path, and a project of its workspace, which need not be the team's. */
export const onTeamAndProject = (permission: Permission) =>
  onTeamWith<'project_id'>(
    permission,
    ({ project_id }) => sql`
      exists (select from project p where p.organization_id = o.id and p.id = ${project_id})`,
  );
