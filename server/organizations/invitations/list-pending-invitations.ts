import Type from 'typebox';
import { onWorkspace } from '../../access/workspace.ts';
import { nothing, sql } from '../../db/sql.ts';
import { oneOf } from '../../http/input/fields.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { cursorInvalid, paging } from '../../http/paging.ts';
import { ids, route } from '../../http/route.ts';
import { invitation } from './invitation.ts';
import { type InviteLink, withLinks } from './invite-link.ts';

/** The invitations of a workspace that are still open (spec 7, ruling 9). */
export const listPendingInvitations = ({ inviteLink }: { inviteLink: InviteLink }) =>
  route({
    method: 'GET',
    path: '/api/organizations/{org_id}/invitations',
    area: 'Members & Invitations',
    operationId: 'list_pending_invitations',
    summary: 'List pending invitations',
    description:
      'Invitations that were sent but not accepted, declined or revoked, newest first. Owners ' +
      'and admins only. Those past their expiry have the status `expired`; `?status=pending` ' +
      'omits them. The complete list, unless `limit` is given.',
    access: onWorkspace('list_invitations'),
    params: ids('org_id'),
    query: Type.Object({
      status: Type.Optional(
        oneOf(['pending', 'expired'], { description: 'Only invitations with this status.' }),
      ),
      ...paging,
    }),
    responses: { 200: invitation.listed('Newest first.') },
    errors: [cursorInvalid],
    completeAnswer: withLinks(inviteLink),
    handle: ({ query, url, statement }) =>
      statement<Listed>(
        { select: listed(openInvitations(query.status), query) },
        page(url, query.limit),
      ),
  });

const openInvitations = (status: 'pending' | 'expired' | undefined) => ({
  json: invitation.json,
  rows: sql`
    from authorized
    join organization o on o.id = authorized.organization_id
    join invitation i on i.organization_id = o.id
    join role r on r.id = i.role_id
   where i.status = 'pending'
     ${status === undefined ? nothing : sql`and (i.expires_at > now()) = ${status === 'pending'}`}`,
  order: [
    { by: sql`i.created_at`, type: 'timestamptz' as const },
    { by: sql`i.id`, type: 'uuid' as const },
  ],
  descending: true,
});
