import { sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';
import { allowed, deniedBecause, standing } from './project.ts';
import { rolesThatMay } from './roles.ts';
import { deniedBecause as deniedInWorkspace, type InWorkspace, membership } from './workspace.ts';

/** Whose usage a caller reads, and as whom. */
interface UsageReader {
  user_id: string;
  /** Otherwise only what the caller has asked for. */
  sees_all: boolean;
}

/**
 * Anyone signed in, for their own usage. `organization_id` is the only workspace that the caller's
 * key is valid for, or null.
 */
export const ownUsage: Access<
  object,
  { user_id: string; account_id: string; organization_id: string | null }
> = {
  sql: () => sql`
    access as materialized (
      select true as found, caller.user_id, a.id as account_id, caller.scope as organization_id,
             null::text as denied_because
        from caller join billing_account a on a.user_id = caller.user_id)`,
};

/** The workspace in the path, with its account, for its members. */
export const onWorkspaceUsage: Access<InWorkspace, UsageReader & { account_id: string }> = {
  permission: 'see_usage',
  sql: ({ params: { org_id } }) => sql`
    access as materialized (
      select true as found, o.id as organization_id, a.id as account_id, caller.user_id,
             case when o.owner_user_id = caller.user_id then 'owner' else r.acts_as end
               = any(${rolesThatMay('see_all_usage')}::text[]) as sees_all,
             ${deniedInWorkspace('see_usage')}
        from organization o
        join billing_account a on a.organization_id = o.id ${membership}
       where o.id = ${org_id})`,
};

const seesAll = sql`
  (p.owner_user_id is not distinct from caller.user_id
   or standing.acts_as = any(${allowed('see_all_usage')}))`;

/** The project in the path, for everyone who can open it. */
export const onProjectUsage: Access<
  { params: { project_id: string } },
  UsageReader & { project_id: string }
> = {
  permission: 'see_usage',
  sql: ({ params: { project_id } }) => sql`
    access as materialized (
      select true as found, p.id as project_id, p.organization_id, caller.user_id,
             ${seesAll} as sees_all, ${deniedBecause('see_usage')} as denied_because
        from (select * from project where id = ${project_id}) p ${standing})`,
};

/** The task in the path; whoever created it sees all of it, too. */
export const onTaskUsage: Access<
  { params: { task_id: string } },
  UsageReader & { task_id: string }
> = {
  permission: 'see_usage',
  sql: ({ params: { task_id } }) => sql`
    access as materialized (
      select true as found, t.id as task_id, p.organization_id, caller.user_id,
             ${seesAll} or t.created_by_user_id = caller.user_id as sees_all,
             ${deniedBecause('see_usage')} as denied_because
        from (select * from task where id = ${task_id}) t
        join project p on p.id = t.project_id ${standing})`,
};
