import { ownerMakesAdmins } from '../../access/given-role.ts';
import { onInvitation, onWorkspace } from '../../access/workspace.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { changedAt, lockedRow } from '../../http/change.ts';
import { notFound } from '../../http/errors.ts';
import { ids, route } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';
import { workspaceInvitation } from './invitation.ts';
import { type InviteLink, withLinks } from './invite-link.ts';

/** Sends an open invitation again, with a new link and a new expiry; an expired one too. */
export const resendInvitation = ({ inviteLink }: { inviteLink: InviteLink }) =>
  route({
    method: 'POST',
    path: '/api/organizations/{org_id}/invitations/{invitation_id}/resend',
    area: 'Members & Invitations',
    operationId: 'resend_invitation',
    summary: 'Send an invitation again',
    description:
      'Sends the mail again with a new link, valid for another seven days, also when the ' +
      'invitation has expired. The previous link no longer works. Owners and admins only; ' +
      'admins may resend an invitation of an admin only if the owner allows them to manage ' +
      'admins.',
    access: onInvitation('invite'),
    // The invitation may have been answered since.
    replayAccess: onWorkspace('invite'),
    limit: 'invitations',
    params: ids('org_id', 'invitation_id'),
    responses: { 200: workspaceInvitation.shown('The invitation, with its new link.', []) },
    errors: [ownerMakesAdmins],
    completeAnswer: withLinks(inviteLink),
    handle: ({ requestId, statement }) =>
      statement<{ permitted: boolean | null; item: string | null }>(
        {
          with: sql`
            ${lockedRow(sql`invitation`, sql`invitation_id`, undefined)},
            permitted as materialized (
              select o.admins_manage_admins or r.acts_as <> 'admin'
                     or o.owner_user_id = caller.user_id as yes
                from current cross join caller
                join organization o on o.id = (current.row).organization_id
                join role r on r.id = (current.row).role_id),
            changed as (
              update invitation i
                 set generation = i.generation + 1,
                     expires_at = now() + interval '7 days',
                     updated_at = ${changedAt(sql`i.updated_at`)}
                from current, permitted
               where i.id = (current.row).id and (current.row).status = 'pending' and permitted.yes
              returning i as row),
            mailed as (
              insert into mail (kind, recipient, subject_id, generation)
              select 'workspace_invitation', (row).email, (row).id, (row).generation from changed),
            audited as (${auditRow({
              action: 'invitation.resend',
              requestId,
              target: sql`(changed.row).id`,
              organization: sql`(changed.row).organization_id`,
              before: offered(sql`current`),
              after: offered(sql`changed`),
              from: sql`changed cross join current`,
            })})`,
          select: sql`
            select (select yes from permitted) as permitted,
                   (select ${workspaceInvitation.json}
                      from changed, lateral (select (changed.row).*) i
                      join organization o on o.id = i.organization_id
                      join role r on r.id = i.role_id) as item
              from authorized`,
        },
        ({ permitted, item }) => {
          if (permitted === false) throw ownerMakesAdmins();
          if (item === null) throw notFound();
          return { status: 200, body: item };
        },
      ),
  });

const offered = (of: Sql) =>
  sql`jsonb_build_object('email', (${of}.row).email, 'expires_at', (${of}.row).expires_at)`;
