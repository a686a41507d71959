import { type Sql, sql } from '../../../db/sql.ts';
import { apiError } from '../../../http/errors.ts';
import { text, uuid } from '../../../http/input/fields.ts';
import { inviteTokenCheck, TOKEN_LENGTH } from '../../../organizations/index.ts';

/** One answer for every invitation that is not open, and every wrong token. */
export const invitationUnusable = apiError(
  404,
  'invitation_unusable',
  'This invitation has been answered, renewed or revoked, or has expired: ask for a new one',
);

export const invitationId = () =>
  uuid({ description: 'The invitation, from the path of its link.' });

export const inviteToken = (description: string) =>
  text({ minLength: 1, maxLength: TOKEN_LENGTH, writeOnly: true, description });

/** What the two tokens in the links of invitations are checked by. */
export interface InvitationTokens {
  /** Of the link that those who invite can copy. */
  isLink: ReturnType<typeof inviteTokenCheck>;
  /** Of the mail alone. */
  isProof: ReturnType<typeof inviteTokenCheck>;
}

export const invitationTokens = (
  serverSecrets: readonly (string | undefined)[],
): InvitationTokens => ({
  isLink: inviteTokenCheck(serverSecrets),
  isProof: inviteTokenCheck(serverSecrets, 'mailed-invitation'),
});

/** An open invitation, and whether its address has an account. */
export interface OpenInvitation {
  generation: number;
  email: string;
  kind: 'workspace' | 'project';
  name: string;
  role_name: string;
  invited_by_name: string;
  has_account: boolean;
}

/** SQL: the invitation, if it is open. */
export const openInvitation = (id: string): Sql => sql`
  select i.generation, i.email, i.scope as kind, coalesce(o.name, p.name) as name,
         r.name as role_name, i.invited_by_name,
         exists (select from app_user u where mailbox(u.email) = mailbox(i.email)) as has_account
    from invitation i
    join role r on r.id = i.role_id
    left join organization o on o.id = i.organization_id
    left join project p on p.id = i.project_id
   where i.id = ${id} and i.status = 'pending' and i.expires_at > now()`;
