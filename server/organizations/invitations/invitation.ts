import Type from 'typebox';
import { nothing, type Sql, sql } from '../../db/sql.ts';
import { changedAt } from '../../http/change.ts';
import { apiError, fieldError } from '../../http/errors.ts';
import { color, email, list, oneOf, uuid } from '../../http/input/fields.ts';
import type { ListParts } from '../../http/list.ts';
import { paging } from '../../http/paging.ts';
import { ROLE_SLUG, resource } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';

// Of the rows `i` of `invitation`, `r` of its role and `o` of its workspace.
const fields = {
  id: [uuid(), sql`i.id`, '0b6a2f7e-1c3d-4a5b-9e8f-7a6b5c4d3e2f'],
  organization_id: [uuid(), sql`i.organization_id`, '3fa85f64-5717-4562-b3fc-2c963f66afa6'],
  email: [Type.String(), sql`i.email`, 'eve@example.com'],
  role: [Type.String({ pattern: ROLE_SLUG }), sql`r.slug`, 'member'],
  status: [
    Type.Enum(['pending', 'expired']),
    sql`case when i.expires_at > now() then 'pending' else 'expired' end`,
    'pending',
  ],
  created_at: [timestamp(), sql`i.created_at`, '2026-11-21T08:15:30.123Z'],
  expires_at: [timestamp(), sql`i.expires_at`, '2026-11-28T08:15:30.123Z'],
  // An expired invitation has no link, because it would not work. The placeholder is replaced by
  // `withLinks`.
  invite_link: [
    Type.Optional(Type.String()),
    sql`case when i.expires_at > now() then i.id || ':' || i.generation end`,
    'http://127.0.0.1:8080/invitations/0b6a2f7e-1c3d-4a5b-9e8f-7a6b5c4d3e2f?token=GlB6w7mQ97RrWZID3Yc_-X4a0CDjtMb50J6DoGH6UeY',
  ],
  invited_by_name: [Type.Optional(Type.String({ default: '' })), sql`i.invited_by_name`, 'Bob'],
  organization_name: [Type.Optional(Type.String({ default: '' })), sql`o.name`, 'Acme'],
  organization_color: [Type.Optional(color()), sql`o.color`, '#3355AA'],
  organization_icon: [Type.Optional(Type.String()), sql`o.icon`, 'rocket'],
  require_2fa_before_join: [
    Type.Optional(Type.Boolean({ default: false })),
    sql`o.require_2fa`,
    false,
  ],
} as const;

/** An invitation that was sent but not accepted, declined or revoked (spec: Invitation). */
export const invitation = resource('Invitation', fields);

/** The role that an invitation offers, beyond its slug. */
export const roleFields = {
  role_id: [uuid(), sql`r.id`, '00000000-0000-4000-8000-000000000003'],
  role_name: [Type.String(), sql`r.name`, 'Member'],
  role_color: [color(), sql`r.color`, '#059669'],
} as const;

const { id, email: invited, role, status, created_at, expires_at } = fields;
const { invite_link, invited_by_name } = fields;

/** An invitation to a project, as its admins see it; of a row `p` of `project` instead of `o`. */
export const projectInvitation = resource('ProjectInvitation', {
  id,
  project_id: [uuid(), sql`i.project_id`, 'c4b1f0de-2a6e-4b53-9a57-2f6f0f1f8a11'],
  email: invited,
  role,
  ...roleFields,
  status,
  created_at,
  expires_at,
  invite_link,
  invited_by_name,
  project_name: [Type.String(), sql`p.name`, 'Shop'],
});

/** What a person who is not in a team yet may know of it. */
export const teamNames = () => Type.Array(Type.Object({ id: uuid(), name: Type.String() }));

/** An invitation to a workspace, as those see it who sent it. */
export const workspaceInvitation = resource('WorkspaceInvitation', {
  ...fields,
  ...roleFields,
  teams: [
    teamNames(),
    sql`
      select coalesce(json_agg(json_build_object('id', t.id, 'name', t.name)
                               order by lower(t.name) collate "C", t.id), '[]')
        from invitation_team it join team t on t.id = it.team_id
       where it.invitation_id = i.id`,
    [{ id: '5d0f9a4e-7c1b-4e2a-8f3d-6b7c8d9e0f1a', name: 'Core' }],
  ],
});

/**
 * What changes in an open invitation `i` whose address is invited again. It keeps its id and the
 * time when it was made; its previous link no longer works (ruling 9.5).
 */
export const renewed = sql`
             email = excluded.email,
             role_id = excluded.role_id,
             generation = i.generation + 1,
             invited_by_user_id = excluded.invited_by_user_id,
             invited_by_name = excluded.invited_by_name,
             expires_at = excluded.expires_at,
             updated_at = ${changedAt(sql`i.updated_at`)}`;

export const serviceAccountInvited = fieldError(
  'service_account_invited',
  ['body', 'email'],
  'This is the address of a service account, which works in its own workspace alone: invite a person',
);

/** The address to invite. */
export const invitedEmail = email({
  description: 'Whom to invite. Addresses are compared without regard to case.',
});

/** The teams of the workspace that the person joins on accepting. */
export const invitedTeams = list(uuid(), {
  default: [],
  maxItems: 100,
  description: 'Teams of the workspace that the person joins on accepting.',
});

/** The most open invitations that a workspace or a project has, expired ones included. */
export const MOST_OPEN = 1000;

export const tooManyInvitations = apiError(
  409,
  'too_many_invitations',
  `There are already ${MOST_OPEN} open invitations: revoke those that are no longer needed`,
);

/** What lists of open invitations can be asked for. */
export const openQuery = Type.Object({
  status: Type.Optional(
    oneOf(['pending', 'expired'], { description: 'Only invitations with this status.' }),
  ),
  ...paging,
});

/** The open invitations `i` to what `source` joins to `authorized`, newest first. */
export const openInvitations = (
  json: Sql,
  source: Sql,
  status: 'pending' | 'expired' | undefined,
): ListParts => ({
  json,
  rows: sql`
    from authorized ${source}
    join role r on r.id = i.role_id
   where i.status = 'pending'
     ${status === undefined ? nothing : sql`and (i.expires_at > now()) = ${status === 'pending'}`}`,
  order: [
    { by: sql`i.created_at`, type: 'timestamptz' },
    { by: sql`i.id`, type: 'uuid' },
  ],
  descending: true,
});
