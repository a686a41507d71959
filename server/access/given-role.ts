import Type from 'typebox';
import { type Sql, sql } from '../db/sql.ts';
import { apiError, fieldError } from '../http/errors.ts';
import { exactlyOneOf, oneOf, uuid } from '../http/input/fields.ts';

/** The fields of a body that assigns a role to a person; exactly one of them is required. */
export const roleFields = {
  role: Type.Optional(
    oneOf(['admin', 'member', 'viewer'], { description: 'A built-in role, by its slug.' }),
  ),
  role_id: Type.Optional(
    uuid({ description: 'A built-in role, or a custom role of the workspace, by its id.' }),
  ),
};

/** What the document says about these two fields of a body. */
export const roleRequired = exactlyOneOf('role', 'role_id');

interface GivenRole {
  role?: string;
  role_id?: string;
}

export const roleOrRoleId = fieldError(
  'role_or_role_id',
  ['body', 'role'],
  'Exactly one of `role` and `role_id` is required: send a built-in role, or the id of any role',
);

export const roleNotFound = fieldError(
  'role_not_found',
  ['body', 'role_id'],
  'No role that can be given here has this id: choose one of the roles of this workspace',
);

/** An admin would make or unmake admins, which the owner does not let admins do. */
export const ownerMakesAdmins = apiError(
  403,
  'owner_decides',
  'Only the owner may make and unmake admins in this workspace: ask the owner to do this',
);

/** Refuses a body with both fields or none. Throws roleOrRoleId. */
export function checkGivenRole({ role, role_id }: GivenRole): void {
  if ((role === undefined) === (role_id === undefined)) throw roleOrRoleId();
}

/**
 * The role of the body: a row of `role` with the alias `r`, or none if no role of this scope has
 * the id. `organization` is SQL: the workspace whose custom roles may be given, or null.
 */
export const givenRole = (
  scope: 'workspace' | 'project',
  { role, role_id }: GivenRole,
  organization: Sql,
): Sql =>
  role_id === undefined
    ? sql`
      select r.* from role r
       where r.organization_id is null and r.scope = ${scope} and r.slug = ${role}`
    : sql`
      select r.* from role r
       where r.id = ${role_id} and r.scope = ${scope} and r.assignable
         and (r.organization_id is null or r.organization_id = ${organization})`;
