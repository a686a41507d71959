import { onProject } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { cursorInvalid } from '../../http/paging.ts';
import { ids, route } from '../../http/route.ts';
import { openInvitations, openQuery, projectInvitation } from './invitation.ts';
import { type InviteLink, withLinks } from './invite-link.ts';

/** The invitations to a project that are still open. */
export const listProjectInvitations = ({ inviteLink }: { inviteLink: InviteLink }) =>
  route({
    method: 'GET',
    path: '/api/projects/{project_id}/invitations',
    area: 'Projects',
    operationId: 'list_project_invitations',
    summary: 'List the invitations to a project',
    description:
      'Invitations to the project that were not accepted, declined or revoked yet, newest ' +
      'first. Owners and admins of the project only. Those past their expiry have the status ' +
      '`expired`; `?status=pending` omits them. The complete list, unless `limit` is given.',
    access: onProject('manage_project_people'),
    params: ids('project_id'),
    query: openQuery,
    responses: { 200: projectInvitation.listed('Newest first.') },
    errors: [cursorInvalid],
    completeAnswer: withLinks(inviteLink),
    handle: ({ query, url, statement }) =>
      statement<Listed>(
        { select: listed(openInvitations(projectInvitation.json, source, query.status), query) },
        page(url, query.limit),
      ),
  });

const source = sql`
    join project p on p.id = authorized.project_id
    join invitation i on i.project_id = p.id`;
