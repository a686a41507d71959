import Type from 'typebox';
import { OWNER, PROJECT_ADMIN } from '../../access/built-in-roles.ts';
import {
  onAcceptedInvitation,
  onReceivedInvitation,
  type ReceivedInvitation,
} from '../../access/invitation.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { changedAt } from '../../http/change.ts';
import { apiError, forbidden, notFound, twoFactorRequired } from '../../http/errors.ts';
import { color, object, uuid } from '../../http/input/fields.ts';
import { ROLE_SLUG } from '../../http/resource.ts';
import { ids, route } from '../../http/route.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import { teamNames } from './invitation.ts';
import { type IsInviteToken, TOKEN_LENGTH } from './invite-link.ts';

const tokenInvalid = apiError(
  403,
  'invite_token_invalid',
  'This is not the latest link of the invitation: use the one in the latest mail, or send no token',
);
const invitationExpired = apiError(
  409,
  'invitation_expired',
  'The invitation has expired: ask whoever invited you to send it again',
);

/**
 * Accepts an invitation to a workspace or a project. The caller's address must be the invited one
 * (ruling 9.3), so the token proves nothing more: it only makes sure that the link is the latest.
 * Who belongs there already keeps the role they have.
 */
export const acceptInvitation = ({ isInviteToken: isToken }: { isInviteToken: IsInviteToken }) =>
  route({
    method: 'POST',
    path: '/api/invitations/{invitation_id}/accept',
    area: 'Members & Invitations',
    operationId: 'accept_invitation',
    summary: 'Accept an invitation',
    description:
      'Joins the workspace or the project with the offered role, and the teams that the ' +
      'invitation names and that still exist. Only for the person whose e-mail address was ' +
      'invited. A person who already belongs there keeps their role. `token` is the one in the ' +
      'link of the mail, if that was followed; the body may be omitted.',
    access: onReceivedInvitation,
    // The invitation is no longer open by then.
    replayAccess: onAcceptedInvitation,
    params: ids('invitation_id'),
    body: object(
      {
        token: Type.Optional(
          Type.String({
            minLength: TOKEN_LENGTH,
            maxLength: TOKEN_LENGTH,
            pattern: '^[A-Za-z0-9_-]*$',
            description:
              'The token in the link of the mail. A token of an earlier link is refused.',
          }),
        ),
      },
      { default: {} },
    ),
    sample: ({ invite_token }) => ({ body: { token: invite_token } }),
    responses: {
      200: {
        description: 'What the caller has joined, and the role that they have there now.',
        schema: Type.Object({
          invitation_id: uuid(),
          organization_id: Type.Optional(uuid()),
          project_id: Type.Optional(uuid()),
          role: Type.String({ pattern: ROLE_SLUG }),
          role_id: uuid(),
          role_name: Type.String(),
          role_color: color(),
          teams_joined: teamNames(),
        }),
        example: {
          invitation_id: '0b6a2f7e-1c3d-4a5b-9e8f-7a6b5c4d3e2f',
          organization_id: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
          role: 'member',
          role_id: '00000000-0000-4000-8000-000000000003',
          role_name: 'Member',
          role_color: '#059669',
          teams_joined: [{ id: '5d0f9a4e-7c1b-4e2a-8f3d-6b7c8d9e0f1a', name: 'Core' }],
        },
      },
    },
    errors: [notFound, forbidden, twoFactorRequired, tokenInvalid, invitationExpired],
    handle: ({ body: { token }, requestId, transaction }) =>
      transaction(async (tx, invitation) => {
        const { invitation_id, workspace_id, project_id, userId } = invitation;
        if (token !== undefined && !isToken(token, invitation_id, invitation.generation))
          throw tokenInvalid();
        if (invitation.expired) throw invitationExpired();
        const role = await (project_id === null
          ? joinWorkspace(tx, invitation_id, userId)
          : joinProject(tx, invitation_id, userId));
        const teams_joined = await joinTeams(tx, invitation_id, userId);
        await recordAccepted(tx, invitation, role, teams_joined, requestId);
        const joined = project_id === null ? { organization_id: workspace_id } : { project_id };
        return { status: 200, body: { invitation_id, ...joined, ...role, teams_joined } };
      }),
  });

