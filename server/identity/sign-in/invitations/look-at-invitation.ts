import Type from 'typebox';
import type { Database } from '../../../db/database/database.ts';
import { object } from '../../../http/input/fields.ts';
import { publicRoute } from '../../../http/public-route.ts';
import {
  type InvitationTokens,
  invitationId,
  invitationUnusable,
  inviteToken,
  type OpenInvitation,
  openInvitation,
} from './invitation-tokens.ts';

/**
 * Shows an invitation to whoever has its link, before they sign in. Whether its address has an account
 * is shown only to those who have the link of the mail: anybody can invite an address to find out.
 */
export const lookAtInvitation = ({
  db,
  tokens,
}: {
  db: Pick<Database, 'read'>;
  tokens: InvitationTokens;
}) =>
  publicRoute({
    method: 'POST',
    path: '/auth/invitations/look',
    area: 'Sign-in',
    operationId: 'look_at_invitation',
    summary: 'Look at an invitation',
    description: 'Who invites whom to what. Looking changes nothing.',
    limit: 'signIn',
    body: object({
      invitation_id: invitationId(),
      token: inviteToken('From the link.'),
      proof: Type.Optional(inviteToken('From the link, if it is that of the mail.')),
    }),
    sample: () => ({
      body: {
        invitation_id: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
        token: 'GlB6w7mQ97RrWZID3Yc_-X4a0CDjtMb50J6DoGH6UeY',
      },
    }),
    responses: {
      200: {
        description: 'The invitation.',
        schema: Type.Object(
          {
            kind: Type.Enum(['workspace', 'project']),
            name: Type.String({ description: 'The workspace or project.' }),
            role_name: Type.String(),
            invited_by_name: Type.String(),
            email: Type.String({ description: 'Whom the invitation is for.' }),
            sign_up: Type.Boolean({
              description:
                'Whether this link makes an account: it is that of the mail, and the ' +
                'address has none.',
            }),
          },
          { $id: 'InvitationLink' },
        ),
        example: {
          kind: 'workspace',
          name: 'Acme',
          role_name: 'Member',
          invited_by_name: 'Ada Byron',
          email: 'eve@example.com',
          sign_up: true,
        },
      },
    },
    errors: [invitationUnusable],
    handle: async ({ body: { invitation_id, token, proof }, network, take }) => {
      const [found] = await db.read<OpenInvitation>(openInvitation(invitation_id));
      if (found === undefined || !tokens.isLink(token, invitation_id, found.generation)) {
        await take('failedAuth', network);
        throw invitationUnusable();
      }
      const { generation, has_account, ...shown } = found;
      const isMailed = proof !== undefined && tokens.isProof(proof, invitation_id, generation);
      return { status: 200, body: { ...shown, sign_up: isMailed && !has_account } };
    },
  });
