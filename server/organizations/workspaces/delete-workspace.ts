import Type from 'typebox';
import { activeMember, onWorkspace } from '../../access/workspace.ts';
import { balanceLimit, closeWorkspaceAccount } from '../../billing/index.ts';
import { apiError, fieldError } from '../../http/errors.ts';
import { uuid } from '../../http/input/fields.ts';
import { route } from '../../http/route.ts';
import { timestamp } from '../../http/timestamps.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import { dissolve } from './dissolve.ts';

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
