import { createHmac, createSecretKey } from 'node:crypto';
import type { InviteLink } from './list-pending-invitations.ts';

// A link takes longer to compute than its row takes to read, and it never changes.
const KEPT = 10_000;

/**
 * Invitation links: the token is an HMAC with the server's secret over the invitation's id and
 * generation, so no table contains it, and renewing an invitation invalidates its old link (ruling
 * 9.3). The latest links are cached in memory.
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
