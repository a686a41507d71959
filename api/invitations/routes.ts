import { acceptInvitation } from './accept-invitation.ts';
import { createInvitation } from './create-invitation.ts';
import { declineInvitation } from './decline-invitation.ts';
import type { InviteLink, IsInviteToken } from './invite-link.ts';
import { listMyInvitations } from './list-my-invitations.ts';
import { listPendingInvitations } from './list-pending-invitations.ts';
import { resendInvitation } from './resend-invitation.ts';
import { revokeInvitation } from './revoke-invitation.ts';

export const invitationRoutes = (inviteLink: InviteLink, isToken: IsInviteToken) => [
  listPendingInvitations(inviteLink),
  createInvitation(inviteLink),
  resendInvitation(inviteLink),
  revokeInvitation,
  listMyInvitations,
  acceptInvitation(isToken),
  declineInvitation,
];
