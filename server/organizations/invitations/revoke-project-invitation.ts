import { onProject, onProjectInvitation } from '../../access/project.ts';
import { ids, route } from '../../http/route.ts';
import { revoke } from './revoke.ts';

/** Revokes an open invitation to a project; its link no longer works. */
export const revokeProjectInvitation = route({
  method: 'DELETE',
  path: '/api/projects/{project_id}/invitations/{invitation_id}',
  area: 'Projects',
  operationId: 'revoke_project_invitation',
  summary: 'Revoke an invitation to a project',
  description:
    'Revokes an invitation that was not accepted or declined yet. Owners and admins of the ' +
    'project only. Its link no longer works.',
  access: onProjectInvitation('manage_project_people'),
  // The invitation is no longer open by then.
  replayAccess: onProject('manage_project_people'),
  params: ids('project_id', 'invitation_id'),
  responses: { 204: { description: 'The invitation was revoked.' } },
  errors: [],
  handle: revoke,
});
