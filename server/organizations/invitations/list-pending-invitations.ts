import { onWorkspace } from '../../access/workspace.ts';
import { sql } from '../../db/sql.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { cursorInvalid } from '../../http/paging.ts';
import { ids, route } from '../../http/route.ts';
import { invitation, openInvitations, openQuery } from './invitation.ts';
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
    query: openQuery,
    responses: { 200: invitation.listed('Newest first.') },
    errors: [cursorInvalid],
    completeAnswer: withLinks(inviteLink),
    handle: ({ query, url, statement }) =>
      statement<Listed>(
        { select: listed(openInvitations(invitation.json, source, query.status), query) },
        page(url, query.limit),
      ),
  });

const source = sql`
    join organization o on o.id = authorized.organization_id
    join invitation i on i.organization_id = o.id`;
