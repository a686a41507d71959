import Type from 'typebox';
import { OWNER } from '../../access/built-in-roles.ts';
import { jsonObject, jsonText, jsonToken } from '../../db/json.ts';
import { sql } from '../../db/sql.ts';
import { apiError } from '../../http/errors.ts';
import { color, uuid } from '../../http/input/fields.ts';
import { ROLE_SLUG, resource } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';

const teams = sql`
  (select '[' || coalesce(string_agg(${jsonObject({
    id: jsonToken(sql`team.id`),
    name: jsonText(sql`team.name`),
  })}, ',' order by lower(team.name) collate "C", team.id), '') || ']'
     from team_member tm join team on team.id = tm.team_id
    where tm.organization_id = t.organization_id and tm.user_id = t.user_id)`;

/** A member of a workspace, from `t`, a row of `membership`, joined with `memberJoins`. */
export const member = resource('Member', {
  user_id: [uuid(), sql`t.user_id`, '7c9e6679-7425-40de-944b-e07fc1f90ae7'],
  email: [Type.String(), sql`u.email`, 'ada@example.com'],
  name: [Type.Optional(Type.String()), sql`u.name`, 'Ada Byron'],
  role: [Type.String({ pattern: ROLE_SLUG }), sql`r.slug`, 'admin'],
  role_id: [uuid(), sql`r.id`, '00000000-0000-4000-8000-000000000002'],
  role_name: [Type.String(), sql`r.name`, 'Admin'],
  role_color: [color(), sql`r.color`, '#2563EB'],
  is_owner: [Type.Boolean(), sql`t.user_id = o.owner_user_id`, false],
  is_active: [Type.Boolean(), sql`u.is_active`, true],
  two_factor_enabled: [Type.Boolean(), sql`u.two_factor and u.kind = 'person'`, true],
  kind: [
    Type.Optional(
      Type.Enum(['service'], { description: 'Of service accounts; absent for people.' }),
    ),
    sql`nullif(u.kind, 'person')`,
    undefined,
  ],
  teams: [
    Type.Array(Type.Object({ id: uuid(), name: Type.String() })),
    teams,
    [{ id: '5d0f9a4e-7c1b-4e2a-8f3d-6b7c8d9e0f1a', name: 'Core' }],
  ],
  joined_at: [timestamp(), sql`t.created_at`, '2026-11-20T09:00:00.000Z'],
  updated_at: [timestamp(), sql`t.updated_at`, '2026-11-21T08:15:30.123Z'],
});

/** The owner is shown with the role of that name, although the membership says admin. */
export const memberJoins = sql`
  join organization o on o.id = t.organization_id
  join app_user u on u.id = t.user_id
  join role r on r.id = case when t.user_id = o.owner_user_id
                             then ${OWNER} else t.role_id end`;

export const memberChanged = apiError(
  412,
  'member_changed',
  'The member has changed since you read it: read it again, then repeat the request',
);

export const isOwner = apiError(
  409,
  'is_owner',
  'The owner of a workspace stays in it as its owner: transfer ownership first',
);
