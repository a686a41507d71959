import { nothing, type Sql, sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';
import { deniedBecause as deniedInProject, standing } from './project.ts';
import type { Permission } from './roles.ts';
import { deniedBecause as deniedInWorkspace, membership } from './workspace.ts';

/** A webhook, for who may manage those of its workspace or its project. */
export interface OfWebhook {
  webhook_id: string;
  /** The workspace that it is in, also by its project; null outside of one. */
  organization_id: string | null;
  /** Null for one of a whole workspace. */
  project_id: string | null;
}

type InPath = { params: { webhook_id: string } };

/** The webhook in the path, by the permission on its workspace or its project. */
export const onWebhook = (permission: Permission): Access<InPath, OfWebhook> => ({
  permission,
  sql: ({ params: { webhook_id } }, lock) =>
    access(
      permission,
      sql`select id, organization_id, project_id from webhook_endpoint where id = ${webhook_id}
          ${lock ? sql`for no key update` : nothing}`,
    ),
});

/** The delivery in the path, of the webhook in the path. */
export const onWebhookDelivery = (
  permission: Permission,
): Access<{ params: { webhook_id: string; delivery_id: string } }, OfWebhook> => ({
  permission,
  sql: ({ params: { webhook_id, delivery_id } }, lock) =>
    access(
      permission,
      sql`select id, organization_id, project_id from webhook_endpoint e
           where id = ${webhook_id}
             and exists (select from webhook_delivery d
                          where d.id = ${delivery_id} and d.endpoint_id = e.id)
          ${lock ? sql`for no key update` : nothing}`,
    ),
});

/** The webhook in the path, or the one that was deleted under its id. */
export const onDeletedWebhook = (permission: Permission): Access<InPath, OfWebhook> => ({
  permission,
  sql: ({ params: { webhook_id } }) =>
    access(
      permission,
      sql`select ${webhook_id}::uuid as id, e.project_id,
                 case when e.project_id is null then e.organization_id end as organization_id
            from audit_event e
           where e.target_id = ${webhook_id}::uuid::text and e.action = 'webhook.delete'
             and e.outcome = 'done'
           order by e.occurred_at desc limit 1`,
    ),
});

const access = (permission: Permission, webhook: Sql): Sql => sql`
  webhook as materialized (${webhook}),
  access as materialized (
    select true as found, w.id as webhook_id, p.organization_id, p.id as project_id,
           ${deniedInProject(permission)} as denied_because
      from webhook w join project p on p.id = w.project_id ${standing}
     union all
    select true, w.id, o.id, null, ${deniedInWorkspace(permission)}
      from webhook w join organization o on o.id = w.organization_id ${membership})`;
