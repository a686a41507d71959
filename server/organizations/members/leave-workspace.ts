import { onLeftWorkspace } from '../../access/membership.ts';
import { onWorkspace } from '../../access/workspace.ts';
import { ids, route } from '../../http/route.ts';
import { endMembership, receipt } from './end-membership.ts';
import { isOwner } from './member.ts';

/** Ends the caller's own membership. */
export const leaveWorkspace = route({
  method: 'POST',
  path: '/api/organizations/{org_id}/leave',
  area: 'Members & Invitations',
  operationId: 'leave_workspace',
  summary: 'Leave a workspace',
  description:
    'Ends the membership of the caller in the workspace, its teams and its projects, at once. ' +
    'Every member may leave but the owner. If auto-reload of the workspace charges the ' +
    "caller's card, it is switched off.",
  access: onWorkspace('leave_workspace'),
  replayAccess: onLeftWorkspace,
  auditDenied: { action: 'member.leave' },
  params: ids('org_id'),
  responses: { 200: receipt },
  errors: [isOwner],
  handle: ({ params: { org_id }, requestId, transaction }) =>
    transaction(async (tx, { owner_user_id, userId, keyId, sessionId }) => {
      if (userId === owner_user_id) throw isOwner();
      const caller = { userId, keyId, sessionId };
      const who = { organizationId: org_id, userId };
      return { status: 200, body: await endMembership(tx, { ...who, caller, requestId }) };
    }),
});
