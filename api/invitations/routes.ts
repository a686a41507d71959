import { type InviteLink, listPendingInvitations } from './list-pending-invitations.ts';

export const invitationRoutes = (inviteLink: InviteLink) => [listPendingInvitations(inviteLink)];
