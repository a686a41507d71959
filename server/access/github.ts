import { sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';

/**
 * The installations that the caller may see: their own, and those of the workspaces they are a
 * member of. `refused` says why one may not be used now; the same may be connected several times.
 */
export const connected = sql`
  select c.installation_id, c.organization_id,
         case when o.require_2fa and not caller.two_factor then 'two_factor_required' end as refused
    from caller
    join github_connection c
      on c.user_id = caller.user_id
         or c.organization_id in (select organization_id from membership
                                   where user_id = caller.user_id)
    left join organization o on o.id = c.organization_id`;

/**
 * The installation in the path. GitHub numbers installations, so one of other people does not exist
 * here: a 403 would say that it does.
 */
export const onInstallation: Access<
  { params: { installation_id: number } },
  { installation_id: string }
> = {
  sql: ({ params: { installation_id } }) => sql`
    access as materialized (
      select true as found, installation_id, organization_id, refused as denied_because
        from (${connected}) mine
       where installation_id = ${installation_id}
       order by organization_id is not distinct from (select scope from caller) desc,
                refused is null desc
       limit 1)`,
};
