import { acceptInvitation } from './accept-invitation.ts';
import { createInvitation } from './create-invitation.ts';
import { createProjectInvitation } from './create-project-invitation.ts';
import { declineInvitation } from './decline-invitation.ts';
import type { InviteLink, IsInviteToken } from './invite-link.ts';
import { listMyInvitations } from './list-my-invitations.ts';
import { listPendingInvitations } from './list-pending-invitations.ts';
import { listProjectInvitations } from './list-project-invitations.ts';
import { resendInvitation } from './resend-invitation.ts';
import { revokeInvitation } from './revoke-invitation.ts';
import { revokeProjectInvitation } from './revoke-project-invitation.ts';

export const invitationRoutes = (services: {
  inviteLink: InviteLink;
  isInviteToken: IsInviteToken;
}) => [
  listPendingInvitations(services),
  createInvitation(services),
  resendInvitation(services),
  revokeInvitation,
  listMyInvitations,
  acceptInvitation(services),
  declineInvitation,
  listProjectInvitations(services),
  createProjectInvitation(services),
  revokeProjectInvitation,
];
