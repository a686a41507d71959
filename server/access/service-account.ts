import { type Sql, sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';
import type { Permission } from './roles.ts';
import { deniedBecause, type InWorkspace, lockWorkspace, membership } from './workspace.ts';

/** The workspace of service accounts, for people: no service account makes or changes another. */
export interface OfServiceAccounts {
  organization_id: string;
  owner_user_id: string;
  /** Whether the caller may give and take the role of an admin. */
  manages_admins: boolean;
}

/** Joins the caller to `o`, and decides: `verdict.denied_because`. */
const decided = (permission: Permission): Sql => sql`
  ${membership}
  cross join lateral (select ${deniedBecause(permission)}) by_role
  cross join lateral (
    select coalesce(by_role.denied_because, case when caller_kind.kind = 'service'
                                                 then 'forbidden' end) as denied_because
      from app_user caller_kind where caller_kind.id = caller.user_id) verdict`;

const columns = sql`
  true as found, o.id as organization_id, o.owner_user_id,
  o.admins_manage_admins or o.owner_user_id = caller.user_id as manages_admins,
  verdict.denied_because`;

/** The workspace in the path. */
export const onServiceAccounts = (
  permission: Permission,
): Access<InWorkspace, OfServiceAccounts> => ({
  permission,
  locks: ({ params }) => lockWorkspace(params.org_id),
  sql: ({ params: { org_id } }) => sql`
    access as materialized (
      select ${columns} from organization o ${decided(permission)} where o.id = ${org_id})`,
});

/** A service account, by whose workspace it is found. */
export interface OneServiceAccount extends OfServiceAccounts {
  service_account_id: string;
}

type InPath = { params: { service_account_id: string } };

const one = (permission: Permission, whose: Sql): Access<InPath, OneServiceAccount> => ({
  permission,
  locks: ({ params: { service_account_id } }) => sql`
    select o.id from organization o join app_user u on u.service_of = o.id
     where u.id = ${service_account_id} for update of o`,
  sql: ({ params: { service_account_id } }) => sql`
    access as materialized (
      select ${columns}, u.id as service_account_id
        from (select id, service_of from app_user where id = ${service_account_id}) u
        join organization o on o.id = u.service_of ${decided(permission)}
       where ${whose})`,
});

/** The service account in the path. */
export const onServiceAccount = (permission: Permission) =>
  one(
    permission,
    sql`exists (select from membership own
                 where own.organization_id = u.service_of and own.user_id = u.id)`,
  );

/** The service account in the path, or the one that was deleted under its id. */
export const onDeletedServiceAccount = (permission: Permission) => one(permission, sql`true`);
