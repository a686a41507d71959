import Type from 'typebox';
import { onWorkspace } from '../access/workspace.ts';
import { nothing, sql } from '../db/sql.ts';
import { color, oneOf, uuid } from '../http/input/fields.ts';
import { type Listed, listed, page } from '../http/list.ts';
import { cursorInvalid, paging } from '../http/paging.ts';
import { ROLE_SLUG, resource } from '../http/resource.ts';
import { ids, route } from '../http/route.ts';
import { timestamp } from '../http/timestamps.ts';

/**
 * Makes the link of an invitation from its id and generation; no table contains it (ruling 9.3).
 */
export type InviteLink = (invitationId: string, generation: number) => string;

/** An invitation that was sent but not accepted, declined or revoked (spec: Invitation). */
const invitation = resource('Invitation', {
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
  // the link below.
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
});

/** The invitations of a workspace that are still open (spec 7, ruling 9). */
export const listPendingInvitations = (inviteLink: InviteLink) =>
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
    handle: ({ query, url, statement }) =>
      statement<Listed>({ select: listed(openInvitations(query.status), query) }, (row) =>
        page(
          url,
          query.limit,
        )({
          ...row,
          items: row.items.replaceAll(
            LINK,
            (_, id, generation) => `"invite_link":"${inviteLink(id, Number(generation))}"`,
          ),
        }),
      ),
  });

// Inside a JSON string every quotation mark follows a backslash, so no name can contain this.
const LINK = /"invite_link":"([0-9a-f-]{36}):(\d+)"/g;

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
