import { createHmac, createSecretKey } from 'node:crypto';
import type { InviteLink } from './list-pending-invitations.ts';

// A link takes longer to make than its row takes to be read, and never changes.
const KEPT = 10_000;

/**
 * Links of invitations: the token is an HMAC of the server's secret over the invitation's id and generation, so no table
 * holds it, and renewing an invitation ends its old link (ruling 9.3). The last ones made are kept in memory.
 */
export function inviteLinks(publicUrl: string, serverSecret: string): InviteLink {
  const secret = createSecretKey(serverSecret, 'utf8');
  const kept = new Map<string, string>();
  return (invitationId, generation) => {
    const invitation = `invitation:${invitationId}:${generation}`;
    let link = kept.get(invitation);
    if (link === undefined) {
      const token = createHmac('sha256', secret).update(invitation).digest('base64url');
      link = `${publicUrl}/invitations/${invitationId}?token=${token}`;
      if (kept.size === KEPT) kept.delete(kept.keys().next().value as string);
      kept.set(invitation, link);
    }
    return link;
  };
}
