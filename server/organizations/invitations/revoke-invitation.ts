import { onInvitation, onWorkspace } from '../../access/workspace.ts';
import { ids, route } from '../../http/route.ts';
import { revoke } from './revoke.ts';

/** Revokes an open invitation to a workspace; its link no longer works. */
export const revokeInvitation = route({
  method: 'DELETE',
  path: '/api/organizations/{org_id}/invitations/{invitation_id}',
  area: 'Members & Invitations',
  operationId: 'revoke_invitation',
  summary: 'Revoke an invitation',
  description:
    'Revokes an invitation that was not accepted or declined yet. Owners and admins only. Its ' +
    'link no longer works.',
  access: onInvitation('invite'),
  // The invitation is no longer open by then.
  replayAccess: onWorkspace('invite'),
  params: ids('org_id', 'invitation_id'),
  responses: { 204: { description: 'The invitation was revoked.' } },
  errors: [],
  handle: revoke,
});
