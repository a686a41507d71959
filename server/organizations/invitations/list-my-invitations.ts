import Type from 'typebox';
import { signedIn } from '../../access/account.ts';
import { sameMailbox } from '../../db/addresses.ts';
import { sql } from '../../db/sql.ts';
import { color, uuid } from '../../http/input/fields.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { cursorInvalid, pages } from '../../http/paging.ts';
import { ROLE_SLUG, resource } from '../../http/resource.ts';
import { route } from '../../http/route.ts';
import { timestamp } from '../../http/timestamps.ts';
import { roleFields } from './invitation.ts';

/** An invitation, as the person sees it who was invited. It has no link: they are signed in. */
const receivedInvitation = resource('ReceivedInvitation', {
  id: [uuid(), sql`i.id`, '0b6a2f7e-1c3d-4a5b-9e8f-7a6b5c4d3e2f'],
  kind: [Type.Enum(['workspace', 'project']), sql`i.scope`, 'workspace'],
  email: [Type.String(), sql`i.email`, 'eve@example.com'],
  role: [Type.String({ pattern: ROLE_SLUG }), sql`r.slug`, 'member'],
  ...roleFields,
  created_at: [timestamp(), sql`i.created_at`, '2026-11-21T08:15:30.123Z'],
  expires_at: [timestamp(), sql`i.expires_at`, '2026-11-28T08:15:30.123Z'],
  invited_by_name: [Type.String(), sql`i.invited_by_name`, 'Bob'],
  organization_id: [
    Type.Optional(uuid()),
    sql`i.organization_id`,
    '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  ],
  organization_name: [Type.Optional(Type.String()), sql`o.name`, 'Acme'],
  organization_color: [Type.Optional(color()), sql`o.color`, '#3355AA'],
  organization_icon: [Type.Optional(Type.String()), sql`o.icon`, 'rocket'],
  project_id: [Type.Optional(uuid()), sql`i.project_id`, undefined],
  project_name: [Type.Optional(Type.String()), sql`p.name`, undefined],
  require_2fa_before_join: [Type.Boolean(), sql`coalesce(o.require_2fa, false)`, false],
});

/** The open invitations to the caller's address, to workspaces and to projects. */
export const listMyInvitations = route({
  method: 'GET',
  path: '/api/invitations',
  area: 'Members & Invitations',
  operationId: 'list_my_invitations',
  summary: 'List the invitations that you have received',
  description:
    "Invitations to the caller's e-mail address, to workspaces and to projects, that can still " +
    'be accepted, newest first. Workspace or project is shown according to `kind`. Pages of ' +
    '50, unless `limit` says otherwise.',
  access: signedIn,
  query: Type.Object(pages),
  responses: { 200: receivedInvitation.listed('Newest first.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(received, query) }, page(url, query.limit)),
});

const received = {
  json: receivedInvitation.json,
  rows: sql`
    from authorized
    cross join caller
    join app_user me on me.id = caller.user_id
    join invitation i on ${sameMailbox(sql`i.email`, sql`me.email`)}
    join role r on r.id = i.role_id
    left join organization o on o.id = i.organization_id
    left join project p on p.id = i.project_id
   where i.status = 'pending' and i.expires_at > now()`,
  order: [
    { by: sql`i.created_at`, type: 'timestamptz' },
    { by: sql`i.id`, type: 'uuid' },
  ],
  descending: true,
} as const;
