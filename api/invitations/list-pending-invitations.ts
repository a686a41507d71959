import Type from 'typebox';
import { onWorkspace } from '../access/workspace.ts';
import { jsonBoolean, jsonObject, jsonText, jsonToken } from '../db/json.ts';
import { nothing, type Sql, sql } from '../db/sql.ts';
import { oneOf, uuid } from '../http/input/fields.ts';
import { cursorInvalid, decodeCursor, nextLink, paging } from '../http/paging.ts';
import { route } from '../http/route.ts';
import { timestamp, timestampSql } from '../http/timestamps.ts';

/** Makes the link of an invitation from its id and generation: no table holds it (ruling 9.3). */
export type InviteLink = (invitationId: string, generation: number) => string;

/** An invitation that was sent and neither accepted, declined nor revoked (spec: Invitation). */
const invitation = Type.Object({
  id: uuid(),
  organization_id: uuid(),
  email: Type.String(),
  role: Type.String(),
  status: Type.Enum(['pending', 'expired']),
  created_at: timestamp(),
  expires_at: timestamp(),
  invite_link: Type.Optional(Type.String()),
  invited_by_name: Type.Optional(Type.String({ default: '' })),
  organization_name: Type.Optional(Type.String({ default: '' })),
  organization_color: Type.Optional(Type.String()),
  organization_icon: Type.Optional(Type.String()),
  require_2fa_before_join: Type.Optional(Type.Boolean({ default: false })),
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
      'Invitations that were sent and neither accepted, declined nor revoked, newest first. Owners and admins only. ' +
      'One whose time is over has the status `expired`; `?status=pending` leaves those out. The whole list, unless ' +
      '`limit` is given.',
    access: onWorkspace('list_invitations'),
    params: Type.Object({ org_id: uuid({ description: 'The workspace.' }) }),
    query: Type.Object({
      status: Type.Optional(
        oneOf(['pending', 'expired'], { description: 'Only those of this status.' }),
      ),
      ...paging,
    }),
    responses: {
      200: {
        description: 'Newest first.',
        headers: ['Link'],
        schema: Type.Array(invitation),
        example: [
          {
            id: '0b6a2f7e-1c3d-4a5b-9e8f-7a6b5c4d3e2f',
            organization_id: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
            email: 'eve@example.com',
            role: 'member',
            status: 'pending',
            created_at: '2026-11-21T08:15:30.123Z',
            expires_at: '2026-11-28T08:15:30.123Z',
            invite_link:
              'http://127.0.0.1:8080/invitations/0b6a2f7e-1c3d-4a5b-9e8f-7a6b5c4d3e2f?token=GlB6w7mQ97RrWZID3Yc_-X4a0CDjtMb50J6DoGH6UeY',
            invited_by_name: 'Bob',
            organization_name: 'Acme',
            organization_color: '#3355AA',
            organization_icon: 'rocket',
            require_2fa_before_join: false,
          },
        ],
      },
    },
    errors: [cursorInvalid],
    handle: ({ params, query, url, statement }) => {
      const after = decodeCursor(query.cursor, [
        /^\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00$/,
        /^[0-9a-f-]{36}$/,
      ]);
      return statement<Invitations>(
        { select: openInvitations(params.org_id, query.status, query.limit, after) },
        (row) => ({
          status: 200,
          body: row.invitations.replaceAll(
            LINK,
            (_, id, generation) => `"invite_link":"${inviteLink(id, Number(generation))}"`,
          ),
          headers: row.last === null ? {} : nextLink(url, query.limit as number, row.last),
        }),
      );
    },
  });

/**
 * `invitations` is the answer's text as PostgreSQL made it, with an id and a generation where a link belongs; `last` the sort
 * key of a page's last row when more follow.
 */
interface Invitations {
  invitations: string;
  last: string[] | null;
}

// Inside a JSON string every quotation mark has a backslash before it, so nobody's name can look like this.
const LINK = /"invite_link":"([0-9a-f-]{36}):(\d+)"/g;

const shown = jsonObject({
  id: jsonToken(sql`i.id`),
  organization_id: jsonToken(sql`i.organization_id`),
  email: jsonText(sql`i.email`),
  role: jsonToken(sql`r.slug`),
  status: jsonToken(sql`case when i.expires_at > now() then 'pending' else 'expired' end`),
  created_at: jsonToken(timestampSql(sql`i.created_at`)),
  expires_at: jsonToken(timestampSql(sql`i.expires_at`)),
  // The link of an expired invitation opens nothing, so none is shown.
  invite_link: jsonToken(sql`case when i.expires_at > now() then i.id || ':' || i.generation end`),
  invited_by_name: jsonText(sql`i.invited_by_name`),
  organization_name: jsonText(sql`o.name`),
  organization_color: jsonToken(sql`o.color`),
  organization_icon: jsonText(sql`o.icon`),
  require_2fa_before_join: jsonBoolean(sql`o.require_2fa`),
});

const openInvitations = (
  organizationId: string,
  status: 'pending' | 'expired' | undefined,
  limit: number | undefined,
  after: string[] | undefined,
): Sql => sql`
  select list.* from authorized g cross join lateral (
    select '[' || coalesce(string_agg(${shown}, ',' order by i.created_at desc, i.id desc)
             ${limit === undefined ? nothing : sql`filter (where i.ordinal <= ${limit})`}, '') || ']' as invitations,
           ${limit === undefined ? sql`null::text[]` : lastOfPage(limit)} as last
      from organization o
      cross join lateral (
        select i.* ${limit === undefined ? nothing : sql`, row_number() over (order by created_at desc, id desc) as ordinal`}
          from invitation i
         where i.organization_id = g.organization_id and i.status = 'pending'
           ${status === undefined ? nothing : sql`and (i.expires_at > now()) = ${status === 'pending'}`}
           ${after === undefined ? nothing : sql`and (i.created_at, i.id) < (${after[0]}::timestamptz, ${after[1]}::uuid)`}
         order by i.created_at desc, i.id desc
         ${limit === undefined ? nothing : sql`limit ${limit + 1}`}) i
      join role r on r.id = i.role_id
     where o.id = ${organizationId}
  ) list`;

// One row more than the page was fetched: its presence says that a next page exists.
const lastOfPage = (limit: number): Sql => sql`
  case when max(i.ordinal) > ${limit}
       then max(array[i.created_at::text, i.id::text]) filter (where i.ordinal = ${limit}) end`;
