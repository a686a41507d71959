import Type from 'typebox';
import { OWNER } from '../../access/built-in-roles.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { apiError, fieldError } from '../../http/errors.ts';
import { color, oneOf, uuid } from '../../http/input/fields.ts';
import { name } from '../../http/input/names.ts';
import { ROLE_SLUG, resource } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';

/** What a custom role can act as. */
export const actsAs = oneOf(['admin', 'member', 'viewer'], {
  description: 'The built-in role whose permissions this one has.',
});

/** Where a role is given: in the workspace, or on its projects. */
export const scope = oneOf(['workspace', 'project'], {
  description: 'Whether members of the workspace have the role, or people on its projects.',
});

/** A role as a workspace shows it, from a row `t` of `role` and how many people have it, `held`. */
export const role = resource('Role', {
  id: [uuid(), sql`t.id`, '1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f'],
  name: [name({ maxLength: 100 }), sql`t.name`, 'Release manager', 'writable'],
  slug: [
    Type.String({
      pattern: ROLE_SLUG,
      description: 'Made from the first name of the role; it never changes.',
    }),
    sql`t.slug`,
    'release-manager',
  ],
  color: [color(), sql`t.color`, '#AA5533', 'writable'],
  acts_as: [
    oneOf(['owner', 'admin', 'member', 'viewer'], {
      description: 'The built-in role whose permissions this one has.',
    }),
    sql`t.acts_as`,
    'member',
    'writable',
  ],
  scope: [scope, sql`t.scope`, 'workspace'],
  is_custom: [Type.Boolean(), sql`t.organization_id is not null`, true],
  member_count: [
    Type.Integer({
      description:
        'How many members of the workspace have the role; of a role on projects, how often it ' +
        'is set on its projects.',
    }),
    sql`coalesce(held.people, 0)`,
    3,
  ],
  created_at: [timestamp(), sql`t.created_at`, '2026-11-20T09:00:00.000Z'],
  updated_at: [timestamp(), sql`t.updated_at`, '2026-11-21T08:15:30.123Z'],
});

/**
 * `held`, a common table expression: how many people have each role in the authorized workspace.
 * Its owner counts as owner, whatever their membership says.
 */
export const held: Sql = sql`
  held as materialized (
    select role_id, count(*) as people
      from (select case when m.user_id = authorized.owner_user_id
                        then ${OWNER} else m.role_id end as role_id
              from authorized join membership m using (organization_id)
            union all
            select g.role_id
              from authorized
              join project p using (organization_id)
              join project_grant g on g.project_id = p.id) given
     group by role_id)`;

/** The same for a single custom role `t`, which no one has outside its workspace. */
export const heldByFew: Sql = sql`
  lateral (
    select (select count(*) from membership where role_id = t.id)
             + (select count(*) from project_grant where role_id = t.id) as people) held`;

export const roleNameTaken = fieldError(
  'role_name_taken',
  ['body', 'name'],
  'Another role of this kind, or a built-in one, already has this name: choose a different one',
);

export const builtInRole = apiError(
  409,
  'built_in_role',
  'Built-in roles are the same in every workspace: create a role of your own instead',
);

export const roleChanged = apiError(
  412,
  'role_changed',
  'The role has changed since you read it: read it again, then change it',
);
