import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

/**
 * Makes the link of an invitation from its id and generation; no table contains it (ruling 9.3).
 */
export type InviteLink = (invitationId: string, generation: number) => string;

/** Whether a token is the one in the current link of an invitation. */
export type IsInviteToken = (token: string, invitationId: string, generation: number) => boolean;

/** The number of characters of a token: 32 bytes in base64url. */
export const TOKEN_LENGTH = 43;

// A link takes longer to compute than its row takes to read, and it never changes.
const KEPT = 10_000;

/**
 * Invitation links: the token is an HMAC with the server's secret over the invitation's id and
 * generation, so no table contains it, and renewing an invitation invalidates its old link (ruling
 * 9.3). The latest links are cached in memory.
 */
export function inviteLinks(publicUrl: string, serverSecret: string): InviteLink {
  const tokenOf = inviteTokens(serverSecret);
  const kept = new Map<string, string>();
  return (invitationId, generation) => {
    const name = `${invitationId}:${generation}`;
    let link = kept.get(name);
    if (link === undefined) {
      link = `${publicUrl}/invitations/${invitationId}?token=${tokenOf(invitationId, generation)}`;
      if (kept.size === KEPT) kept.delete(kept.keys().next().value as string);
      kept.set(name, link);
    }
    return link;
  };
}

/**
 * The same links as they are mailed, and never shown: `proof` says that whoever has one reads the
 * mail of the address. Those who invite can copy the other link, so that it proves nothing.
 */
export function mailedInviteLinks(publicUrl: string, serverSecret: string): InviteLink {
  const linkOf = inviteLinks(publicUrl, serverSecret);
  const proofOf = inviteTokens(serverSecret, 'mailed-invitation');
  return (id, generation) => `${linkOf(id, generation)}&proof=${proofOf(id, generation)}`;
}

/**
 * Compares in a time that does not depend on how much of the token is right. Links that were mailed
 * before the server's secret was replaced still work, as long as the previous one is known.
 */
export function inviteTokenCheck(
  serverSecrets: readonly (string | undefined)[],
  kind: TokenKind = 'invitation',
): IsInviteToken {
  const tokensOf = serverSecrets
    .filter((secret) => secret !== undefined)
    .map((secret) => inviteTokens(secret, kind));
  return (token, invitationId, generation) => {
    const sent = Buffer.from(token);
    return tokensOf.some((tokenOf) => {
      const expected = Buffer.from(tokenOf(invitationId, generation));
      return sent.length === expected.length && timingSafeEqual(sent, expected);
    });
  };
}

/** What a token opens: the invitation, or a new account for its address. */
type TokenKind = 'invitation' | 'mailed-invitation';

function inviteTokens(
  serverSecret: string,
  kind: TokenKind = 'invitation',
): (id: string, generation: number) => string {
  const secret = createSecretKey(serverSecret, 'utf8');
  return (id, generation) =>
    createHmac('sha256', secret).update(`${kind}:${id}:${generation}`).digest('base64url');
}

// Inside a JSON string every quotation mark follows a backslash, so no name can contain this.
const PLACEHOLDER = /"invite_link":"([0-9a-f-]{36}):(\d+)"/g;

/** Replaces the placeholders in JSON text from PostgreSQL, `<id>:<generation>`, by the links. */
export const withLinks =
  (inviteLink: InviteLink) =>
  (json: string): string =>
    json.replaceAll(
      PLACEHOLDER,
      (_, id, generation) => `"invite_link":"${inviteLink(id, Number(generation))}"`,
    );
