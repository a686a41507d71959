import type { Tx } from '../db/database/database.ts';
import { nothing, type Sql, sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';
import { type Permission, rolesThatMay } from './roles.ts';

/** A workspace, for a member who has the permission in it. */
export interface Workspace {
  organization_id: string;
  owner_user_id: string;
}

export type InWorkspace = { params: { org_id: string } };

/**
 * Why the caller may not do it, or null. Non-members are refused before the two-factor policy is
 * checked, and members without a second factor before their role is (ruling 2).
 */
export const deniedBecause = (permission: Permission): Sql => sql`
  case when m.user_id is null then 'forbidden'
       when o.require_2fa and not caller.two_factor then 'two_factor_required'
       when not (case when o.owner_user_id = caller.user_id then 'owner' else r.acts_as end
                 = any(${rolesThatMay(permission)}::text[]))
       then 'forbidden' end as denied_because`;

/** Joins the caller to `o`, a workspace: `m` is their membership, `r` its role. */
export const membership = sql`
  cross join caller
  left join membership m on m.organization_id = o.id and m.user_id = caller.user_id
  left join role r on r.id = m.role_id`;

/** Locks a workspace: each change of who is in it, and as what, waits for the previous one. */
export const lockWorkspace = (id: string): Sql =>
  sql`select id from organization where id = ${id} for update`;

/**
 * The workspace that `idOf` finds in the request, for members whose role has the permission. A
 * transaction checks the permission once it has the lock (ruling 5.6): of two admins who demote
 * each other, one is refused.
 */
export const onWorkspaceOf = <From extends object>(
  permission: Permission,
  idOf: (input: From) => string,
): Access<From, Workspace> => ({
  permission,
  locks: (input) => lockWorkspace(idOf(input)),
  sql: (input) => sql`
    access as materialized (
      select true as found, o.id as organization_id, o.owner_user_id, ${deniedBecause(permission)}
        from organization o ${membership}
       where o.id = ${idOf(input)})`,
});

/** The workspace in the path. */
export const onWorkspace = (permission: Permission): Access<InWorkspace, Workspace> =>
  onWorkspaceOf(permission, ({ params }) => params.org_id);

/** The billing account of the workspace in the path, for members whose role has the permission. */
export const onWorkspaceAccount = (
  permission: Permission,
): Access<InWorkspace, Workspace & { account_id: string }> => ({
  permission,
  sql: ({ params: { org_id } }, lock) => sql`
    access as materialized (
      select true as found, o.id as organization_id, o.owner_user_id, a.id as account_id,
             ${deniedBecause(permission)}
        from organization o
        join (select id, organization_id from billing_account where organization_id = ${org_id}
              ${lock ? sql`for no key update` : nothing}) a on a.organization_id = o.id
             ${membership}
       where o.id = ${org_id})`,
});

/** The team in the path; a team of another workspace does not exist here (ruling 4.6). */
export const onTeam = (
  permission: Permission,
): Access<{ params: { org_id: string; team_id: string } }, Workspace & { team_id: string }> => ({
  permission,
  sql: ({ params: { org_id, team_id } }, lock) => sql`
    access as materialized (
      select true as found, o.id as organization_id, o.owner_user_id, t.id as team_id,
             ${deniedBecause(permission)}
        from (select id, organization_id from team
               where id = ${team_id} and organization_id = ${org_id}
              ${lock ? sql`for no key update` : nothing}) t
        join organization o on o.id = t.organization_id ${membership})`,
});

/** The open invitation in the path; one that was accepted, declined or revoked does not exist. */
export const onInvitation = (
  permission: Permission,
): Access<
  { params: { org_id: string; invitation_id: string } },
  Workspace & { invitation_id: string }
> => ({
  permission,
  sql: ({ params: { org_id, invitation_id } }) => sql`
    access as materialized (
      select true as found, o.id as organization_id, o.owner_user_id, i.id as invitation_id,
             ${deniedBecause(permission)}
        from (select id, organization_id from invitation
               where id = ${invitation_id} and organization_id = ${org_id}
                 and status = 'pending') i
        join organization o on o.id = i.organization_id ${membership})`,
});

/**
 * A person who is a member and can act, so one who is not deactivated. Undefined for everyone else without
 * distinction: an unknown id, an invitee, an outside collaborator, a former member, a
 * service account. Lock the
 * workspace first (ruling 5.6).
 */
export const activeMember = (
  tx: Tx,
  organizationId: string,
  userId: string,
): Promise<{ meets_two_factor_policy: boolean } | undefined> =>
  tx.maybeOne(sql`
    select u.two_factor or not o.require_2fa as meets_two_factor_policy
      from membership m
      join app_user u on u.id = m.user_id
      join organization o on o.id = m.organization_id
     where m.organization_id = ${organizationId} and m.user_id = ${userId}
       and u.is_active and u.kind = 'person'`);
