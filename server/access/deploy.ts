import { sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';
import { deniedBecause, type InProject, standing } from './project.ts';
import type { Permission } from './roles.ts';

/** The deploy in the path, by the permissions on its project. */
export const onDeploy = (
  permission: Permission,
): Access<{ params: { deploy_id: string } }, InProject & { deploy_id: string }> => ({
  permission,
  sql: ({ params: { deploy_id } }) => sql`
    access as materialized (
      select true as found, d.id as deploy_id, p.id as project_id, p.organization_id,
             standing.acts_as, ${deniedBecause(permission)} as denied_because
        from (select id, project_id from deploy where id = ${deploy_id}) d
        join project p on p.id = d.project_id ${standing})`,
});
