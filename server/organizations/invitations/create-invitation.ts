import {
  checkGivenRole,
  givenRole,
  ownerMakesAdmins,
  roleFields,
  roleNotFound,
  roleOrRoleId,
  roleRequired,
} from '../../access/given-role.ts';
import { onWorkspace } from '../../access/workspace.ts';
import { sameMailbox } from '../../db/addresses.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { apiError, fieldError, ValidationError } from '../../http/errors.ts';
import { object } from '../../http/input/fields.ts';
import { ids, route } from '../../http/route.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import {
  invitedEmail,
  invitedTeams,
  MOST_OPEN,
  renewed,
  serviceAccountInvited,
  tooManyInvitations,
  workspaceInvitation,
} from './invitation.ts';
import { type InviteLink, withLinks } from './invite-link.ts';

const alreadyMember = apiError(
  409,
  'already_member',
  'A person with this address is already a member of this workspace: change their role instead',
);
const teamNotFound = fieldError(
  'team_not_found',
  ['body', 'team_ids', 0],
  'No team of this workspace has this id: choose one of its teams',
);
const teamRepeated = fieldError(
  'team_repeated',
  ['body', 'team_ids', 1],
  'This team is already in the list: remove it',
);

/**
 * Invites an address to a workspace. An open invitation of the same address is renewed, and its
 * link no longer works (ruling 9.5). The mail is sent after the commit.
 */
export const createInvitation = ({ inviteLink }: { inviteLink: InviteLink }) =>
  route({
    method: 'POST',
    path: '/api/organizations/{org_id}/invitations',
    area: 'Members & Invitations',
    operationId: 'create_invitation',
    summary: 'Invite a person to a workspace',
    description:
      'Sends an invitation, valid for seven days, to an e-mail address. Owners and admins ' +
      'only; admins may invite admins only if the owner allows it. An open invitation of this ' +
      'address is renewed: it gets the new role, teams and expiry, and its previous link no ' +
      'longer works.',
    access: onWorkspace('invite'),
    limit: 'invitations',
    params: ids('org_id'),
    body: object({ email: invitedEmail, ...roleFields, team_ids: invitedTeams }, roleRequired),
    sample: ({ role_id, team_id }) => ({
      body: { email: 'eve@example.com', role_id, team_ids: [team_id] },
    }),
    responses: { 201: workspaceInvitation.shown('The invitation.', []) },
    errors: [
      roleOrRoleId,
      roleNotFound,
      ownerMakesAdmins,
      teamNotFound,
      teamRepeated,
      alreadyMember,
      tooManyInvitations,
      serviceAccountInvited,
    ],
    completeAnswer: withLinks(inviteLink),
    handle: ({ params: { org_id }, body, requestId, transaction }) =>
      transaction(async (tx, { owner_user_id, userId, keyId, sessionId }) => {
        checkGivenRole(body);
        const found = await circumstances(tx, org_id, body);
        if (found.role === null) throw roleNotFound();
        if (
          found.role.acts_as === 'admin' &&
          !found.admins_manage_admins &&
          owner_user_id !== userId
        )
          throw ownerMakesAdmins();
        checkTeams(body.team_ids, found.team_ids);
        if (found.is_member) throw alreadyMember();
        if (found.open >= MOST_OPEN && found.earlier === null) throw tooManyInvitations();

        const id = await save(tx, org_id, userId, { ...body, role_id: found.role.id });
        const { earlier: before } = found;
        await recordChange(tx, {
          caller: { userId, keyId, sessionId },
          action: before === null ? 'invitation.create' : 'invitation.renew',
          target: id,
          organizationId: org_id,
          before: before ?? {},
          after: { email: body.email, role: found.role.slug, team_ids: body.team_ids },
          requestId,
        });
        return { status: 201, body: await show(tx, id) };
      }),
  });

/** Refuses ids of other teams, and ids that came twice, each at its place in the list. */
function checkTeams(given: readonly string[], found: readonly string[]): void {
  const items = given.flatMap((id, index) => {
    const fault = !found.includes(id)
      ? teamNotFound
      : given.indexOf(id) < index
        ? teamRepeated
        : undefined;
    return fault ? [{ ...fault.item, loc: ['body', 'team_ids', index] }] : [];
  });
  if (items.length > 0) throw new ValidationError(items);
}

interface Wanted {
  email: string;
  team_ids: string[];
  role?: string;
  role_id?: string;
}

interface Circumstances {
  role: { id: string; slug: string; acts_as: string } | null;
  admins_manage_admins: boolean;
  team_ids: string[];
  is_member: boolean;
  /** Open invitations of the workspace, up to MOST_OPEN. */
  open: number;
  /** What an open invitation of this address offers. */
  earlier: object | null;
}

// The teams are locked so that none of them is deleted before the commit.
const circumstances = (tx: Tx, organizationId: string, wanted: Wanted): Promise<Circumstances> =>
  tx.one(sql`
    with given as (${givenRole('workspace', wanted, sql`${organizationId}::uuid`)}),
    teams as materialized (
      select id from team
       where organization_id = ${organizationId} and id = any(${wanted.team_ids}::uuid[])
       order by id for key share)
    select (select json_build_object('id', id, 'slug', slug, 'acts_as', acts_as)
      from given) as role,
           o.admins_manage_admins,
           array(select id from teams) as team_ids,
           exists (select from app_user u join membership m on m.user_id = u.id
                    where ${sameMailbox(sql`u.email`, sql`${wanted.email}::text`)}
                      and m.organization_id = o.id) as is_member,
           (select count(*)::int
              from (select from invitation
                     where organization_id = o.id and status = 'pending'
                       limit ${MOST_OPEN}) open) as open,
           (select json_build_object('email', i.email, 'role', r.slug, 'team_ids', array(
                     select team_id from invitation_team where invitation_id = i.id
                       order by team_id))
              from invitation i join role r on r.id = i.role_id
             where i.organization_id = o.id and mailbox(i.email) = mailbox(${wanted.email})
               and i.status = 'pending') as earlier
      from organization o
     where o.id = ${organizationId}`);

async function save(
  tx: Tx,
  organizationId: string,
  inviterId: string,
  { email, role_id, team_ids }: Wanted & { role_id: string },
): Promise<string> {
  const { id } = await tx.one<{ id: string }>(sql`
    with saved as (
      insert into invitation as i (organization_id, email, role_id, invited_by_user_id,
        invited_by_name)
      select ${organizationId}, ${email}, ${role_id}, id, coalesce(name, '')
        from app_user where id = ${inviterId}
      on conflict (organization_id, mailbox(email)) where status = 'pending' do update
         set ${renewed}
      returning i.id, i.organization_id, i.email, i.generation),
    left_out as (
      delete from invitation_team it using saved
       where it.invitation_id = saved.id and it.team_id <> all(${team_ids}::uuid[])),
    offered as (
      insert into invitation_team (invitation_id, organization_id, team_id)
      select saved.id, saved.organization_id, team_id
        from saved cross join unnest(${team_ids}::uuid[]) team_id
      on conflict do nothing),
    mailed as (
      insert into mail (kind, recipient, subject_id, generation)
      select 'workspace_invitation', email, id, generation from saved)
    select id from saved`);
  return id;
}

const show = async (tx: Tx, id: string): Promise<string> => {
  const { item } = await tx.one<{ item: string }>(sql`
    select ${workspaceInvitation.json} as item
      from invitation i
      join organization o on o.id = i.organization_id
      join role r on r.id = i.role_id
     where i.id = ${id}`);
  return item;
};
