import { CUSTOM_ROLES } from '../../access/built-in-roles.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { timestampSql } from '../../http/timestamps.ts';

/**
 * Deletes a workspace whose account is closed, in the order that the foreign keys require. Overrides
 * are deleted with the memberships, while the projects still refer to their workspace. Collaborators
 * with a custom role of the workspace keep the built-in role it acted as, and whoever is invited to
 * one of its projects is offered that one. Lock the workspace first.
 */
export async function dissolve(
  tx: Tx,
  organizationId: string,
  ownerId: string,
): Promise<{ deleted_at: string; projects_released: number; invitations_revoked: number }> {
  await tx.many(sql`delete from team where organization_id = ${organizationId}`);
  await tx.many(sql`
    delete from project_grant g using project p, membership m
     where p.id = g.project_id and p.organization_id = ${organizationId}
       and m.organization_id = p.organization_id and m.user_id = g.user_id`);
  await tx.many(sql`
    with replaced as (
      select id, built_in_id from ${CUSTOM_ROLES} where organization_id = ${organizationId}),
    offered as (
      update invitation i set role_id = built_in_id
        from replaced where i.role_id = replaced.id and i.project_id is not null)
    update project_grant g set role_id = built_in_id
      from replaced where g.role_id = replaced.id`);
  const revoked = await tx.many<{ status: string }>(sql`
    delete from invitation where organization_id = ${organizationId} returning status`);
  const released = await tx.many(sql`
    update project set organization_id = null, updated_at = now()
     where organization_id = ${organizationId} returning id`);
  await tx.many(sql`delete from membership where organization_id = ${organizationId}`);
  await tx.many(sql`delete from role where organization_id = ${organizationId}`);
  const { deleted_at } = await tx.one<{ deleted_at: string }>(sql`
    delete from organization where id = ${organizationId} and owner_user_id = ${ownerId}
    returning ${timestampSql(sql`now()`)} as deleted_at`);
  const invitations_revoked = revoked.filter(({ status }) => status === 'pending').length;
  return { deleted_at, projects_released: released.length, invitations_revoked };
}
