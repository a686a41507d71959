import Type from 'typebox';
import type { Database, Tx } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import { object } from '../../../http/input/fields.ts';
import { publicRoute } from '../../../http/public-route.ts';
import { hashOf, newToken } from '../session.ts';
import { LINK_MINUTES } from '../sign-in-link.ts';
import {
  type InvitationTokens,
  invitationId,
  invitationUnusable,
  inviteToken,
  type OpenInvitation,
  openInvitation,
} from './invitation-tokens.ts';

/**
 * Makes the link that signs up the address of an invitation, for whoever has the link of its mail: that
 * proves the address as a mail to sign up does, so that no second one is needed (decision 79).
 */
export const signUpByInvitation = ({
  db,
  tokens,
}: {
  db: Pick<Database, 'transaction'>;
  tokens: InvitationTokens;
}) =>
  publicRoute({
    method: 'POST',
    path: '/auth/invitations/sign-up',
    area: 'Sign-in',
    operationId: 'sign_up_by_invitation',
    summary: 'Sign up by an invitation',
    description:
      'Answers the token of a link to sign up the address of the invitation, which `use_link` ' +
      `takes once, within ${LINK_MINUTES} minutes. Any earlier link of this address to sign up no longer works.`,
    limit: 'signIn',
    body: object({
      invitation_id: invitationId(),
      proof: inviteToken('From the link of the mail.'),
    }),
    sample: () => ({
      body: {
        invitation_id: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
        proof: 'GlB6w7mQ97RrWZID3Yc_-X4a0CDjtMb50J6DoGH6UeY',
      },
    }),
    responses: {
      200: {
        description: 'The token of the link.',
        schema: Type.Object({ token: Type.String() }, { $id: 'SignUpToken' }),
        example: { token: 'GlB6w7mQ97RrWZID3Yc_-X4a0CDjtMb50J6DoGH6UeY' },
      },
    },
    errors: [invitationUnusable],
    handle: async ({ body: { invitation_id, proof }, network, take }) => {
      const token = newToken();
      const made = await db.transaction(async (tx) => {
        const found = await tx.maybeOne<OpenInvitation>(openInvitation(invitation_id));
        if (found === undefined || found.has_account) return false;
        if (!tokens.isProof(proof, invitation_id, found.generation)) return false;
        await replaceLink(tx, found.email, hashOf(token));
        return true;
      });
      if (!made) {
        await take('failedAuth', network);
        throw invitationUnusable();
      }
      return { status: 200, body: { token } };
    },
  });

/** Makes the one open link of an address, also when another request makes one at the same time. */
async function replaceLink(tx: Pick<Tx, 'many'>, email: string, tokenHash: Buffer): Promise<void> {
  for (;;) {
    await tx.many(endEarlier(email));
    const made = await tx.many(newLink(email, tokenHash));
    if (made.length > 0) return;
  }
}

const endEarlier = (email: string) => sql`
  update sign_in_link set ended_at = clock_timestamp()
   where ended_at is null and purpose = 'sign_up' and mailbox(email) = mailbox(${email})`;

const newLink = (email: string, tokenHash: Buffer) => sql`
  insert into sign_in_link (email, purpose, token_hash, expires_at)
  values (${email}, 'sign_up', ${tokenHash},
          clock_timestamp() + make_interval(mins => ${LINK_MINUTES}))
  on conflict do nothing returning id`;
