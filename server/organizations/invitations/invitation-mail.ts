import { sameMailbox } from '../../db/addresses.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { InviteLink } from './invite-link.ts';

/** The row of the outbox that a mail is made for. */
interface Queued {
  kind: string;
  recipient: string;
  subjectId: string;
  generation: number;
}

interface Invitation {
  invited_by_name: string;
  role: string;
  target: string;
  expires_at: Date;
}

/**
 * Makes the mail of an invitation to a workspace or a project from what the invitation is now:
 * `obsolete` unless it is pending, not expired, of this generation and for this address.
 */
export const invitationMail =
  (db: Pick<Database, 'read'>, inviteLink: InviteLink) => async (mail: Queued) => {
    const scope = mail.kind === 'project_invitation' ? 'project' : 'workspace';
    const [invitation] = await db.read<Invitation>(openInvitation(mail, scope));
    if (invitation === undefined) return 'obsolete';
    const { role, target, expires_at } = invitation;
    const inviter = { name: invitation.invited_by_name.trim() || 'Someone' };
    return {
      subject: [inviter, ' invited you to ', { name: target }],
      before: [
        [
          inviter,
          ` invited you to the ${scope} “`,
          { name: target },
          '” on Guildhall, with the role ',
          { name: role },
          '.',
        ],
      ],
      link: {
        label: 'See the invitation, and accept or decline it',
        url: inviteLink(mail.subjectId, mail.generation),
      },
      after: [
        [`The invitation is for ${mail.recipient} only, and it ends on ${inUtc(expires_at)}.`],
        [
          'If you did not expect it, ignore this message: nothing happens unless you accept. ' +
            'Please do not forward it, because the link is yours alone.',
        ],
      ],
    };
  };

const openInvitation = ({ subjectId, generation, recipient }: Queued, scope: string) => sql`
  select i.invited_by_name, r.name as role, coalesce(o.name, p.name) as target, i.expires_at
    from invitation i
    join role r on r.id = i.role_id
    left join organization o on o.id = i.organization_id
    left join project p on p.id = i.project_id
   where i.id = ${subjectId} and i.generation = ${generation} and i.scope = ${scope}
     and ${sameMailbox(sql`i.email`, sql`${recipient}::text`)}
     and i.status = 'pending' and i.expires_at > now()`;

const inUtc = (time: Date): string =>
  `${new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(time)} UTC`;
