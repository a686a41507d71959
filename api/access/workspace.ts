import { nothing, type Sql, sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';
import { type Permission, rolesThatMay } from './roles.ts';

/** A workspace, for a member who may do something in it. */
export interface Workspace {
  organization_id: string;
  owner_user_id: string;
}

// A stranger is refused before the policy is looked at; a member without two factors before their role is (ruling 2).
const deniedBecause = (permission: Permission): Sql => sql`
  case when m.user_id is null then 'forbidden'
       when o.require_2fa and not caller.two_factor then 'two_factor_required'
       when not (case when o.owner_user_id = caller.user_id then 'owner' else r.acts_as end
                 = any(${rolesThatMay(permission)}::text[])) then 'forbidden' end`;

const membership = sql`
  cross join caller
  left join membership m on m.organization_id = o.id and m.user_id = caller.user_id
  left join role r on r.id = m.role_id`;

/** The workspace of the path, for members whose role carries the permission. */
export const onWorkspace = (permission: Permission): Access<{ org_id: string }, Workspace> => ({
  sql: ({ org_id }, lock) => sql`
    o as materialized (select * from organization where id = ${org_id} ${lock ? sql`for update` : nothing}),
    access as materialized (
      select true as found, o.id as organization_id, o.owner_user_id, ${deniedBecause(permission)} as denied_because
        from o ${membership})`,
});

/** The account of the workspace of the path, for members whose role carries the permission. */
export const onWorkspaceAccount = (
  permission: Permission,
): Access<{ org_id: string }, Workspace & { account_id: string }> => ({
  sql: ({ org_id }) => sql`
    access as materialized (
      select true as found, o.id as organization_id, o.owner_user_id, a.id as account_id, ${deniedBecause(permission)} as denied_because
        from organization o join billing_account a on a.organization_id = o.id ${membership} where o.id = ${org_id})`,
});

/** The team of the path; one of another workspace does not exist here (ruling 4.6). */
export const onTeam = (
  permission: Permission,
): Access<{ org_id: string; team_id: string }, Workspace & { team_id: string }> => ({
  sql: ({ org_id, team_id }) => sql`
    access as materialized (
      select true as found, o.id as organization_id, o.owner_user_id, t.id as team_id, ${deniedBecause(permission)} as denied_because
        from team t join organization o on o.id = t.organization_id ${membership}
       where t.id = ${team_id} and o.id = ${org_id})`,
});
