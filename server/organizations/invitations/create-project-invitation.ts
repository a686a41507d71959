import {
  checkGivenRole,
  givenRole,
  roleFields,
  roleNotFound,
  roleOrRoleId,
  roleRequired,
} from '../../access/given-role.ts';
import { onLockedProject } from '../../access/project.ts';
import { sameMailbox } from '../../db/addresses.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { apiError } from '../../http/errors.ts';
import { object } from '../../http/input/fields.ts';
import { ids, route } from '../../http/route.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import {
  invitedEmail,
  MOST_OPEN,
  projectInvitation,
  renewed,
  serviceAccountInvited,
  tooManyInvitations,
} from './invitation.ts';
import { type InviteLink, withLinks } from './invite-link.ts';

const alreadyOnProject = apiError(
  409,
  'already_on_project',
  'A person with this address can already open the project: set their role on it instead',
);

/**
 * Invites an address to a project, as an outside collaborator: no one is added to a project
 * without being asked. An open invitation of the same address is renewed, and its link no longer
 * works (ruling 9.5).
 */
export const createProjectInvitation = ({ inviteLink }: { inviteLink: InviteLink }) =>
  route({
    method: 'POST',
    path: '/api/projects/{project_id}/invitations',
    area: 'Projects',
    operationId: 'create_project_invitation',
    summary: 'Invite a person to a project',
    description:
      'Sends an invitation, valid for seven days, to an e-mail address; whoever accepts ' +
      'becomes an outside collaborator. Owners and admins of the project only. Members of its ' +
      'workspace need no invitation. An open invitation of this address is renewed: it gets ' +
      'the new role and expiry, and its previous link no longer works.',
    access: onLockedProject('manage_project_people'),
    limit: 'invitations',
    params: ids('project_id'),
    body: object({ email: invitedEmail, ...roleFields }, roleRequired),
    sample: () => ({ body: { email: 'eve@example.com', role: 'member' } }),
    responses: { 201: projectInvitation.shown('The invitation.', []) },
    errors: [
      roleOrRoleId,
      roleNotFound,
      alreadyOnProject,
      tooManyInvitations,
      serviceAccountInvited,
    ],
    completeAnswer: withLinks(inviteLink),
    handle: ({ params: { project_id }, body, requestId, transaction }) =>
      transaction(async (tx, caller) => {
        checkGivenRole(body);
        const { organization_id, userId } = caller;
        const found = await circumstances(tx, project_id, organization_id, body);
        if (found.role === null) throw roleNotFound();
        if (found.is_on_project) throw alreadyOnProject();
        if (found.open >= MOST_OPEN && found.earlier === null) throw tooManyInvitations();

        const id = await save(tx, project_id, userId, body.email, found.role.id);
        await recordChange(tx, {
          caller,
          action: found.earlier === null ? 'invitation.create' : 'invitation.renew',
          target: id,
          organizationId: organization_id,
          projectId: project_id,
          before: found.earlier ?? {},
          after: { email: body.email, role: found.role.slug },
          requestId,
        });
        const { item } = await tx.one<{ item: string }>(sql`
          select ${projectInvitation.json} as item
            from invitation i
            join project p on p.id = i.project_id
            join role r on r.id = i.role_id
           where i.id = ${id}`);
        return { status: 201, body: item };
      }),
  });

interface Circumstances {
  role: { id: string; slug: string } | null;
  is_on_project: boolean;
  /** Open invitations to the project, up to MOST_OPEN. */
  open: number;
  /** What an open invitation of this address offers. */
  earlier: object | null;
}

const circumstances = (
  tx: Tx,
  projectId: string,
  organizationId: string | null,
  wanted: { email: string; role?: string; role_id?: string },
): Promise<Circumstances> =>
  tx.one(sql`
    with given as (${givenRole('project', wanted, sql`${organizationId}::uuid`)})
    select (select json_build_object('id', id, 'slug', slug) from given) as role,
           exists (
             select from app_user u
              where ${sameMailbox(sql`u.email`, sql`${wanted.email}::text`)}
                and (u.id = p.owner_user_id
                     or exists (select from membership
                                 where organization_id = p.organization_id and user_id = u.id)
                     or exists (select from project_grant
                                 where project_id = p.id and user_id = u.id))) as is_on_project,
           (select count(*)::int
              from (select from invitation
                     where project_id = p.id and status = 'pending'
                       limit ${MOST_OPEN}) open) as open,
           (select json_build_object('email', i.email, 'role', r.slug)
              from invitation i join role r on r.id = i.role_id
             where i.project_id = p.id and mailbox(i.email) = mailbox(${wanted.email})
               and i.status = 'pending') as earlier
      from project p
     where p.id = ${projectId}`);

async function save(
  tx: Tx,
  projectId: string,
  inviterId: string,
  email: string,
  roleId: string,
): Promise<string> {
  const { id } = await tx.one<{ id: string }>(sql`
    with saved as (
      insert into invitation as i
             (project_id, scope, email, role_id, invited_by_user_id, invited_by_name)
      select ${projectId}, 'project', ${email}, ${roleId}, id, coalesce(name, '')
        from app_user where id = ${inviterId}
      on conflict (project_id, mailbox(email)) where status = 'pending' do update
         set ${renewed}
      returning i.id, i.email, i.generation),
    mailed as (
      insert into mail (kind, recipient, subject_id, generation)
      select 'project_invitation', email, id, generation from saved)
    select id from saved`);
  return id;
}
