import { onAnsweredInvitation, onUnwantedInvitation } from '../../access/invitation.ts';
import { sql } from '../../db/sql.ts';
import { changedAt, lockedRow } from '../../http/change.ts';
import { forbidden, notFound } from '../../http/errors.ts';
import { ids, route } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';

/** Declines an open invitation, also one that has expired. */
export const declineInvitation = route({
  method: 'POST',
  path: '/api/invitations/{invitation_id}/decline',
  area: 'Members & Invitations',
  operationId: 'decline_invitation',
  summary: 'Decline an invitation',
  description:
    'Declines an invitation, which is then no longer listed. Only for the person whose e-mail ' +
    'address was invited.',
  access: onUnwantedInvitation,
  // The invitation is no longer open by then.
  replayAccess: onAnsweredInvitation,
  params: ids('invitation_id'),
  responses: { 204: { description: 'The invitation was declined.' } },
  errors: [notFound, forbidden],
  handle: ({ requestId, statement }) =>
    statement<{ declined: boolean }>(
      {
        with: sql`
          ${lockedRow(sql`invitation`, sql`invitation_id`, undefined)},
          changed as (
            update invitation i
               set status = 'declined', updated_at = ${changedAt(sql`i.updated_at`)}
              from current
             where i.id = (current.row).id and (current.row).status = 'pending'
            returning i.id),
          audited as (${auditRow({
            action: 'invitation.decline',
            requestId,
            target: sql`changed.id`,
            organization: sql`coalesce(workspace_id, project_workspace_id)`,
            project: sql`project_id`,
            before: sql`'{"status":"pending"}'::jsonb`,
            after: sql`'{"status":"declined"}'::jsonb`,
            from: sql`changed cross join authorized`,
          })})`,
        select: sql`select exists (select from changed) as declined from authorized`,
      },
      ({ declined }) => {
        if (!declined) throw notFound();
        return { status: 204 };
      },
    ),
});
