import Type from 'typebox';
import type { Database } from '../../../db/database/database.ts';
import { object } from '../../../http/input/fields.ts';
import { publicRoute } from '../../../http/public-route.ts';
import { hashOf, newToken } from '../session.ts';
import { LINK_MINUTES, replaceSignUpLink } from '../sign-in-link.ts';
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
        await replaceSignUpLink(tx, found.email, hashOf(token));
        return true;
      });
      if (!made) {
        await take('failedAuth', network);
        throw invitationUnusable();
      }
      return { status: 200, body: { token } };
    },
  });
