import { sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';
import type { Permission } from './roles.ts';
import { deniedBecause, membership, type Workspace } from './workspace.ts';

/** A role that the members of a workspace can have: one of its custom roles, or a built-in one. */
interface Role extends Workspace {
  role_id: string;
  is_custom: boolean;
  /** Whether the caller may make and unmake admins, if they may manage roles. */
  manages_admins: boolean;
}

/**
 * The role in the path. A role of another workspace does not exist here. A change locks the
 * workspace and then the role (ruling 5.6), so that no one is given a role while it changes.
 */
export const onRole = (
  permission: Permission,
): Access<{ params: { org_id: string; role_id: string } }, Role> => ({
  permission,
  locks: ({ params: { org_id, role_id } }) => sql`
    with workspace as materialized (select id from organization where id = ${org_id} for update)
    select t.id from workspace join role t on t.organization_id = workspace.id
     where t.id = ${role_id} for update of t`,
  sql: ({ params: { org_id, role_id } }) => sql`
    access as materialized (
      select true as found, o.id as organization_id, o.owner_user_id, t.id as role_id,
             t.organization_id is not null as is_custom,
             o.admins_manage_admins or o.owner_user_id = caller.user_id as manages_admins,
             ${deniedBecause(permission)}
        from organization o
        join role t on t.id = ${role_id} and (t.organization_id is null or t.organization_id = o.id)
             ${membership}
       where o.id = ${org_id})`,
});
