import Type from 'typebox';
import { CUSTOM_ROLES } from '../../access/built-in-roles.ts';
import { ownerMakesAdmins } from '../../access/given-role.ts';
import { onRole } from '../../access/role.ts';
import { onWorkspace } from '../../access/workspace.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { changedAt, revision } from '../../http/change.ts';
import { apiError, fieldError } from '../../http/errors.ts';
import { uuid } from '../../http/input/fields.ts';
import { matches } from '../../http/preconditions.ts';
import { ids, route } from '../../http/route.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import { builtInRole, role, roleChanged } from './role.ts';

const roleInUse = apiError(
  409,
  'role_in_use',
  'This role is assigned or offered in an invitation: send replace_with, the role to use instead',
);
const replacementNotFound = fieldError(
  'role_not_found',
  ['query', 'replace_with'],
  'No other role with this id can replace this one: choose a role of the same scope',
);

/** Deletes a custom role; whoever has it gets another one in the same transaction. */
export const deleteRole = route({
  method: 'DELETE',
  path: '/api/organizations/{org_id}/roles/{role_id}',
  area: 'Members & Invitations',
  operationId: 'delete_role',
  summary: 'Delete a role',
  description:
    'Deletes a custom role. Owners and admins only. A role that is assigned, or that an open ' +
    'invitation offers, is only deleted with `replace_with`, which gives those people another ' +
    'role of the same scope. Where admins may not make and unmake admins, only the owner ' +
    'replaces a role that acts as admin by one that does not, or the other way round.',
  access: onRole('manage_roles'),
  // The role is gone by then.
  replayAccess: onWorkspace('manage_roles'),
  params: ids('org_id', 'role_id'),
  query: Type.Object({
    replace_with: Type.Optional(
      uuid({ description: 'The role that everybody gets who has the deleted one.' }),
    ),
  }),
  responses: { 204: { description: 'The role was deleted.' } },
  headers: { 'If-Match': 'The ETag of the role that you have read.' },
  errors: [builtInRole, roleInUse, ownerMakesAdmins, roleChanged, replacementNotFound],
  handle: ({ params: { org_id, role_id }, query, headers, requestId, transaction }) =>
    transaction(async (tx, caller) => {
      if (!caller.is_custom) throw builtInRole();
      const found = await circumstances(tx, org_id, role_id, query.replace_with, headers);
      if (!found.expected) throw roleChanged();
      if (query.replace_with !== undefined && found.replacement === null)
        throw replacementNotFound();
      const { members, invitations, project_people } = found.uses;
      const inUse = members + invitations + project_people > 0;
      if (inUse && found.replacement === null) throw roleInUse({ uses: found.uses });
      if (found.scope === 'workspace' && inUse && !caller.manages_admins) {
        const replaces = found.replacement?.acts_as;
        if ((found.acts_as === 'admin') !== (replaces === 'admin')) throw ownerMakesAdmins();
      }
      await replaceAndDelete(tx, role_id, found.replacement?.id);
      await recordChange(tx, {
        caller,
        action: 'role.delete',
        target: role_id,
        organizationId: org_id,
        before: found.before,
        after:
          found.replacement === null ? {} : { replaced_with: found.replacement, ...found.uses },
        requestId,
      });
      return { status: 204 };
    }),
});

interface Circumstances {
  expected: boolean;
  scope: 'workspace' | 'project';
  acts_as: string;
  before: object;
  uses: { members: number; project_people: number; invitations: number };
  replacement: { id: string; acts_as: string } | null;
}

const circumstances = (
  tx: Tx,
  organizationId: string,
  roleId: string,
  replaceWith: string | undefined,
  headers: Record<string, string | undefined>,
): Promise<Circumstances> =>
  tx.one(sql`
    select ${matches(headers['if-match'], revision(sql`t.updated_at`))} as expected,
           t.scope, t.acts_as, ${role.snapshot(sql`t`)} as before,
           json_build_object(
             'members', (select count(*) from membership where role_id = t.id),
             'project_people', (select count(*) from project_grant where role_id = t.id),
             'invitations', (select count(*) from invitation
                              where role_id = t.id and status = 'pending')) as uses,
           (select json_build_object('id', other.id, 'acts_as', other.acts_as)
              from role other
             where other.id = ${replaceWith ?? null} and other.id <> t.id and other.assignable
               and other.scope = t.scope
               and (other.organization_id is null or other.organization_id = ${organizationId}))
             as replacement
      from role t where t.id = ${roleId}`);

// Invitations that are no longer open are history: they keep the built-in role that this one acted
// as. With every reference gone, the foreign keys let the role go at the end of the statement.
const replaceAndDelete = (tx: Tx, roleId: string, replacementId: string | undefined) =>
  tx.many(sql`
    with members as (
      update membership
         set role_id = ${replacementId ?? null}, updated_at = ${changedAt(sql`updated_at`)}
       where role_id = ${roleId}),
    project_people as (
      update project_grant set role_id = ${replacementId ?? null} where role_id = ${roleId}),
    invitations as (
      update invitation i
         set role_id = case when i.status = 'pending' then ${replacementId ?? null}
                            else custom.built_in_id end,
             updated_at = ${changedAt(sql`i.updated_at`)}
        from ${CUSTOM_ROLES}
       where custom.id = ${roleId} and i.role_id = custom.id)
    delete from role where id = ${roleId}`);
