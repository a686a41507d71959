import { onInvitation, onWorkspace } from '../access/workspace.ts';
import { auditRow } from '../audit/audit.ts';
import { sql } from '../db/sql.ts';
import { changedAt, lockedRow } from '../http/change.ts';
import { notFound } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';

/** Revokes an open invitation; its link no longer works. */
export const revokeInvitation = route({
  method: 'DELETE',
  path: '/api/organizations/{org_id}/invitations/{invitation_id}',
  area: 'Members & Invitations',
  operationId: 'revoke_invitation',
  summary: 'Revoke an invitation',
  description:
    'Revokes an invitation that was not accepted or declined yet. Owners and admins only. Its link no longer works.',
  access: onInvitation('invite'),
  // The invitation is no longer open by then.
  replayAccess: onWorkspace('invite'),
  params: ids('org_id', 'invitation_id'),
  responses: { 204: { description: 'The invitation was revoked.' } },
  errors: [],
  handle: ({ requestId, statement }) =>
    statement<{ revoked: boolean }>(
      {
        with: sql`
          ${lockedRow(sql`invitation`, sql`invitation_id`, undefined)},
          changed as (
            update invitation i
               set status = 'revoked', updated_at = ${changedAt(sql`i.updated_at`)}
              from current
             where i.id = (current.row).id and (current.row).status = 'pending'
            returning i as row),
          audited as (${auditRow({
            action: 'invitation.revoke',
            requestId,
            target: sql`(row).id`,
            organization: sql`(row).organization_id`,
            before: sql`jsonb_build_object('email', (row).email, 'status', 'pending')`,
            after: sql`jsonb_build_object('email', (row).email, 'status', 'revoked')`,
            from: sql`changed`,
          })})`,
        select: sql`select exists (select from changed) as revoked from authorized`,
      },
      ({ revoked }) => {
        if (!revoked) throw notFound();
        return { status: 204 };
      },
    ),
});
