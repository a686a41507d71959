import Type from 'typebox';
import { ownerMakesAdmins } from '../../access/given-role.ts';
import { onRole } from '../../access/role.ts';
import { sql } from '../../db/sql.ts';
import { changedAt, revision, type Shown, shownAs, withChanges } from '../../http/change.ts';
import { object } from '../../http/input/fields.ts';
import { matches } from '../../http/preconditions.ts';
import { ids, route } from '../../http/route.ts';
import { actor, audited } from '../../platform/audit/audit.ts';
import { actsAs, builtInRole, heldByFew, role, roleChanged, roleNameTaken } from './role.ts';

/** Changes a custom role for everybody who has it; its slug and scope stay (ruling 4). */
export const updateRole = route({
  method: 'PUT',
  path: '/api/organizations/{org_id}/roles/{role_id}',
  area: 'Members & Invitations',
  operationId: 'update_role',
  summary: 'Update a role',
  description:
    'Changes the name, the colour or the permissions of a custom role, at once for everybody ' +
    'who has it. A field that is omitted keeps its value; `{}` changes nothing. Owners and ' +
    'admins only. Where admins may not make and unmake admins, only the owner may let a role ' +
    'that is assigned begin or cease to act as admin.',
  access: onRole('manage_roles'),
  params: ids('org_id', 'role_id'),
  body: object({ ...role.changes.properties, acts_as: Type.Optional(actsAs) }),
  sample: () => ({ body: { name: 'Auditor', color: '#3355AA', acts_as: 'viewer' } }),
  responses: { 200: role.shown('The current role.') },
  headers: { 'If-Match': 'The ETag of the role that you have read.' },
  errors: [builtInRole, ownerMakesAdmins, roleChanged, roleNameTaken],
  handle: ({ body, headers, requestId, transaction }) =>
    transaction(async (tx, caller) => {
      if (!caller.is_custom) throw builtInRole();
      const { expected, makes_admins, ...row } = await tx.one<
        Shown & { expected: boolean; makes_admins: boolean }
      >(sql`
        with ${actor(caller)},
        current as (
          select t as row, ${matches(headers['if-match'], revision(sql`t.updated_at`))} as expected
            from role t where t.id = ${caller.role_id}),
        wanted as (select ${withChanges(sql`row`, body)} as row from current),
        verdict as (
          select not ${caller.manages_admins} and (current.row).scope = 'workspace'
                 and ((current.row).acts_as = 'admin') <> ((wanted.row).acts_as = 'admin')
                 and (exists (select from membership where role_id = (current.row).id)
                      or exists (select from invitation
                                  where role_id = (current.row).id and status = 'pending'))
                 as makes_admins
            from current cross join wanted),
        changed as (
          update role t
             set name = (wanted.row).name,
                 color = (wanted.row).color,
                 acts_as = (wanted.row).acts_as,
                 updated_at = ${changedAt(sql`(current.row).updated_at`)}
            from wanted, current, verdict
           where t.id = (wanted.row).id and current.expected and not verdict.makes_admins
             and wanted.row is distinct from current.row
          returning t as row),
        audited as (${audited('role.update', requestId, role, sql`current`)})
        select current.expected, verdict.makes_admins, ${role.columns}
          from current
          cross join verdict
          left join changed on true
          cross join lateral (select (coalesce(changed.row, current.row)).*) t
          cross join ${heldByFew}`);
      if (!expected) throw roleChanged();
      if (makes_admins) throw ownerMakesAdmins();
      return shownAs(200, row);
    }),
});
