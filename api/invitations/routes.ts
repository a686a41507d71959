import { createInvitation } from './create-invitation.ts';
import type { InviteLink } from './invite-link.ts';
import { listPendingInvitations } from './list-pending-invitations.ts';
import { resendInvitation } from './resend-invitation.ts';
import { revokeInvitation } from './revoke-invitation.ts';

export const invitationRoutes = (inviteLink: InviteLink) => [
  listPendingInvitations(inviteLink),
  createInvitation(inviteLink),
  resendInvitation(inviteLink),
  revokeInvitation,
];
