import { createHmac } from 'node:crypto';
import type { InviteLink } from './list-pending-invitations.ts';

/**
 * Links of invitations: the token is an HMAC of the server's secret over the invitation's id and generation, so no table
 * holds it, and renewing an invitation ends its old link (ruling 9.3).
 */
export const inviteLinks =
  (publicUrl: string, serverSecret: string): InviteLink =>
  (invitationId, generation) => {
    const token = createHmac('sha256', serverSecret)
      .update(`invitation:${invitationId}:${generation}`)
      .digest('base64url');
    return `${publicUrl}/invitations/${invitationId}?token=${token}`;
  };
