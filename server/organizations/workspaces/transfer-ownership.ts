import Type from 'typebox';
import { activeMember, onWorkspace } from '../../access/workspace.ts';
import { handOverWorkspaceAccount } from '../../billing/index.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { apiError, fieldError, forbidden } from '../../http/errors.ts';
import { boolean, uuid } from '../../http/input/fields.ts';
import { route } from '../../http/route.ts';
import { timestamp, timestampSql } from '../../http/timestamps.ts';
import { recordChange } from '../../platform/audit/audit.ts';

const target = ['body', 'new_owner_user_id'];
const alreadyOwner = fieldError('already_owner', target, 'You already own this workspace');
const notAMember = fieldError(
  'not_a_member',
  target,
  'Ownership can only be transferred to an active member of this workspace',
);
const targetNeedsTwoFactor = fieldError(
  'two_factor_required',
  target,
  'This workspace requires two-factor authentication, which this member has not enabled',
);
const transferBlocked = apiError(
  409,
  'transfer_blocked',
  'The transfer is blocked: resolve the blockers, or send "force": true',
);

/**
 * Transfers the workspace to another member, immediately; the previous owner becomes an admin (spec
 * 3, ruling 5).
 */
export const transferOwnership = route({
  method: 'POST',
  path: '/api/organizations/{org_id}/transfer-ownership',
  area: 'Workspaces',
  operationId: 'transfer_ownership',
  summary: 'Transfer ownership',
  description:
    'Transfers the workspace to another active member. Owner only; the previous owner becomes ' +
    'an admin. `force` overrides the blockers that a 409 `transfer_blocked` lists, and ' +
    'switches auto-reload off when it charges a card of the previous owner.',
  proof: true,
  access: onWorkspace('transfer_ownership'),
  // A successful transfer makes the caller an admin, who may still repeat the request for its
  // answer.
  replayAccess: onWorkspace('see_members'),
  auditDenied: { action: 'workspace.transfer', target: 'org_id' },
  params: Type.Object({ org_id: uuid({ description: 'The workspace.' }) }),
  body: Type.Object(
    { new_owner_user_id: uuid(), force: boolean({ default: false }) },
    { additionalProperties: false },
  ),
  sample: ({ user_id }) => ({ body: { new_owner_user_id: user_id, force: false } }),
  responses: {
    200: {
      description: 'The workspace has a new owner.',
      schema: Type.Object({
        organization_id: uuid(),
        previous_owner_user_id: uuid(),
        new_owner_user_id: uuid(),
        previous_owner_role: Type.Enum(['admin']),
        transferred_at: timestamp(),
      }),
      example: {
        organization_id: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
        previous_owner_user_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
        new_owner_user_id: '0b6a2f7e-1c3d-4a5b-9e8f-7a6b5c4d3e2f',
        previous_owner_role: 'admin',
        transferred_at: '2026-11-21T08:15:30.123Z',
      },
    },
  },
  errors: [alreadyOwner, notAMember, targetNeedsTwoFactor, transferBlocked],
  handle: ({ params: { org_id }, body, requestId, transaction }) =>
    transaction(async (tx, { userId, keyId, sessionId }) => {
      const newOwner = body.new_owner_user_id;
      if (newOwner === userId) throw alreadyOwner();
      const member = await activeMember(tx, org_id, newOwner);
      if (member === undefined) throw notAMember();
      if (!member.meets_two_factor_policy) throw targetNeedsTwoFactor();

      const { blockers } = await handOverWorkspaceAccount(tx, org_id, userId, body.force);
      if (blockers.length > 0 && !body.force) throw transferBlocked({ blockers });
      const { transferred_at } = await handOver(tx, org_id, userId, newOwner);
      const change = {
        action: 'workspace.transfer',
        target: org_id,
        organizationId: org_id,
        requestId,
      };
      const [before, after] = [
        { owner_user_id: userId },
        { owner_user_id: newOwner, overridden: blockers.map(({ code }) => code) },
      ];
      await recordChange(tx, { caller: { userId, keyId, sessionId }, ...change, before, after });
      return {
        status: 200,
        body: {
          organization_id: org_id,
          previous_owner_user_id: userId,
          new_owner_user_id: newOwner,
          previous_owner_role: 'admin',
          transferred_at,
        },
      };
    }),
});

// The owner's membership always says `admin`, which is the role the previous owner keeps.
async function handOver(
  tx: Tx,
  organizationId: string,
  from: string,
  to: string,
): Promise<{ transferred_at: string }> {
  const changed = await tx.maybeOne<{ transferred_at: string }>(sql`
    with promoted as (
      update membership set role_id = '00000000-0000-4000-8000-000000000002'
       where organization_id = ${organizationId} and user_id = ${to})
    update organization set owner_user_id = ${to}, updated_at = now()
     where id = ${organizationId} and owner_user_id = ${from}
    returning ${timestampSql(sql`updated_at`)} as transferred_at`);
  if (changed === undefined) throw forbidden();
  return changed;
}
