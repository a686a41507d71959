import Type from 'typebox';
import { CUSTOM_ROLES } from '../../access/built-in-roles.ts';
import { activeMember, onWorkspace } from '../../access/workspace.ts';
import { balanceLimit, closeWorkspaceAccount } from '../../billing/index.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { apiError, fieldError } from '../../http/errors.ts';
import { uuid } from '../../http/input/fields.ts';
import { route } from '../../http/route.ts';
import { timestamp, timestampSql } from '../../http/timestamps.ts';
import { recordChange } from '../../platform/audit/audit.ts';

const notAMember = fieldError(
  'not_a_member',
  ['query', 'transfer_balance_to_user_id'],
  'The balance can only be transferred to an active member of this workspace',
);
const openMoneyLeft = apiError(
  409,
  'workspace_has_open_money',
  'The workspace has unsettled money: resolve the blockers, then delete it',
);

/**
 * Deletes a workspace permanently; its projects remain, without an owner, and its balance goes to a
 * person (spec 1, ruling 3).
 */
export const deleteWorkspace = route({
  method: 'DELETE',
  path: '/api/organizations/{org_id}',
  area: 'Workspaces',
  operationId: 'delete_workspace',
  summary: 'Delete a workspace',
  description:
    'Permanently deletes the workspace. Owner only. Its projects are not deleted; they remain ' +
    'without an owner. A positive balance goes to the personal balance of the member named by ' +
    "`transfer_balance_to_user_id`, or else to the owner's.",
  proof: true,
  access: onWorkspace('delete_workspace'),
  auditDenied: { action: 'workspace.delete', target: 'org_id' },
  params: Type.Object({ org_id: uuid({ description: 'The workspace.' }) }),
  query: Type.Object({
    transfer_balance_to_user_id: Type.Optional(
      uuid({ description: 'The active member who receives the balance.' }),
    ),
  }),
  sample: ({ user_id }) => ({ query: { transfer_balance_to_user_id: user_id } }),
  responses: {
    200: {
      description: 'What was deleted, released and transferred.',
      schema: Type.Object({
        id: uuid(),
        status: Type.Enum(['deleted']),
        deleted_at: timestamp(),
        balance_transferred: Type.String({ description: 'USD' }),
        balance_transferred_to_user_id: Type.Optional(uuid()),
        projects_released: Type.Integer(),
        invitations_revoked: Type.Integer(),
      }),
      example: {
        id: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
        status: 'deleted',
        deleted_at: '2026-11-21T08:15:30.123Z',
        balance_transferred: '120.00',
        balance_transferred_to_user_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
        projects_released: 2,
        invitations_revoked: 1,
      },
    },
  },
  errors: [notAMember, openMoneyLeft, balanceLimit],
  handle: ({ params: { org_id }, query, requestId, transaction }) =>
    transaction(async (tx, { owner_user_id, userId, keyId, sessionId }) => {
      const heir = query.transfer_balance_to_user_id ?? owner_user_id;
      if (heir !== owner_user_id && !(await activeMember(tx, org_id, heir))) throw notAMember();
      const { blockers, transferred } = await closeWorkspaceAccount(tx, org_id, heir);
      if (blockers.length > 0) throw openMoneyLeft({ blockers });
      const { deleted_at, ...counts } = await dissolve(tx, org_id, userId);
      const body = {
        id: org_id,
        status: 'deleted',
        deleted_at,
        balance_transferred: transferred,
        ...(transferred === '0.00' ? {} : { balance_transferred_to_user_id: heir }),
        ...counts,
      };
      const caller = { userId, keyId, sessionId };
      const before = { balance: transferred, owner_user_id };
      const change = {
        action: 'workspace.delete',
        target: org_id,
        organizationId: org_id,
        before,
        after: body,
      };
      await recordChange(tx, { caller, ...change, requestId });
      return { status: 200, body };
    }),
});

// In the order that the foreign keys require. Overrides are deleted with the memberships, while the
// projects still refer to their workspace. Collaborators with a custom role of the workspace keep
// the built-in role it acted as, and whoever is invited to one of its projects is offered that one.
async function dissolve(
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