interface Role {
  role: string;
  role_id: string;
  role_name: string;
  role_color: string;
}

interface Team {
  id: string;
  name: string;
}

const role = sql`r.slug as role, r.id as role_id, r.name as role_name, r.color as role_color`;

const accepted = (id: string) => sql`
  accepted as (
    update invitation i
       set status = 'accepted', updated_at = ${changedAt(sql`i.updated_at`)}
     where i.id = ${id} and i.status = 'pending'
    returning i.organization_id, i.project_id, i.role_id)`;

// The membership of a person who has joined in another way stays as it is. The workspace's owner
// has the role of a member row, and is shown as owner.
const joinWorkspace = (tx: Tx, id: string, userId: string): Promise<Role> =>
  tx.one<Role>(sql`
    with ${accepted(id)},
    joined as (
      insert into membership (organization_id, user_id, role_id)
      select organization_id, ${userId}, role_id from accepted
      on conflict (organization_id, user_id) do nothing)
    select ${role}
      from accepted
      join organization o on o.id = accepted.organization_id
      left join membership m on m.organization_id = o.id and m.user_id = ${userId}
      join role r on r.id = case when o.owner_user_id = ${userId}
                                      then ${OWNER}
                                 else coalesce(m.role_id, accepted.role_id) end`);

// Whoever owns the project by now needs no role on it.
const joinProject = (tx: Tx, id: string, userId: string): Promise<Role> =>
  tx.one<Role>(sql`
    with ${accepted(id)},
    joined as (
      insert into project_grant (project_id, user_id, role_id)
      select p.id, ${userId}, accepted.role_id
        from accepted join project p on p.id = accepted.project_id
       where p.owner_user_id is distinct from ${userId}
      on conflict (project_id, user_id) do nothing)
    select ${role}
      from accepted
      join project p on p.id = accepted.project_id
      left join project_grant g on g.project_id = p.id and g.user_id = ${userId}
      join role r on r.id = case when p.owner_user_id = ${userId}
                                      then ${PROJECT_ADMIN}
                                 else coalesce(g.role_id, accepted.role_id) end`);

// Locking the teams first leaves out those that are being deleted.
async function joinTeams(tx: Tx, id: string, userId: string): Promise<Team[]> {
  const { teams } = await tx.one<{ teams: Team[] }>(sql`
    with named as materialized (
      select t.id, t.organization_id, t.name
        from invitation_team it join team t on t.id = it.team_id
       where it.invitation_id = ${id}
       order by t.id for key share of t),
    joined as (
      insert into team_member (team_id, organization_id, user_id)
      select id, organization_id, ${userId} from named
      on conflict do nothing)
    select coalesce(json_agg(json_build_object('id', id, 'name', name)
                             order by lower(name) collate "C", id), '[]') as teams
      from named`);
  return teams;
}

const recordAccepted = (
  tx: Tx,
  invitation: ReceivedInvitation & Parameters<typeof recordChange>[1]['caller'],
  { role }: Role,
  teams: Team[],
  requestId: string,
): Promise<void> =>
  recordChange(tx, {
    caller: invitation,
    action: 'invitation.accept',
    target: invitation.invitation_id,
    organizationId: invitation.workspace_id ?? invitation.project_workspace_id,
    ...(invitation.project_id === null ? {} : { projectId: invitation.project_id }),
    before: { status: 'pending' },
    after: {
      status: 'accepted',
      user_id: invitation.userId,
      role,
      team_ids: teams.map(({ id }) => id),
    },
    requestId,
  });
