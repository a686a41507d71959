import Type from 'typebox';
import { onWorkspace } from '../../access/workspace.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { type Shown, shownAs } from '../../http/change.ts';
import { apiError } from '../../http/errors.ts';
import { object } from '../../http/input/fields.ts';
import { ids, route } from '../../http/route.ts';
import { actor, audited } from '../../platform/audit/audit.ts';
import { actsAs, role, roleNameTaken, scope } from './role.ts';
import { roleSlug } from './slug.ts';

/** The most custom roles of one workspace: a list that people choose from. */
const MOST_ROLES = 50;

const tooManyRoles = apiError(
  409,
  'too_many_roles',
  `A workspace has at most ${MOST_ROLES} custom roles: delete one that is not needed`,
);

/** Makes a role with a name and a colour of its own, and the permissions of a built-in one. */
export const createRole = route({
  method: 'POST',
  path: '/api/organizations/{org_id}/roles',
  area: 'Members & Invitations',
  operationId: 'create_role',
  summary: 'Create a role',
  description:
    'Creates a role that acts as a built-in one under its own name and colour: for members of ' +
    'the workspace, or with `"scope": "project"` for people on its projects. A workspace has at ' +
    `most ${MOST_ROLES}. Owners and admins only.`,
  access: onWorkspace('manage_roles'),
  params: ids('org_id'),
  body: object({
    name: role.writable.name,
    color: role.writable.color,
    acts_as: actsAs,
    scope: Type.Optional(scope),
  }),
  sample: () => ({ body: { name: 'Release manager', color: '#AA5533', acts_as: 'member' } }),
  responses: { 201: role.shown('The new role.', ['ETag', 'Location']) },
  errors: [roleNameTaken, tooManyRoles],
  handle: ({ params: { org_id }, body, requestId, transaction }) =>
    transaction(async (tx, caller) => {
      const wanted = { ...body, scope: body.scope ?? ('workspace' as const) };
      const { roles, slugs } = await existing(tx, org_id, wanted.scope);
      if (roles >= MOST_ROLES) throw tooManyRoles();
      const { id, ...row } = await tx.one<Shown & { id: string }>(sql`
        with ${actor(caller)},
        changed as (
          insert into role as t (organization_id, scope, slug, name, color, acts_as)
          values (${org_id}, ${wanted.scope}, ${roleSlug(wanted.name, slugs)}, ${wanted.name},
                  ${wanted.color}, ${wanted.acts_as})
          returning t as row),
        audited as (${audited('role.create', requestId, role)})
        select ${role.columns}, t.id
          from changed
          cross join lateral (select (changed.row).*) t
          cross join (values (0)) held (people)`);
      return shownAs(201, row, `/api/organizations/${org_id}/roles/${id}`);
    }),
});

/** How many custom roles the workspace has, and the slugs of those with this scope. */
const existing = (
  tx: Tx,
  organizationId: string,
  scope: 'workspace' | 'project',
): Promise<{ roles: number; slugs: string[] }> =>
  tx.one(sql`
    select count(*)::int as roles,
           coalesce(array_agg(slug) filter (where scope = ${scope}), '{}') as slugs
      from role where organization_id = ${organizationId}`);
