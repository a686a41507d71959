import { type Sql, sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';
import type { Permission } from './roles.ts';
import { deniedBecause, type InWorkspace, membership, type Workspace } from './workspace.ts';

type Named = { params: { invoice_id: string } };

/** The invoice in the path, which must be the caller's own. */
export const onOwnInvoice: Access<Named, { invoice_id: string }> = {
  sql: ({ params: { invoice_id } }) => sql`
    access as materialized (
      select true as found, i.id as invoice_id, null::uuid as organization_id,
             case when i.user_id is distinct from caller.user_id then 'forbidden' end
               as denied_because
        from caller
        cross join (select v.id, a.user_id
                      from invoice v join billing_account a on a.id = v.account_id
                     where v.id = ${invoice_id}) i)`,
};

/** The invoice in the path; one of another workspace does not exist here. */
export const onWorkspaceInvoice = (
  permission: Permission,
): Access<InWorkspace & Named, Workspace & { invoice_id: string }> => ({
  permission,
  sql: ({ params: { org_id, invoice_id } }): Sql => sql`
    access as materialized (
      select true as found, o.id as organization_id, o.owner_user_id, i.id as invoice_id,
             ${deniedBecause(permission)}
        from (select v.id, a.organization_id
                from invoice v join billing_account a on a.id = v.account_id
               where v.id = ${invoice_id} and a.organization_id = ${org_id}) i
        join organization o on o.id = i.organization_id ${membership})`,
});
